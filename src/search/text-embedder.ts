/**
 * Asks an embedder for texts, batch by batch, and keeps in the cache what came, whatever ends the rest. Knows nothing of
 * views and of when to ask.
 */
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Clock, Embedder, Embedding, EmbedOptions } from '../ports.ts'
import type { PackEntry } from './pack-format.ts'
import { keyHex } from './text-key.ts'
import type { VectorCache } from './vector-cache.ts'

/** UTF-16 units; a longer text may be more than a model takes, and then several requests. */
const LONG_UNITS = 32_768
/** Texts in one call where a call costs nothing: what is done when the time is up is kept. */
const FREE_CALL_TEXTS = 32

/** A text that is owed. Known by its key and not by slots: while the embedder is asked, other documents may be shown. */
export interface WantedText {
  readonly key: Uint8Array
  readonly text: string
}

export interface AskOptions extends Omit<EmbedOptions, 'timeLimitMs'> {
  /** Epoch milliseconds after which nothing is waited for: beyond it `embedder_unavailable`. */
  readonly untilMs?: number | undefined
}

export interface EmbeddedCount {
  readonly count: number
  readonly divided: number
}

export class TextEmbedder {
  readonly #embedder: Embedder
  readonly #cache: VectorCache
  readonly #clock: Clock
  /** Keys of texts that the embedder is being asked for, so that nobody asks for them at the same time. */
  readonly #asked = new Set<string>()
  #width: number | null = null
  /** Texts that a search may ask for, above 0. */
  readonly batchSize: number
  /** UTF-16 units of a text above which it is left to those who wait longer than a search does. */
  readonly longUnits: number

  constructor(embedder: Embedder, cache: VectorCache, clock: Clock, batchSize: number) {
    this.#embedder = embedder
    this.#cache = cache
    this.#clock = clock
    this.batchSize = batchSize
    this.longUnits = embedder.isInProcess === true ? Number.POSITIVE_INFINITY : LONG_UNITS
  }

  /** Of every vector so far; null before the first. */
  get width(): number | null {
    return this.#width
  }

  isAsked(key: Uint8Array): boolean {
    return this.#asked.has(keyHex(key))
  }

  /**
   * What came before a failure is kept.
   * @param onBatch told after each batch how many texts it had
   * @returns how many vectors came, and how many of them stand for texts that were too long
   */
  async embed(
    wanted: readonly WantedText[],
    options: AskOptions,
    onBatch?: (texts: number) => void,
  ): Promise<EmbeddedCount> {
    const entries: PackEntry[] = []
    let count = 0
    let divided = 0
    for (const { key } of wanted) this.#asked.add(keyHex(key))
    try {
      for (const batch of this.#batchesOf(wanted)) {
        const outcomes = await this.ask(
          batch.map(({ text }) => text),
          options,
        )
        for (const [at, { key }] of batch.entries()) {
          const outcome = outcomes[at]
          if (outcome === undefined) continue
          if ('vector' in outcome) count += 1
          if ('vector' in outcome && outcome.parts > 1) divided += 1
          entries.push({ key, ...outcome })
        }
        onBatch?.(batch.length)
      }
    } finally {
      for (const { key } of wanted) this.#asked.delete(keyHex(key))
      this.#cache.add(entries)
    }
    return { count, divided }
  }

  /** The same where an outage is no error. @returns why the embedder cannot be had, null when it could; and how many texts it took in parts */
  async tryToEmbed(
    wanted: readonly WantedText[],
    options: AskOptions,
    onBatch?: (texts: number) => void,
  ): Promise<{ readonly fault: string | null; readonly divided: number }> {
    try {
      const { divided } = await this.embed(wanted, options, onBatch)
      return { fault: null, divided }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return { fault: error.message, divided: 0 }
    }
  }

  /** One outcome a text. */
  async ask(texts: readonly string[], { untilMs, ...options }: AskOptions): Promise<readonly Embedding[]> {
    const timeLimitMs = untilMs === undefined ? undefined : untilMs - this.#clock.now()
    if (timeLimitMs !== undefined && timeLimitMs <= 0)
      throw new MemoryError('embedder_unavailable', 'the time for embedding was up')
    const outcomes = await this.#embedder.embed(texts, { ...options, timeLimitMs })
    invariant(outcomes.length === texts.length, `${outcomes.length} embeddings of ${texts.length} texts`)
    for (const outcome of outcomes) {
      if ('refused' in outcome) continue
      this.#width ??= outcome.vector.length
      invariant(outcome.vector.length === this.#width, 'vectors of all calls have one width')
    }
    return outcomes
  }

  /** A long text stands alone: one that fails or takes all the time costs no other its vector. */
  #batchesOf(wanted: readonly WantedText[]): readonly (readonly WantedText[])[] {
    const size = this.#embedder.isInProcess === true ? FREE_CALL_TEXTS : this.batchSize
    const short = wanted.filter(({ text }) => text.length <= this.longUnits)
    const long = wanted.filter(({ text }) => text.length > this.longUnits)
    const batches: (readonly WantedText[])[] = []
    for (let start = 0; start < short.length; start += size) batches.push(short.slice(start, start + size))
    return [...batches, ...long.map((one) => [one])]
  }
}

export function isUnavailable(error: unknown): error is MemoryError {
  return error instanceof MemoryError && error.code === 'embedder_unavailable'
}
