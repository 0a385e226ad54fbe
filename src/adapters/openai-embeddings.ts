/**
 * Vectors from any OpenAI-compatible server. Divides a batch that is refused until the one refused text stands alone,
 * and a text that is too long into parts; never cuts in silence, keeps no vector.
 */
import { invariant } from '../model/memory-error.ts'
import type { Embedder, EmbedderKey, Embedding, EmbedOptions } from '../ports.ts'
import { BatchLimits } from './embedding-batch.ts'
import { type AskOptions, EmbeddingServer, isOddWidth, isRefusal } from './embedding-server.ts'
import { faultSentence, type ProviderFailure, type ProviderOptions } from './provider.ts'
import { mayBeOfContent, type ProviderFault } from './provider-fault.ts'
import { TIMER_MS_MAX } from './retry-delay.ts'
import { halvesOf } from './text-halves.ts'
import { directionOf, weightedMean } from './vector-direction.ts'

const BATCH_TEXTS = 64
// At most 48 bytes and so at most 48 tokens: no model takes fewer.
const PART_UNITS_MIN = 16
/** What every model can embed: a server that refuses it refuses everything. */
const PROBE_TEXT = 'text'

export interface OpenEmbedderOptions extends ProviderOptions {
  /** Sent and demanded when given; null: whatever the model gives. */
  readonly dimensions: number | null
  /** Most texts of one request; 64 when not given, never more than 512. */
  readonly batchSize?: number
}

/** Throws `invalid_config` for an address or a key that no request can carry. */
export function openOpenAIEmbedder(options: OpenEmbedderOptions): Embedder {
  return new OpenAIEmbedder(
    new EmbeddingServer(options, options.dimensions),
    new BatchLimits(options.batchSize ?? BATCH_TEXTS),
  )
}

/** What is known of a text. `units` is its weight beside other parts of one text; `mean` of one part has unit length. */
type Piece =
  | { readonly mean: Float64Array; readonly units: number; readonly parts: number }
  | { readonly refused: string }

/**
 * One call. `isServing`: it has given a usable vector, so what it refuses is to blame on the text. `isDoubtful`: some text
 * brings about what looks like a fault of the server, and batches are only asked for to find it.
 */
interface Run extends Omit<AskOptions, 'isPlain'> {
  isServing: boolean
  isDoubtful: boolean
}

class OpenAIEmbedder implements Embedder {
  readonly key: EmbedderKey
  #server: EmbeddingServer
  #limits: BatchLimits

  constructor(server: EmbeddingServer, limits: BatchLimits) {
    this.key = server.key
    this.#server = server
    this.#limits = limits
  }

  async embed(
    texts: readonly string[],
    { signal, timeLimitMs, isUrgent, onWait }: EmbedOptions = {},
  ): Promise<readonly Embedding[]> {
    const limit = new AbortController()
    const stop = (): void => limit.abort(this.#server.tookLonger(timeLimitMs ?? 0))
    const timer = timeLimitMs === undefined ? undefined : setTimeout(stop, Math.min(timeLimitMs, TIMER_MS_MAX))
    const signals = signal === undefined ? [limit.signal] : [signal, limit.signal]
    const run: Run = { signal: AbortSignal.any(signals), isUrgent, onWait, isServing: false, isDoubtful: false }
    const wellFormed = texts.map((text) => text.toWellFormed())
    try {
      return (await this.#embedAll(wellFormed, run)).map(embeddingOf)
    } finally {
      clearTimeout(timer)
    }
  }

  /** One piece a text, in order. */
  async #embedAll(texts: readonly string[], run: Run): Promise<readonly Piece[]> {
    const asked = texts.filter(isText)
    const pieces: Piece[] = []
    while (pieces.length < asked.length) {
      const count = this.#limits.nextCount(asked, pieces.length)
      pieces.push(...(await this.#embedBatch(asked.slice(pieces.length, pieces.length + count), run)))
    }
    const rest = pieces.values()
    return texts.map((text) => (isText(text) ? rest.next().value : undefined) ?? { refused: 'it holds no text' })
  }

  async #embedBatch(texts: readonly string[], run: Run): Promise<readonly Piece[]> {
    const isQuick = run.isUrgent === true || (run.isDoubtful && texts.length > 1)
    const outcome = await this.#server.ask(texts, { ...run, isUrgent: isQuick, isPlain: false })
    if ('value' in outcome && 'vectors' in outcome.value) return this.#piecesOf(texts, outcome.value.vectors, run)
    const refusal = 'fault' in outcome ? outcome : null
    if (refusal !== null && !isRefusal(refusal.fault)) this.#requireContentToBlame(run, refusal)
    // Of two widths the plain word's is the right one.
    if (refusal !== null && isOddWidth(refusal.fault)) run.isServing = false
    await this.#requireServing(run, refusal)
    const [text, ...others] = texts
    if (text === undefined || others.length > 0) return this.#embedHalves(texts, run)
    invariant(refusal !== null, 'one text was answered with other than one vector')
    return [await this.#embedDivided(text, refusal.fault, run)]
  }

  async #embedHalves(texts: readonly string[], run: Run): Promise<readonly Piece[]> {
    const middle = Math.ceil(texts.length / 2)
    const first = await this.#embedBatch(texts.slice(0, middle), run)
    const pieces = [...first, ...(await this.#embedBatch(texts.slice(middle), run))]
    if (pieces.every((piece) => 'mean' in piece && piece.parts === 1)) this.#limits.learnTooMany(texts.length)
    return pieces
  }

  /** A text that is too long as the mean of its parts; one that is refused for another reason as that. */
  async #embedDivided(text: string, fault: ProviderFault, run: Run): Promise<Piece> {
    if (fault.kind !== 'overflow' || text.length <= PART_UNITS_MIN) return { refused: faultSentence(fault) }
    this.#limits.learnTooLong(text.length)
    const pieces = await this.#embedAll(halvesOf(text).filter(isText), run)
    const refused = pieces.find((piece) => 'refused' in piece)
    if (refused !== undefined) return refused
    const taken = pieces.filter((piece) => 'mean' in piece)
    const means = taken.map(({ mean }) => mean)
    const weights = taken.map(({ units }) => units)
    const parts = taken.reduce((sum, piece) => sum + piece.parts, 0)
    return { mean: weightedMean(means, weights), units: text.length, parts }
  }

  async #piecesOf(texts: readonly string[], vectors: readonly Float64Array[], run: Run): Promise<readonly Piece[]> {
    const units = vectors.map(directionOf)
    if (units.some((unit) => unit !== null)) run.isServing = true
    else await this.#requireServing(run, null)
    return units.map((mean, row) =>
      mean === null
        ? { refused: 'its vector has no direction (zero, NaN or infinite)' }
        : { mean, units: texts[row]?.length ?? 0, parts: 1 },
    )
  }

  /**
   * A server that fails at some texts and answers a plain word at the same moment may be failing at those for good. Whoever
   * is in a hurry does not find out: a refusal is kept, and this may pass. Afterwards the plain word is to be asked for.
   */
  #requireContentToBlame(run: Run, failure: ProviderFailure): void {
    if (run.isUrgent === true || !mayBeOfContent(failure.fault)) throw this.#server.unavailable(failure)
    run.isServing = false
    run.isDoubtful = true
  }

  /**
   * Asks for a plain word unless the server has served in this call. One that refuses that too (a wrong model, dimension
   * or account under status 400) refuses no text: the fault is its own, and no text may be blamed.
   */
  async #requireServing(run: Run, refusal: ProviderFailure | null): Promise<void> {
    if (run.isServing) return
    const isUrgent = run.isUrgent === true || run.isDoubtful
    const outcome = await this.#server.ask([PROBE_TEXT], { ...run, isUrgent, isPlain: true })
    // Whoever saw the texts asked again and again counts those tries too.
    if ('fault' in outcome)
      throw this.#server.unavailable({ ...outcome, attempts: outcome.attempts + (refusal?.attempts ?? 0) })
    const isUsable = 'vectors' in outcome.value && outcome.value.vectors.every((vector) => directionOf(vector) !== null)
    if (!isUsable) throw refusal === null ? this.#server.useless() : this.#server.unavailable(refusal)
    run.isServing = true
  }
}

function isText(text: string): boolean {
  return /\S/.test(text)
}

function embeddingOf(piece: Piece): Embedding {
  if ('refused' in piece) return piece
  const unit = directionOf(piece.mean)
  if (unit === null) return { refused: 'the vectors of its parts cancel each other out' }
  return { vector: Float32Array.from(unit), parts: piece.parts }
}
