/** The port of the service: connections, their limits and times, and how they end. Knows nothing of what is answered. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { reportOf } from '../../model/error-report.ts'
import { MemoryError } from '../../model/memory-error.ts'
import type { Clock, Ids } from '../../ports.ts'
import type { RequestGuard } from './request-guard.ts'
import { errorResponse, type RequestFacts, type ServiceFetch } from './service-app.ts'
import type { ServiceLimits } from './service-limits.ts'
import type { ServiceLog } from './service-log.ts'

export interface ListenerSetup {
  readonly fetch: ServiceFetch
  readonly guard: RequestGuard
  readonly limits: ServiceLimits
  readonly log: ServiceLog
  readonly clock: Clock
  readonly ids: Ids
}

/** A request that has not been answered to its end. */
interface InFlight {
  readonly facts: RequestFacts
  readonly outgoing: ServerResponse
  readonly stop: AbortController
}

/** No answer may be taken for anything but data, or kept by anyone. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

const SANE_ID = /^[A-Za-z0-9._-]{1,100}$/

export class ServiceListener {
  readonly #setup: ListenerSetup
  readonly #server: Server
  /** Every connection there is, and how many of its requests are in flight. */
  readonly #sockets = new Map<Socket, number>()
  readonly #inFlight = new Map<IncomingMessage, InFlight>()
  readonly #answer: ReturnType<typeof getRequestListener>
  #isClosing = false

  constructor(setup: ListenerSetup) {
    const { limits } = setup
    this.#setup = setup
    this.#answer = getRequestListener((request, { incoming }) => this.#respond(request, incoming as IncomingMessage), {
      overrideGlobalObjects: false,
      // What a client goes on to send of a body that nobody reads is this listener's own business.
      autoCleanupIncoming: false,
      errorHandler: (error) => this.#unreadable(error),
    })
    this.#server = createServer(
      {
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        keepAliveTimeout: limits.idleMs,
        maxHeaderSize: limits.headerBytesMax,
        connectionsCheckingInterval: 1_000,
      },
      (incoming, outgoing) => this.#take(incoming, outgoing),
    )
    this.#server.setTimeout(limits.silenceMs, (socket) => socket.destroy())
    this.#server.on('connection', (socket) => this.#accept(socket))
    this.#server.on('clientError', (error, socket) => refuseUnread(error, socket as Socket))
  }

  /** Throws `address_in_use`, `permission_denied`, `invalid_argument`. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => reject(listenFault(error, host, port))
      this.#server.once('error', fail)
      this.#server.listen({ host, port, backlog: this.#setup.limits.connectionsMax }, () => {
        this.#server.off('error', fail)
        resolve()
      })
    })
    return this.#server.address() as AddressInfo
  }

  /** The port is free at once; answers in flight have their time, and are cut then. */
  async close(): Promise<void> {
    this.#isClosing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const { outgoing } of this.#inFlight.values())
      if (!outgoing.headersSent) outgoing.setHeader('connection', 'close')
    for (const [socket, count] of this.#sockets) if (count === 0) socket.destroy()
    const timer = setTimeout(() => this.#cut(), this.#setup.limits.shutdownMs)
    await closed
    clearTimeout(timer)
  }

  #cut(): void {
    for (const { stop } of this.#inFlight.values()) stop.abort()
    for (const socket of this.#sockets.keys()) socket.destroy()
  }

  #accept(socket: Socket): void {
    if (this.#sockets.size >= this.#setup.limits.connectionsMax) {
      const error = new MemoryError('service_busy', 'too many connections; come again')
      socket.end(rawAnswer('503 Service Unavailable', error, ['Retry-After: 1']))
      return
    }
    this.#sockets.set(socket, 0)
    socket.on('close', () => this.#sockets.delete(socket))
    // What breaks off is told by its close.
    socket.on('error', () => {})
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { guard, clock, ids, log } = this.#setup
    const { socket, rawHeaders, url = '' } = incoming
    const sent = incoming.headers['x-request-id']
    const id = typeof sent === 'string' && SANE_ID.test(sent) ? sent : ids.next()
    const stop = new AbortController()
    const facts = { id, signal: stop.signal }
    const sinceMs = clock.now()
    this.#inFlight.set(incoming, { facts, outgoing, stop })
    this.#sockets.set(socket, (this.#sockets.get(socket) ?? 0) + 1)
    const bytes = countedBytes(outgoing)
    outgoing.on('close', () => {
      stop.abort()
      this.#left(incoming, socket)
      const status = outgoing.headersSent ? outgoing.statusCode : null
      const path = url.split('?', 1)[0] ?? ''
      log.request({ id, method: incoming.method ?? '', path, status, ms: clock.now() - sinceMs, bytes: bytes() })
    })
    outgoing.on('finish', () => this.#leaveUnread(incoming))
    for (const [name, value] of Object.entries(HEADERS)) outgoing.setHeader(name, value)
    outgoing.setHeader('x-request-id', id)
    if (this.#isClosing) outgoing.setHeader('connection', 'close')
    const refusal = guard(url, rawHeaders)
    // In a turn of its own. Bun hands over a request while it takes its connection, and takes connections as long as there
    // are any: answered at once, a client that comes again for each question would keep all else from having a turn,
    // closed connections and signals too.
    setImmediate(() => {
      void (refusal === null ? this.#answer(incoming, outgoing) : this.#refuse(refusal, incoming, outgoing))
    })
  }

  async #refuse(refusal: MemoryError, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { id } = this.#factsOf(incoming)
    const response = errorResponse(refusal, id, this.#setup.log)
    const body = await response.text()
    outgoing.writeHead(response.status, {
      ...Object.fromEntries(response.headers),
      'content-length': Buffer.byteLength(body),
    })
    outgoing.end(incoming.method === 'HEAD' ? undefined : body)
  }

  async #respond(request: Request, incoming: IncomingMessage): Promise<Response> {
    const facts = this.#factsOf(incoming)
    const response = await this.#responseTo(request, facts)
    // What was not read of the body must not be taken for the next request.
    if (!incoming.complete) this.#inFlight.get(incoming)?.outgoing.setHeader('connection', 'close')
    return response
  }

  async #responseTo(request: Request, facts: RequestFacts): Promise<Response> {
    try {
      return await this.#setup.fetch(request, facts)
    } catch (error) {
      return errorResponse(error, facts.id, this.#setup.log)
    }
  }

  #factsOf(incoming: IncomingMessage): RequestFacts {
    return this.#inFlight.get(incoming)?.facts ?? { id: this.#setup.ids.next(), signal: AbortSignal.abort() }
  }

  /** A request that no address can be made of. */
  #unreadable(error: unknown): Response {
    const { ids, log } = this.#setup
    const told = error instanceof RequestError ? new MemoryError('invalid_argument', 'its target is no path') : error
    return errorResponse(told, ids.next(), log)
  }

  #left(incoming: IncomingMessage, socket: Socket): void {
    this.#inFlight.delete(incoming)
    const count = (this.#sockets.get(socket) ?? 1) - 1
    if (!this.#sockets.has(socket)) return
    this.#sockets.set(socket, count)
    if (this.#isClosing && count === 0) socket.destroySoon()
  }

  /** Of a body that nobody read so much is let past that its sender gets to read the answer. */
  #leaveUnread(incoming: IncomingMessage): void {
    if (incoming.complete) return
    const { lingerMs, lingerBytesMax } = this.#setup.limits
    const { socket } = incoming
    let bytes = 0
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.on('close', () => clearTimeout(timer))
    incoming.on('error', () => {})
    incoming.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes > lingerBytesMax) socket.destroy()
    })
    incoming.on('end', () => clearTimeout(timer))
    incoming.resume()
  }
}

/** @returns how many bytes the body of an answer has had so far */
function countedBytes(outgoing: ServerResponse): () => number {
  let bytes = 0
  const count = (chunk: unknown) => {
    if (typeof chunk === 'string') bytes += Buffer.byteLength(chunk)
    else if (chunk instanceof Uint8Array) bytes += chunk.length
  }
  const write = outgoing.write.bind(outgoing)
  const end = outgoing.end.bind(outgoing)
  outgoing.write = ((...args: Parameters<typeof write>) => {
    count(args[0])
    return write(...args)
  }) as typeof write
  outgoing.end = ((...args: Parameters<typeof end>) => {
    count(args[0])
    return end(...args)
  }) as typeof end
  return () => bytes
}

/** What could not be read as HTTP, or came too slowly. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, told] = unreadFault(error.code ?? '')
  socket.end(rawAnswer(status, told))
}

function unreadFault(code: string): readonly [status: string, told: MemoryError] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', new MemoryError('invalid_argument', 'the request took too long to come')]
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        new MemoryError('invalid_argument', 'the header of the request is too long'),
      ]
    default:
      return ['400 Bad Request', new MemoryError('invalid_argument', 'this is no request of HTTP/1.1')]
  }
}

function rawAnswer(status: string, error: MemoryError, headers: readonly string[] = []): string {
  const body = `${JSON.stringify({ error: reportOf(error) })}\n`
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

function listenFault(cause: NodeJS.ErrnoException, host: string, port: number): MemoryError {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new MemoryError(
        'address_in_use',
        `port ${port} of ${host} is taken; stop what listens there, or choose another with --port (0: any that is free)`,
        { cause },
      )
    case 'EACCES':
      return new MemoryError(
        'permission_denied',
        `port ${port} may not be opened by this user; choose one above 1023`,
        {
          cause,
        },
      )
    default:
      return new MemoryError(
        'invalid_argument',
        `host: ${JSON.stringify(host)} is no address of this machine (${cause.code ?? cause.message})`,
        { field: 'host', cause },
      )
  }
}
