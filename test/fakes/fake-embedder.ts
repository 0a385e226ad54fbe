/** An embedder without a model: texts that share words lie near each other. Plays outages and refusals, remembers its calls. */
import { MemoryError } from '../../src/model/memory-error.ts'
import type { Embedder, EmbedderKey, Embedding, EmbedOptions } from '../../src/ports.ts'

export interface FakeEmbedderOptions {
  readonly key?: Partial<EmbedderKey>
  /** Of the vectors; 64 when not given. Few make unlike words share a number. */
  readonly width?: number
}

export interface EmbedCall extends Pick<EmbedOptions, 'timeLimitMs' | 'isUrgent'> {
  readonly texts: readonly string[]
}

export class FakeEmbedder implements Embedder {
  readonly key: EmbedderKey
  /** Calls that were not interrupted, failed ones included, in order. */
  readonly calls: EmbedCall[] = []
  /** Why a call with these texts fails as a whole; null: it does not. A test sets and clears it. */
  outage: (texts: readonly string[]) => string | null = () => null
  /** Why a text is refused by itself; null: it is not. */
  refusal: (text: string) => string | null = () => null
  /** In how many parts a text is taken. */
  parts: (text: string) => number = () => 1
  #width: number

  constructor({ key = {}, width = 64 }: FakeEmbedderOptions = {}) {
    this.key = { backend: 'fake', model: 'words', dimensions: null, ...key }
    this.#width = key.dimensions ?? width
  }

  /** Of all calls, in order. */
  get texts(): readonly string[] {
    return this.calls.flatMap(({ texts }) => texts)
  }

  async embed(
    texts: readonly string[],
    { signal, timeLimitMs, isUrgent }: EmbedOptions = {},
  ): Promise<readonly Embedding[]> {
    if (signal?.aborted === true) throw new MemoryError('interrupted', 'interrupted; run it again to go on')
    this.calls.push({ texts: [...texts], timeLimitMs, isUrgent })
    const outage = this.outage(texts)
    if (outage !== null) throw new MemoryError('embedder_unavailable', outage)
    return texts.map((text) => {
      const refused = text.trim() === '' ? 'it holds no text' : this.refusal(text)
      if (refused !== null) return { refused }
      return { vector: wordVector(text, this.#width), parts: this.parts(text) }
    })
  }
}

/** Unit length; each word, whatever its case, adds one at the place its hash names. The same on every machine. */
export function wordVector(text: string, width = 64): Float32Array {
  const words = text
    .toWellFormed()
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [text.toWellFormed()]
  const counts = new Float64Array(width)
  for (const word of words) {
    const place = hash(word) % width
    counts[place] = (counts[place] ?? 0) + 1
  }
  const length = Math.sqrt(counts.reduce((sum, count) => sum + count * count, 0))
  return Float32Array.from(counts, (count) => count / length)
}

/** FNV-1a over UTF-16 units. */
function hash(word: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < word.length; index += 1)
    value = Math.imul(value ^ word.charCodeAt(index), 0x01000193) >>> 0
  return value
}
