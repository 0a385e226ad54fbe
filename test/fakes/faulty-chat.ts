/**
 * A chat server that goes wrong by a plan and remembers what it was asked. It repeats the key it is sent wherever an answer
 * has room for it.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { ServerIdentity } from './certificate-authority.ts'

export interface AskedChat {
  /** The body as it came. */
  readonly body: string
  /** What was sent behind `Bearer`. */
  readonly key: string
  /** From 1. */
  readonly number: number
}

/** What is answered to one request. */
export type Play = (asked: AskedChat) => Response | Promise<Response>

export interface ChatServer extends Disposable {
  readonly port: number
  readonly baseUrl: string
  readonly asked: readonly AskedChat[]
}

export interface ChatOptions {
  /** Called before each answer. */
  readonly onAsked?: () => void
  /** Of a server that speaks TLS, as `localhost`. */
  readonly identity?: ServerIdentity
}

/** @param plays in order; the last one is repeated */
export function faultyChat(plays: readonly Play[], { onAsked, identity }: ChatOptions = {}): ChatServer {
  const asked: AskedChat[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    ...(identity === undefined ? {} : { tls: { cert: identity.cert, key: identity.key } }),
    fetch: async (request) => {
      const key = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      const each = { body: await request.text(), key, number: asked.length + 1 }
      asked.push(each)
      onAsked?.()
      return (plays[each.number - 1] ?? plays.at(-1) ?? say('Nothing to note.'))(each)
    },
  })
  const port = server.port ?? 0
  return {
    port,
    baseUrl: identity === undefined ? `http://127.0.0.1:${port}/v1` : `https://localhost:${port}/v1`,
    asked,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** How a connection ends without a whole answer. */
export type Breakage = 'reset' | 'half an answer' | 'no TLS' | 'nobody listens'

/** A server below HTTP. */
export async function brokenChat(breakage: Breakage): Promise<ChatServer> {
  const asked: AskedChat[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // The other side may hang up first.
    socket.on('error', () => socket.destroy())
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (breakage === 'no TLS') return void socket.end('this is no handshake\r\n')
      if (!isWhole(received)) return
      const key = /^authorization: *Bearer (.*)$/im.exec(received)?.[1] ?? ''
      asked.push({ body: received.slice(received.indexOf('\r\n\r\n') + 4), key, number: asked.length + 1 })
      received = ''
      if (breakage === 'reset') return void socket.resetAndDestroy()
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-echo: ${key}\r\ncontent-length: 4000\r\n\r\n{"choices":[{"${key}`,
      )
    })
  })
  const port = await portOf(server)
  if (breakage === 'nobody listens') await new Promise((resolve) => server.close(resolve))
  return {
    port,
    baseUrl: `${breakage === 'no TLS' ? 'https' : 'http'}://127.0.0.1:${port}/v1`,
    asked,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  const length = Number(/^content-length: *(\d+)$/im.exec(received)?.[1] ?? Number.NaN)
  return end >= 0 && received.length - end - 4 >= length
}

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

/** Headers that repeat the key, and ask for the next try at once. */
function echo(key: string): Record<string, string> {
  return { 'x-echo': key, 'www-authenticate': `Bearer realm="${key}"`, 'retry-after-ms': '1' }
}

/** An error in OpenAI's form. */
export function failure(status: number): Play {
  return ({ key }) => {
    const error = { message: `refused Bearer ${key} (${key})`, type: 'some_error', param: key }
    return Response.json({ error }, { status, headers: echo(key) })
  }
}

/** An error that says no more of when to try again than `headers` do. */
export function silentFailure(status: number, headers: Readonly<Record<string, string>> = {}): Play {
  return ({ key }) => {
    const error = { message: `refused ${key}` }
    return Response.json({ error }, { status, headers: { 'x-echo': key, ...headers } })
  }
}

export function page(status: number, title: string): Play {
  return ({ key }) =>
    new Response(`<html><head><title>${title} ${key}</title></head><body>${key}</body></html>`, {
      status,
      headers: { ...echo(key), 'content-type': 'text/html' },
    })
}

/** JSON as it is given. */
export function json(body: object, status = 200): Play {
  return ({ key }) => Response.json(body, { status, headers: echo(key) })
}

export function text(body: string): Play {
  return ({ key }) => new Response(`${body} ${key}`, { headers: echo(key) })
}

export function redirect(status: number, location: () => string): Play {
  return ({ key }) => new Response(null, { status, headers: { ...echo(key), location: location() } })
}

/** The answer never comes. */
export function silence(): Play {
  return () => new Promise<Response>(() => {})
}

/** Answers a request that it has seen like the first time, whatever is wrong with the answer. */
export function replaying(first: Play, later: Play): Play {
  let seen: string | null = null
  return (asked) => {
    seen ??= asked.body
    return (asked.body === seen ? first : later)(asked)
  }
}

/** A closing message; the key is in it. @param more laid over the message */
export function say(content: string, finish = 'stop', more: object = {}): Play {
  return ({ key }) => completion({ content: content === '' ? '' : `${content} (${key})`, ...more }, finish, key)
}

/** Exactly this, without the key. */
export function sayOnly(content: string): Play {
  return ({ key }) => completion({ content }, 'stop', key)
}

/** @param args an object, or the text as a careless model writes it */
export function call(name: string, args: object | string, finish = 'tool_calls'): Play {
  const written = typeof args === 'string' ? args : JSON.stringify(args)
  return ({ key, number }) => {
    const asked = { id: `call-${number}`, type: 'function', function: { name, arguments: written } }
    return completion({ content: `Calling with ${key}.`, tool_calls: [asked] }, finish, key)
  }
}

function completion(message: object, finish_reason: string, key: string): Response {
  const choices = [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }]
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
  return Response.json(
    { id: key, object: 'chat.completion', model: key, choices, usage },
    { headers: { 'x-echo': key } },
  )
}
