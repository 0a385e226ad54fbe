/** The vectors of a retrieval set, in memory alone: embeds its texts and finds the nearest documents. Writes no file. */
import { invariant } from '../model/memory-error.ts'
import type { Embedder, Kernel } from '../ports.ts'
import type { Candidate } from './best-candidates.ts'
import { nearestRows, type QuantizedRows } from './nearest-rows.ts'
import { quantizeRow } from './quantized-vector.ts'
import { RowMatrix } from './row-matrix.ts'
import type { EmbeddingProgress } from './supply-progress.ts'

/** Progress is told about so often in all. */
const PROGRESS_STEPS = 20

export interface EmbeddingRun {
  readonly embedder: Embedder
  /** Texts in one request, above 0. */
  readonly batchSize: number
  /** Awaited before each batch; throws to stop. */
  readonly pause: () => Promise<void>
  readonly progress: (step: EmbeddingProgress) => void
  /** As of `EmbedOptions`. */
  readonly onWait: (sentence: string) => void
  readonly signal: AbortSignal
}

export interface EmbeddedTexts {
  /** By text; one that the embedder refuses has none. */
  readonly vectors: ReadonlyMap<string, Float32Array>
  /** Those of which the embedder knows too few words for a query. */
  readonly vague: ReadonlySet<string>
  /** How many were over the model's limit: their vector is the mean of their parts'. */
  readonly dividedCount: number
}

/** Each text once, however often it is given. Throws `embedder_unavailable`, `interrupted` and what `pause` throws. */
export async function embedTexts(texts: Iterable<string>, run: EmbeddingRun): Promise<EmbeddedTexts> {
  const distinct = [...new Set(texts)]
  const vectors = new Map<string, Float32Array>()
  const vague = new Set<string>()
  let dividedCount = 0
  for (let start = 0; start < distinct.length; start += run.batchSize) {
    await run.pause()
    const batch = distinct.slice(start, start + run.batchSize)
    const outcomes = await run.embedder.embed(batch, { signal: run.signal, onWait: run.onWait })
    invariant(outcomes.length === batch.length, `${outcomes.length} embeddings of ${batch.length} texts`)
    for (const [at, text] of batch.entries()) {
      const outcome = outcomes[at]
      if (outcome === undefined || 'refused' in outcome) continue
      vectors.set(text, outcome.vector)
      if (outcome.isVague === true) vague.add(text)
      if (outcome.parts > 1) dividedCount += 1
    }
    const end = start + batch.length
    const stepAt = (textsDone: number) => Math.floor((PROGRESS_STEPS * textsDone) / distinct.length)
    if (stepAt(end) > stepAt(start)) run.progress({ textsDone: end, textsOwed: distinct.length })
  }
  return { vectors, vague, dividedCount }
}

export class DocumentVectors implements Disposable {
  readonly #ids: readonly string[]
  readonly #vectors: readonly Float32Array[]
  /** Null when there is no vector at all. */
  readonly #rows: QuantizedRows | null

  /** @param vectors by id of the document, all of one width */
  constructor(vectors: ReadonlyMap<string, Float32Array>, kernel: Kernel) {
    this.#ids = [...vectors.keys()]
    this.#vectors = [...vectors.values()]
    this.#rows = quantized(this.#vectors, kernel)
  }

  /** The `limit` documents of the highest cosine, best first, ties by id. @param query of length 1 */
  nearest(query: Float32Array, limit: number): readonly Candidate[] {
    if (this.#rows === null) return []
    const idOf = (row: number) => this.#ids[row] ?? ''
    const found = nearestRows(query, this.#rows, {
      limit,
      readRow: (row) => this.#vectors[row] ?? new Float32Array(),
      compareTied: (a, b) => (idOf(a) < idOf(b) ? -1 : 1),
    })
    return found.map(({ row, score }) => ({ path: idOf(row), score }))
  }

  [Symbol.dispose](): void {
    this.#rows?.matrix[Symbol.dispose]()
  }
}

function quantized(vectors: readonly Float32Array[], kernel: Kernel) {
  const [first] = vectors
  if (first === undefined) return null
  const matrix = new RowMatrix(kernel, vectors.length, first.length)
  const scales = new Float32Array(vectors.length)
  const residuals = new Float32Array(vectors.length)
  const levels = new Int8Array(first.length)
  for (const [row, vector] of vectors.entries()) {
    const { scale, residual } = quantizeRow(vector, levels)
    matrix.set(row, levels)
    scales[row] = scale
    residuals[row] = residual
  }
  return { matrix, scales, residuals }
}
