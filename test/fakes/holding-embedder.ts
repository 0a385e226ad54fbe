/** An embedding server that keeps who asks waiting until the test lets go, and tells who came and who went away. */
import { wordVector } from './fake-embedder.ts'

export class HoldingEmbedder implements Disposable {
  readonly #asked = Promise.withResolvers<void>()
  readonly #left = Promise.withResolvers<void>()
  readonly #released = Promise.withResolvers<void>()
  readonly #server: ReturnType<typeof Bun.serve>

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const { input } = (await request.json()) as { readonly input: readonly string[] }
        request.signal.addEventListener('abort', () => this.#left.resolve())
        this.#asked.resolve()
        await this.#released.promise
        const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [...wordVector(text)] }))
        return Response.json({ object: 'list', model: 'held', data, usage: { prompt_tokens: 1, total_tokens: 1 } })
      },
    })
  }

  /** For the environment of a program that is to ask it. */
  get environment(): Readonly<Record<string, string>> {
    return {
      EMBEDDING_BACKEND: 'openai',
      EMBEDDING_BASE_URL: `http://127.0.0.1:${this.#server.port}/v1`,
      EMBEDDING_MODEL_NAME: 'held',
      EMBEDDING_API_KEY: 'none',
    }
  }

  /** Settles once the first question is there. */
  get asked(): Promise<void> {
    return this.#asked.promise
  }

  /** Settles once somebody who waited has gone away. */
  get left(): Promise<void> {
    return this.#left.promise
  }

  release(): void {
    this.#released.resolve()
  }

  [Symbol.dispose](): void {
    this.release()
    void this.#server.stop(true)
  }
}
