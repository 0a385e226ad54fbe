/** An embedder that is computed in the process: the same for every model, however it gets from a text to its vector. */
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Embedder, EmbedderKey, Embedding, EmbedOptions } from '../ports.ts'

/** How long texts are worked at before signals get their turn. */
const TURN_MS = 20

export interface TextModel {
  /** @param text not blank, without lone surrogates */
  embeddingOf(text: string): Embedding | Promise<Embedding>
}

export class InProcessEmbedder implements Embedder {
  readonly key: EmbedderKey
  readonly isInProcess = true
  readonly #clock: Clock
  readonly #makeReady: () => TextModel | Promise<TextModel>
  #model: TextModel | null = null

  /** @param makeReady called when the first text comes */
  constructor(key: EmbedderKey, clock: Clock, makeReady: () => TextModel | Promise<TextModel>) {
    this.key = key
    this.#clock = clock
    this.#makeReady = makeReady
  }

  async embed(
    texts: readonly string[],
    { signal, timeLimitMs = Number.POSITIVE_INFINITY }: EmbedOptions = {},
  ): Promise<readonly Embedding[]> {
    const start = this.#clock.now()
    const embeddings: Embedding[] = []
    let turnStart = start
    for (const text of texts) {
      requireWanted(signal)
      const now = this.#clock.now()
      if (now - start > timeLimitMs)
        throw new MemoryError('embedder_unavailable', `embedding took longer than ${timeLimitMs} ms`)
      if (now - turnStart > TURN_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        turnStart = now
      }
      this.#model ??= await this.#makeReady()
      embeddings.push(
        /\S/.test(text) ? await this.#model.embeddingOf(text.toWellFormed()) : { refused: 'it holds no text' },
      )
    }
    requireWanted(signal)
    return embeddings
  }
}

function requireWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  if (signal.reason instanceof MemoryError) throw signal.reason
  throw new MemoryError('interrupted', 'interrupted while embedding; run the command again')
}
