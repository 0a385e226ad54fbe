/** Made-up vectors, and engines behind one face that find the nearest of them: all in this process, on the same numbers. */
import { create, insertMultiple, search } from '@orama/orama'
import type { Kernel } from '../../src/ports.ts'
import { nearestRows } from '../../src/search/nearest-rows.ts'
import { randomNumbers, randomUnitVector, vectorNear } from '../../test/fakes/random-vectors.ts'
import { type VectorRows, vectorRows } from '../../test/fakes/vector-rows.ts'
import { installedPeer } from './installed-peer.ts'

const QUERY_COUNT = 16
const CLUSTER_ROWS = 50
const ORAMA_BATCH = 1000
const USEARCH_VERSION = '2.26.2'

export interface VectorCorpus {
  readonly count: number
  readonly width: number
  /** Row-major, in a buffer of its own: usearch takes no part of one. */
  readonly vectors: Float32Array<ArrayBuffer>
  readonly queries: readonly Float32Array<ArrayBuffer>[]
}

export type Spread = 'random' | 'clusters' | 'near-duplicates'

/** Distance of a row from the centre of its 50; null for rows that have none. */
export const SPREADS: Readonly<Record<Spread, number | null>> = { random: null, clusters: 0.7, 'near-duplicates': 0.02 }

export function corpusOf(spread: Spread, count: number, width: number): VectorCorpus {
  const random = randomNumbers(count + width)
  const vectors = new Float32Array(count * width)
  const distance = SPREADS[spread]
  let centre = randomUnitVector(width, random)
  for (let row = 0; row < count; row += 1) {
    if (row % CLUSTER_ROWS === 0) centre = randomUnitVector(width, random)
    vectors.set(distance === null ? randomUnitVector(width, random) : vectorNear(centre, distance, random), row * width)
  }
  const queries = Array.from({ length: QUERY_COUNT }, () => {
    const row = Math.floor(random() * count)
    return vectorNear(vectors.subarray(row * width, (row + 1) * width), 0.8, random)
  })
  return { count, width, vectors, queries }
}

const rowOf = ({ vectors, width }: VectorCorpus, row: number) => vectors.subarray(row * width, (row + 1) * width)

export const quantized = (corpus: VectorCorpus, kernel: Kernel): VectorRows =>
  vectorRows(
    kernel,
    Array.from({ length: corpus.count }, (_, row) => rowOf(corpus, row)),
  )

/** Rows, best first. */
export type NearestSearch = (
  query: Float32Array<ArrayBuffer>,
  limit: number,
) => readonly number[] | Promise<readonly number[]>

export interface VectorEngine {
  readonly name: string
  readonly search: NearestSearch
}

export function ownSearch(name: string, corpus: VectorCorpus, kernel: Kernel): VectorEngine {
  const { rows, readRow } = quantized(corpus, kernel)
  return { name, search: (query, limit) => nearestRows(query, rows, { limit, readRow }).map(({ row }) => row) }
}

/** What one would write without thinking of bits: f32 products in f64, every score kept, then sorted. */
export function plainSearch({ count, width, vectors }: VectorCorpus, query: Float32Array, limit: number): number[] {
  const scores = new Float64Array(count)
  for (let row = 0; row < count; row += 1) {
    const start = row * width
    let sum = 0
    for (let column = 0; column < width; column += 1) sum += (vectors[start + column] ?? 0) * (query[column] ?? 0)
    scores[row] = sum
  }
  const threshold = scores.toSorted()[count - limit] ?? Number.NEGATIVE_INFINITY
  const found: number[] = []
  for (let row = 0; row < count; row += 1) if ((scores[row] ?? 0) >= threshold) found.push(row)
  return found.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, limit)
}

export async function stockOrama(corpus: VectorCorpus): Promise<VectorEngine> {
  const database = create({ schema: { embedding: `vector[${corpus.width}]` } as const })
  for (let start = 0; start < corpus.count; start += ORAMA_BATCH) {
    const length = Math.min(ORAMA_BATCH, corpus.count - start)
    const batch = Array.from({ length }, (_, index) => ({
      id: String(start + index),
      embedding: [...rowOf(corpus, start + index)],
    }))
    await insertMultiple(database, batch, ORAMA_BATCH)
  }
  return {
    name: 'Orama 3.1.18',
    search: async (query, limit) => {
      const vector = { value: [...query], property: 'embedding' }
      const { hits } = await search(database, { mode: 'vector', vector, similarity: -1, limit })
      return hits.map(({ id }) => Number(id))
    },
  }
}

interface UsearchModule {
  readonly MetricKind: { readonly IP: string }
  readonly exactSearch: (
    rows: Float32Array,
    query: Float32Array,
    width: number,
    limit: number,
    metric: string,
    threads: number,
  ) => { readonly keys: BigUint64Array }
}

/** @returns null when it cannot be installed here */
export async function usearch(data: string, { vectors, width }: VectorCorpus): Promise<VectorEngine | null> {
  const peer = await installedPeer<UsearchModule>(data, 'usearch', USEARCH_VERSION)
  if (peer === null) return null
  const { exactSearch, MetricKind } = peer.module
  return {
    name: `usearch ${peer.version}`,
    search: (query, limit) =>
      Array.from(exactSearch(vectors, query, width, limit, MetricKind.IP, 1).keys, (key) => Number(key)),
  }
}
