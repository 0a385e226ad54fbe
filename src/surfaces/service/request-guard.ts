/**
 * Who may ask. On a loopback address a browser is led here by a name that somebody else gave this machine (DNS
 * rebinding) or by a page from elsewhere, so Host and Origin decide; on any other address the token does.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { MemoryError } from '../../model/memory-error.ts'
import { isLoopbackHost } from '../loopback-host.ts'

export interface GuardSetup {
  /** Whether the service listens where only this machine can ask. */
  readonly isLoopback: boolean
  /** Null without one; only a service on a loopback address has none. */
  readonly token: string | null
}

/** Header lines as they came, names and values in turn. */
type RawHeaders = readonly string[]

/** Null for a request that may be answered. */
export type RequestGuard = (target: string, headers: RawHeaders) => MemoryError | null

export function requestGuard({ isLoopback, token }: GuardSetup): RequestGuard {
  const expected = token === null ? null : digestOf(token)
  return (target, headers) => {
    const refusal = isLoopback ? refusalOfElsewhere(headers) : null
    if (refusal !== null) return refusal
    if (expected !== null && !isAuthorized(valuesOf(headers, 'authorization'), expected))
      return new MemoryError('unauthorized', 'send the token of this service: Authorization: Bearer …')
    if (valuesOf(headers, 'host').length > 1) return new MemoryError('invalid_argument', 'Host was sent more than once')
    return target.startsWith('/')
      ? null
      : new MemoryError('invalid_argument', 'the target must be a path; this is no proxy')
  }
}

function refusalOfElsewhere(headers: RawHeaders): MemoryError | null {
  const [host, ...others] = valuesOf(headers, 'host')
  if (host === undefined || others.length > 0 || !isLocalAuthority(host))
    return forbidden('Host must be localhost or a loopback address; another name may lead anybody here')
  const origins = valuesOf(headers, 'origin')
  if (!origins.every(isLocalOrigin))
    return forbidden('Origin is no page of this machine; cross-site requests are refused')
  // Images and forms of other pages come without an Origin.
  if (valuesOf(headers, 'sec-fetch-site').includes('cross-site')) return forbidden('cross-site requests are refused')
  return null
}

function forbidden(message: string): MemoryError {
  return new MemoryError('forbidden', message)
}

function isLocalAuthority(authority: string): boolean {
  const host = /^(\[[0-9a-f:]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(authority)?.[1]
  // Brackets are for addresses of six; without them one could not be told from a port.
  return host !== undefined && isLoopbackHost(host)
}

function isLocalOrigin(origin: string): boolean {
  const authority = /^https?:\/\/([^/?#@\s]+)$/i.exec(origin)?.[1]
  return authority !== undefined && isLocalAuthority(authority)
}

/** In time that does not depend on how much of it is right. */
function isAuthorized(values: readonly string[], expected: Buffer): boolean {
  const [value = '', ...others] = values
  const sent = /^Bearer +(\S+)$/i.exec(value)?.[1] ?? ''
  return timingSafeEqual(digestOf(sent), expected) && others.length === 0
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function valuesOf(headers: RawHeaders, name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === name)
}
