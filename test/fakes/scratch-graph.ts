/** A memory graph in memory, with a clock that stands still and ids that count. */
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import { bringToPresentSchema, type MemoryGraph } from '../../src/graph/memory-graph.ts'
import { CountingIds } from './counting-ids.ts'
import { FixedClock } from './fixed-clock.ts'

export interface ScratchGraph extends MemoryGraph {
  readonly clock: FixedClock
}

export function scratchGraph(): ScratchGraph {
  const database = openSqliteDatabase('memory.db', 'scratch')
  if (database === null) throw new Error('a scratch database can always be had')
  bringToPresentSchema(database)
  return { database, clock: new FixedClock(), ids: new CountingIds() }
}
