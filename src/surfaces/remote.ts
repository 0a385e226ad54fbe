/** A command that is answered by a running service: what is sent to it, and what of its answer is believed. */
import * as v from 'valibot'
import { checkedInput } from '../app/checked-input.ts'
import type { Machine } from '../app/machine.ts'
import type { Operation } from '../app/operation.ts'
import { errorReportSchema } from '../model/error-report.ts'
import { ERROR_CODES, type ErrorCode, MemoryError } from '../model/memory-error.ts'
import type { ServiceReply } from '../model/service-question.ts'
import type { CommonFlags } from './flags.ts'
import { isLoopbackHost } from './loopback-host.ts'
import { serviceToken } from './service-token.ts'

export interface RemoteAsked {
  /** As it was typed. */
  readonly url: string
  readonly common: CommonFlags
  readonly machine: Pick<Machine, 'askService' | 'environment'>
  readonly signal: AbortSignal
  readonly say: (sentence: string) => void
}

/** The slowest search waits ten seconds for its embedder. */
const TIMEOUT_MS = 60_000
/** No answer is longer; a wrong address may send anything. */
const ANSWER_BYTES_MAX = 64 * 2 ** 20
const TOKEN_SHOWN = '[KNOWHOW_TOKEN]'

/**
 * @returns what the operation would have answered on the service's machine
 * Throws the service's own errors, `invalid_argument`, `service_unavailable`.
 */
export async function askRemote(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { url: typed, common, machine, signal, say }: RemoteAsked,
): Promise<unknown> {
  if (common.workspace !== null || common.config !== null)
    throw new MemoryError(
      'invalid_argument',
      '--remote asks a service, which has a workspace and settings of its own; leave out --workspace and --config',
    )
  const base = serviceAddress(typed)
  const token = serviceToken(machine.environment) ?? undefined
  if (token !== undefined && base.protocol === 'http:' && !isLoopbackHost(base.hostname))
    say(`KNOWHOW_TOKEN goes to ${base.host} as plain text; use https where others can listen`)
  const body = JSON.stringify(checkedInput(operation.input(), input))
  const url = new URL(`${base.href.replace(/\/+$/, '')}/${operation.name}`)
  const question = { url, token, body, timeoutMs: TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, signal }
  const reply = await machine.askService(question)
  // Whatever answers there may say what it was sent.
  return believed(operation, base, {
    ...reply,
    text: token === undefined ? reply.text : withoutToken(reply.text, token),
  })
}

/** Also as JSON writes it. */
function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, TOKEN_SHOWN).replaceAll(JSON.stringify(token).slice(1, -1), TOKEN_SHOWN)
}

function serviceAddress(typed: string): URL {
  const url = URL.parse(typed)
  const fault = (words: string) =>
    new MemoryError('invalid_argument', `--remote ${words}; give an address such as http://127.0.0.1:2433`, {
      field: 'remote',
    })
  if (url === null || !/^https?:$/.test(url.protocol)) throw fault('takes an http or https address')
  // Not shown: what stands there may be a secret.
  if (`${url.username}${url.password}` !== '') throw fault('takes no user and password; KNOWHOW_TOKEN is sent')
  if (`${url.search}${url.hash}` !== '') throw fault('takes an address without ? and #')
  return url
}

/** Throws what the service could not do, and `service_unavailable` for what no service of this version would say. */
function believed(operation: Operation, base: URL, { status, contentType, text }: ServiceReply): unknown {
  if (status >= 300 && status < 400)
    throw unavailable(base, 'it redirects, which is not followed: name the address it leads to')
  const answer = /^application\/json\b/i.test(contentType) ? parsed(text) : undefined
  if (answer === undefined) throw noService(base, status)
  if (status === 200) {
    if (v.is(operation.output(), answer)) return answer
    throw unavailable(base, 'its answer is of another form than this version knows: use the same version on both sides')
  }
  const refusal = v.safeParse(v.strictObject({ error: errorReportSchema() }), answer)
  if (!refusal.success) throw noService(base, status)
  const { code, message, resumable } = refusal.output.error
  // Of a service that ends, not of this command; and one of a later version may have others.
  if (!isKnown(code) || code === 'interrupted') throw unavailable(base, `it says ${code}: ${message}`)
  const advice = code === 'unauthorized' ? '; set KNOWHOW_TOKEN to the token that it was started with' : ''
  const field = code === 'invalid_argument' ? /^(\w+):/.exec(message)?.[1] : undefined
  throw new MemoryError(code, `${message}${advice}`, { resumable, ...(field === undefined ? {} : { field }) })
}

function isKnown(code: string): code is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(code)
}

function noService(base: URL, status: number): MemoryError {
  return unavailable(base, `what answers there is no knowhow service (HTTP ${status}): check the address`)
}

function unavailable(base: URL, words: string): MemoryError {
  return new MemoryError('service_unavailable', `${base.href}: ${words}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
