/**
 * A forward proxy on this machine: tunnels `CONNECT`, passes requests for absolute addresses on, and remembers what it was
 * asked. Every host leads to this machine, so that names which no DNS knows can be asked for.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import tls from 'node:tls'
import type { ServerIdentity } from './certificate-authority.ts'

const HEAD_END = '\r\n\r\n'

interface ProxiedRequest {
  /** The request line, as `CONNECT host:443 HTTP/1.1`. */
  readonly line: string
  /** Of `Proxy-Authorization`; null when there is none. */
  readonly authorization: string | null
  /** As it came, in Latin-1. */
  readonly head: string
}

export class ForwardProxy implements Disposable {
  readonly requests: ProxiedRequest[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
  }

  /** @param refusal sent instead of passing anything on, whole; null for none. @param identity of one that is asked over TLS */
  static async open(refusal: string | null = null, identity?: ServerIdentity): Promise<ForwardProxy> {
    const server =
      identity === undefined ? createServer() : tls.createServer({ cert: identity.cert, key: identity.key })
    const proxy = new ForwardProxy(server)
    server.on(identity === undefined ? 'connection' : 'secureConnection', (client: Socket) =>
      proxy.#serve(client, refusal),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  #serve(client: Socket, refusal: string | null): void {
    this.#keep(client)
    let received = Buffer.alloc(0)
    const read = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf(HEAD_END)
      if (end === -1) return
      client.off('data', read)
      const head = received.subarray(0, end).toString('latin1')
      const line = head.split('\r\n')[0] ?? ''
      const authorization = /^proxy-authorization: *(.*)$/im.exec(head)?.[1] ?? null
      this.requests.push({ line, authorization, head })
      if (refusal === null) this.#passOn(client, line, received)
      else client.end(refusal)
    }
    client.on('data', read)
  }

  #passOn(client: Socket, line: string, received: Buffer): void {
    const [method, target = ''] = line.split(' ')
    const url = URL.parse(method === 'CONNECT' ? `tunnel://${target}` : target)
    const upstream = connect(Number(url?.port || 80), '127.0.0.1', () => {
      if (method === 'CONNECT') client.write(`HTTP/1.1 200 Connection established${HEAD_END}`)
      else upstream.write(received)
      client.pipe(upstream).pipe(client)
    })
    this.#keep(upstream)
    upstream.on('close', () => client.destroy())
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    // A side that hangs up ends the passage, and is looked at by whoever asked.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}
