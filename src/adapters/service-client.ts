/** A question to a running service over HTTP. The token goes to the one address that was named, and no redirect is followed. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { MemoryError } from '../model/memory-error.ts'
import type { ServiceQuestion, ServiceReply } from '../model/service-question.ts'
import { connectionFault } from './connection-fault.ts'
import { outboundProxy } from './outbound-proxy.ts'

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/

class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
}

/** See `AskService`. */
export async function askService(question: ServiceQuestion): Promise<ServiceReply> {
  const { url, timeoutMs, signal } = question
  const timer = new AbortController()
  const timeout = setTimeout(() => timer.abort(), timeoutMs)
  const either = AbortSignal.any([signal, timer.signal])
  // What runs on this machine is no business of a proxy; the runtime's fetch would go through one all the same.
  const send = LOOPBACK.test(url.hostname) ? sendDirectly : sendByFetch
  try {
    return await send(question, either)
  } catch (error) {
    if (signal.aborted) throw new MemoryError('interrupted', 'interrupted; run it again')
    if (error instanceof AnswerTooLong)
      throw new MemoryError('service_unavailable', `${url.origin}: ${error.message}`, { cause: error })
    const words = timer.signal.aborted ? `no answer for ${timeoutMs / 1000} s` : faultWords(error, url)
    throw new MemoryError('service_unavailable', `no service answers at ${url.origin}: ${words}`, { cause: error })
  } finally {
    clearTimeout(timeout)
  }
}

function faultWords(error: unknown, url: URL): string {
  const reason = error instanceof Error ? error : new Error(String(error))
  const proxy = LOOPBACK.test(url.hostname) ? null : outboundProxy(url)
  const { text, advice } = connectionFault(reason, url, proxy)
  return `${text}; ${advice ?? 'start it with knowhow serve, or check address and port'}`
}

function headersOf({ token, body }: ServiceQuestion): Record<string, string> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(new TextEncoder().encode(body).length),
    'user-agent': 'knowhow',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

async function sendDirectly(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceReply> {
  const { url, body, bytesMax } = question
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const options = { method: 'POST', headers: headersOf(question), signal, agent: false } as const
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, options, resolve)
    request.on('error', reject)
    request.end(body)
  })
  const contentType = incoming.headers['content-type'] ?? ''
  return { status: incoming.statusCode ?? 0, contentType, text: await textOf(incoming, bytesMax) }
}

async function sendByFetch(question: ServiceQuestion, signal: AbortSignal): Promise<ServiceReply> {
  const { url, body, bytesMax } = question
  // What Bun prints for BUN_CONFIG_VERBOSE_FETCH holds the token.
  const own = { timeout: false, verbose: false }
  const headers = headersOf(question)
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal, ...own })
  const contentType = response.headers.get('content-type') ?? ''
  return { status: response.status, contentType, text: await textOf(response.body ?? [], bytesMax) }
}

async function textOf(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[], bytesMax: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new AnswerTooLong(`the answer is longer than ${bytesMax} bytes; check the address`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
