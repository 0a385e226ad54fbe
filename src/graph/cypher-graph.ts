/**
 * The memory graph as Cypher asks it: an engine that holds the projection of one moment, kept while it is still true and
 * made anew when the database has changed. A command asks once; whoever stays open asks the same engine again.
 */

import type { CypherValue } from '../model/cypher-value.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, CypherEngine, CypherLimits, CypherResult, Database, Ids, OpenCypherEngine } from '../ports.ts'
import { changeMark } from './change-mark.ts'
import { toldResult } from './cypher-answer.ts'
import { type GuardedQuery, guardedQuery } from './cypher-guard.ts'
import { renamingFor } from './cypher-names.ts'
import { projectGraph } from './cypher-projection.ts'

/** Rows of an answer: what a person reads, and a program takes at once. */
export const ROWS_MAX = 10_000
/** Of an answer as JSON, UTF-16 units. */
export const ANSWER_UNITS_MAX = 16 * 1024 * 1024

export interface CypherSetup {
  readonly openEngine: OpenCypherEngine
  readonly clock: Clock
  readonly ids: Ids
  readonly halfLifeSeconds: number
}

export interface CypherAsked {
  readonly query: string
  readonly parameters: Readonly<Record<string, CypherValue>>
}

/** The graph as it is now. */
type OpenGraph = () => Promise<{ readonly database: Database }>

/** An engine and what it holds. */
interface Filled {
  readonly engine: CypherEngine
  readonly database: Database
  readonly state: string
  readonly hasVectors: boolean
  readonly validUntilMs: number | null
}

export class CypherGraph implements Disposable {
  readonly #setup: CypherSetup
  #filled: Filled | null = null

  constructor(setup: CypherSetup) {
    this.#setup = setup
  }

  /**
   * Throws `cypher_refused` before anything else is done, and what `CypherEngine` throws; after that the next question is
   * asked of a new engine.
   */
  async ask(open: OpenGraph, { query, parameters }: CypherAsked, limits: CypherLimits): Promise<CypherResult> {
    const guarded = guardedQuery(query)
    const renaming = renamingFor(guarded)
    const { database } = await open()
    const { clock } = this.#setup
    const endMs = clock.now() + limits.timeLimitMs
    const rest = (): CypherLimits => ({ ...limits, timeLimitMs: endMs - clock.now() })
    const { engine } = await this.#fresh(database, guarded, rest)
    const question = { ...renaming, query: guarded.text, parameters, rowsMax: ROWS_MAX, unitsMax: ANSWER_UNITS_MAX }
    const result = await this.#keepingIfWell(() => engine.ask(question, rest()))
    return toldResult(result, { hasVectors: wantsVectors(guarded) })
  }

  /** Fills an engine beforehand, or anew if the graph has changed since. @returns whether it had to */
  async refresh(open: OpenGraph, limits: CypherLimits): Promise<boolean> {
    const before = this.#filled
    const { database } = await open()
    return (await this.#fresh(database, null, () => limits)) !== before
  }

  async #fresh(database: Database, query: GuardedQuery | null, limits: () => CypherLimits): Promise<Filled> {
    const needsVectors = query !== null && wantsVectors(query)
    const { clock, ids, openEngine, halfLifeSeconds } = this.#setup
    const [state, atMs] = [changeMark(database), clock.now()]
    const known = this.#filled
    if (known !== null && isCurrent(known, database, state, atMs) && (known.hasVectors || !needsVectors)) return known
    this[Symbol.dispose]()
    const hasVectors = needsVectors || known?.hasVectors === true
    const engine = await openEngine()
    let validUntilMs: number | null = null
    const moment = { atMs, halfLifeSeconds, hasVectors, mark: `\u0001${ids.next()}\u0001` }
    const filled = engine.fill((sheets) => {
      const projection = projectGraph(database, sheets, moment)
      validUntilMs = projection.validUntilMs
      return projection.statements
    }, limits())
    await filled.catch((error: unknown) => {
      engine[Symbol.dispose]()
      throw error
    })
    this.#filled = { engine, database, state, hasVectors, validUntilMs }
    return this.#filled
  }

  async #keepingIfWell<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      // Only a question that the engine did not take leaves it as it was.
      if (!(error instanceof MemoryError) || error.code !== 'invalid_argument') this[Symbol.dispose]()
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#filled?.engine[Symbol.dispose]()
    this.#filled = null
  }
}

function wantsVectors(query: GuardedQuery): boolean {
  return query.speaksOf('embedding') || query.hasAllProperties
}

function isCurrent(known: Filled, database: Database, state: string, atMs: number): boolean {
  if (known.database !== database || known.state !== state) return false
  return known.validUntilMs === null || atMs < known.validUntilMs
}
