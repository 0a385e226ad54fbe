/** A Hugging Face hub on this machine that answers from a script, and remembers what it was asked. */
import type { HubTokenizerOptions } from '../../src/adapters/hub-tokenizer.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { BODY, COMMIT, gitDigest, type HubHome } from './hub-home.ts'

export const NAME = 'acme/small-model'
/** Not the shape of a token that a scanner would look for. */
export const TOKEN = ['test', 'token', '0123456789', 'abcdefghij'].join('_')

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
}

export type HubAnswer = (request: SeenRequest) => Response | Promise<Response>

export class HubServer implements Disposable {
  readonly requests: SeenRequest[] = []
  #server: ReturnType<typeof Bun.serve>

  /** The last answer is given again and again. */
  constructor(...answers: readonly HubAnswer[]) {
    const left = [...answers]
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url)
        const seen = {
          method: request.method,
          path: `${pathname}${search}`,
          authorization: request.headers.get('authorization'),
        }
        this.requests.push(seen)
        const answer = left.length > 1 ? left.shift() : left[0]
        return answer?.(seen) ?? new Response('the script is empty', { status: 418 })
      },
    })
  }

  get address(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  get paths(): readonly string[] {
    return this.requests.map(({ path }) => path)
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

export function file(body = BODY, headers: Record<string, string> = {}): HubAnswer {
  const usual = { etag: `"${gitDigest(body)}"`, 'x-repo-commit': COMMIT }
  return () => new Response(body, { headers: { ...usual, ...headers } })
}

export function status(code: number, text = '', headers: Record<string, string> = {}): HubAnswer {
  return () => new Response(text, { status: code, headers })
}

export function redirect(location: string, headers: Record<string, string> = {}, code = 302): HubAnswer {
  return () => new Response(null, { status: code, headers: { location, ...headers } })
}

/** One answer to each connection, byte for byte, and then its end. */
export class RawServer implements Disposable {
  connections = 0
  #server: Bun.TCPSocketListener<undefined>

  constructor(answer: string) {
    this.#server = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket) => {
          this.connections += 1
          socket.end(answer)
        },
      },
    })
  }

  get address(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  [Symbol.dispose](): void {
    this.#server.stop(true)
  }
}

/** Options of a download whose waits are written down instead of waited. */
export function hubOptions(
  home: HubHome,
  server: { readonly address: string },
  more: Partial<HubTokenizerOptions> & { readonly variables?: Record<string, string> } = {},
): HubTokenizerOptions & { readonly waits: readonly number[] } {
  const { variables, ...options } = more
  const waits: number[] = []
  return {
    environment: home.environment({ HF_ENDPOINT: server.address, ...variables }),
    namedBy: 'person',
    bytesMax: 1_000_000,
    timeoutMs: 20_000,
    silenceMs: 10_000,
    clock: new FixedClock('2026-01-02T03:04:05.000Z'),
    sleep: async (ms) => {
      waits.push(ms)
    },
    chance: () => 0,
    waits,
    ...options,
  }
}
