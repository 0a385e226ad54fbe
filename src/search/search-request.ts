/** What a search may ask, its defaults and its limits. */
import type { ViewName } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { FusionName } from './fusion.ts'

export const SEARCH_LIMIT_DEFAULT = 5
export const SEARCH_LIMIT_MAX = 200
export const VECTOR_WEIGHT_DEFAULT = 0.7

const CANDIDATES_PER_HIT = 5
/** With a fusion by scores; each one more costs a one-shot search some 30 µs. */
const SCORED_CANDIDATES_MIN = 50

export interface SearchRequest {
  readonly query: string
  /** Default `when_to_use`. */
  readonly view?: ViewName | undefined
  /** Most hits in the answer, 1…200. */
  readonly limit?: number | undefined
  /** Share of the vector ranking in the fusion by ranks, 0…1. */
  readonly vectorWeight?: number | undefined
  /** Hits that fit less are dropped, 0…1. */
  readonly minFit?: number | undefined
  readonly fusion?: FusionName | undefined
}

export interface CheckedRequest {
  readonly query: string
  readonly view: ViewName
  readonly limit: number
  readonly vectorWeight: number
  readonly minFit: number
  readonly fusion: FusionName
}

/** Fills in the defaults. Throws `invalid_argument` naming the first value that is out of bounds. */
export function checkedRequest(request: SearchRequest): CheckedRequest {
  const { query, view = 'when_to_use', limit = SEARCH_LIMIT_DEFAULT, fusion = 'rrf' } = request
  const { vectorWeight = VECTOR_WEIGHT_DEFAULT, minFit = 0 } = request
  if (query.trim() === '') throw new MemoryError('invalid_argument', 'the query is empty; say what you look for')
  if (!Number.isInteger(limit) || limit < 1 || limit > SEARCH_LIMIT_MAX)
    throw new MemoryError(
      'invalid_argument',
      `limit is ${limit}; it must be a whole number from 1 to ${SEARCH_LIMIT_MAX}`,
    )
  requireShare('the vector weight', vectorWeight)
  requireShare('the least fit', minFit)
  return { query, view, limit, vectorWeight, minFit, fusion }
}

/**
 * How many candidates each leg gives a search. A sum of scores wants both scores of a candidate, and what one leg is sure of
 * the other may have far down: with the five of each that a search for one result takes, it was worse than keywords alone.
 */
export function candidatesPerLeg({ limit, fusion }: Pick<CheckedRequest, 'limit' | 'fusion'>): number {
  const count = Math.min(SEARCH_LIMIT_MAX, CANDIDATES_PER_HIT * limit)
  return fusion === 'score' ? Math.max(SCORED_CANDIDATES_MIN, count) : count
}

function requireShare(name: string, value: number): void {
  if (value >= 0 && value <= 1) return
  throw new MemoryError('invalid_argument', `${name} is ${value}; it must be a number from 0 to 1`)
}
