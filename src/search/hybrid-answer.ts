/** One answer of both legs: candidates of each, fused, with how well each hit fits. Knows slots; reads no files. */
import type { ViewName } from '../model/experience.ts'
import { type FusedHit, type FusionName, fuseAsChosen, type Placing } from './fusion.ts'
import { type CheckedRequest, candidatesPerLeg } from './search-request.ts'
import type { VectorLeg } from './vector-leg.ts'
import type { KeywordView } from './view.ts'

export interface SearchHit {
  readonly path: string
  readonly version: string
  readonly score: number
  /** How well it fits by itself, 0…1. */
  readonly fit: number
  readonly vector: Placing | null
  readonly keyword: Placing | null
}

export interface SearchAnswer {
  readonly view: ViewName
  readonly mode: 'hybrid' | 'keyword'
  readonly fusion: FusionName
  readonly hits: readonly SearchHit[]
  /** Whether vectors proved to be damaged: their experiences ranked by keywords alone. */
  readonly hasLostVectors: boolean
}

export interface Legs {
  readonly keywords: KeywordView
  /** Null where the query has no vector. */
  readonly vectors: { readonly leg: VectorLeg; readonly query: Float32Array } | null
  readonly versionOf: (slot: number) => string
}

export function hybridAnswer(request: CheckedRequest, { keywords, vectors, versionOf }: Legs): SearchAnswer {
  const { query, view, limit, minFit, fusion } = request
  const candidates = candidatesPerLeg(request)
  const keyword = keywords.search(query, candidates)
  const lossesBefore = vectors?.leg.lossCount
  const nearest = vectors?.leg.nearest(view, vectors.query, candidates) ?? []
  const rankings = { vector: nearest, keyword: keyword.candidates }
  const slots = new Map([...keyword.candidates, ...nearest].map(({ path, slot }) => [path, slot]))
  const cosineOf = (slot: number) => vectors?.leg.cosineOf(view, vectors.query, slot) ?? 0
  const fused = fuseAsChosen(rankings, request, keyword.upperBound)
  const hitOf = ({ path, score, vector, keyword: placing }: FusedHit): SearchHit => {
    const slot = slots.get(path) ?? 0
    const fit = Math.max(keyword.coverageOf(slot), Math.min(1, vector?.score ?? cosineOf(slot)))
    return { path, version: versionOf(slot), score, fit, vector, keyword: placing }
  }
  const hits: SearchHit[] = []
  for (const one of fused) {
    if (hits.length === limit) break
    const hit = hitOf(one)
    if (hit.fit >= minFit) hits.push(hit)
  }
  if (fusion === 'score' && hits.length > 1) {
    const isWhole = (path: string) => keyword.coverageOf(slots.get(path) ?? 0) === 1
    const [first] = keyword.candidates
    // Next to short texts about the commonest of the terms, the sum of scores may lose the one that names them all.
    if (first !== undefined && isWhole(first.path) && !hits.some(({ path }) => isWhole(path)))
      hits.splice(-1, 1, ...fused.filter(({ path }) => path === first.path).map(hitOf))
  }
  const hasLostVectors = vectors?.leg.lossCount !== lossesBefore
  return { view, mode: vectors === null ? 'keyword' : 'hybrid', fusion, hits, hasLostVectors }
}
