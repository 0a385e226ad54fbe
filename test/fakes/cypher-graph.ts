/** A graph in memory and the real engine that is asked about it, kept from question to question. */
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import { type CypherAsked, CypherGraph } from '../../src/graph/cypher-graph.ts'
import type { CypherValue } from '../../src/model/cypher-value.ts'
import type { CypherResult } from '../../src/ports.ts'
import { type ScratchGraph, scratchGraph } from './scratch-graph.ts'

/** Longer than any of these takes on a busy machine: one that hangs is a fault, and no test waits for it to be over. */
const LIMITS = { timeLimitMs: 120_000, limitMs: 120_000 }

export class AskedGraph implements Disposable {
  readonly graph: ScratchGraph = scratchGraph()
  /** How many were started. */
  engineCount = 0
  readonly cypher = new CypherGraph({
    openEngine: async () => {
      this.engineCount++
      return openCypherEngine()
    },
    clock: this.graph.clock,
    ids: this.graph.ids,
    halfLifeSeconds: 3600,
  })

  ask(query: string, parameters: CypherAsked['parameters'] = {}): Promise<CypherResult> {
    return this.cypher.ask(async () => this.graph, { query, parameters }, LIMITS)
  }

  /** @returns whether an engine had to be filled */
  refresh(): Promise<boolean> {
    return this.cypher.refresh(async () => this.graph, LIMITS)
  }

  /** The rows as lists of their values. */
  async rows(query: string, parameters: CypherAsked['parameters'] = {}): Promise<readonly (readonly CypherValue[])[]> {
    const { columns, rows } = await this.ask(query, parameters)
    return rows.map((row) => columns.map((column) => row[column] ?? null))
  }

  [Symbol.dispose](): void {
    this.cypher[Symbol.dispose]()
  }
}
