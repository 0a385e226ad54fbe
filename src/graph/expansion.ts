/**
 * From memories that a query found to those that are linked with them: along typed relations, so many steps far and so
 * many wide. Sees what is shown to the asker and nothing else.
 */
import { isoTime } from '../model/iso-time.ts'
import type { Database } from '../ports.ts'
import { labelOf, type MemoryKind, NODES, RELATIONS, type RelationName } from './schema.ts'
import { IS_DEAD } from './working-memory.ts'

export interface MemoryRef {
  readonly kind: MemoryKind
  readonly memoryId: string
}

/** One relation on the way to a memory, as it stands in the graph: `from` and `to` are its ends. */
export interface RecallStep {
  readonly relation: RelationName
  readonly from: string
  readonly to: string
}

export interface Linked extends MemoryRef {
  /** 0…1: how much of the seed's relevance comes along. */
  readonly strength: number
  /** From the seed on. */
  readonly via: readonly RecallStep[]
  /** Whether it is the asking session's own. */
  readonly isOwn: boolean
}

/** Who asks, and when. */
export interface Asker {
  /** Null: nobody's session. */
  readonly session: string | null
  /** Epoch milliseconds. */
  readonly atMs: number
}

export interface Seed extends MemoryRef {
  /** 0…1 */
  readonly relevance: number
  readonly isOwn: boolean
}

/** Steps from a seed. */
const DEPTH_MAX = 2
/** Neighbours of a memory along one relation in one direction. */
const WIDTH_MAX = 5
const SEEDS_MAX = 10
/** What is left of relevance after a step along the strongest of links. */
const STEP_SHARE = 0.5
/** Of a link that does not say how strong it is. */
const STRENGTH_UNSAID = 0.7

/** Relations between memories, and the property that says how strong a link is. */
const STRENGTHS: Partial<Readonly<Record<RelationName, string | null>>> = {
  ACTIVATES: 'activation_strength',
  DERIVES_FROM: 'confidence',
  RECALLS: 'similarity_score',
  REFERENCES: null,
  BUILDS_ON: null,
  TRIGGERS: null,
}

interface Direction {
  readonly relation: RelationName
  readonly near: 'from_id' | 'to_id'
  readonly far: 'from_id' | 'to_id'
  readonly nearKind: MemoryKind | null
  readonly farKind: MemoryKind | null
  readonly strength: string | null
}

const DIRECTIONS: readonly Direction[] = Object.entries(STRENGTHS).flatMap(([name, strength]) => {
  const relation = name as RelationName
  const [fromKind, toKind] = [NODES[RELATIONS[relation].from].kind, NODES[RELATIONS[relation].to].kind]
  return [
    { relation, near: 'from_id', far: 'to_id', nearKind: fromKind, farKind: toKind, strength },
    { relation, near: 'to_id', far: 'from_id', nearKind: toKind, farKind: fromKind, strength },
  ] as const
})

/**
 * What is linked with the seeds, each memory by its strongest way, the strongest first; ties by kind and id. Seeds that
 * are linked with each other are among it. What the asker may not see is not walked through, and takes nobody's place.
 */
export function linkedMemories(database: Database, seeds: readonly Seed[], asker: Asker): readonly Linked[] {
  const best = new Map<string, Linked>()
  const strengthIn = (ways: ReadonlyMap<string, Linked>, memory: MemoryRef) =>
    ways.get(memoryKey(memory))?.strength ?? 0
  for (const seed of seeds.slice(0, SEEDS_MAX)) {
    const strongest = new Map<string, Linked>()
    let frontier: readonly Linked[] = [{ ...seed, strength: seed.relevance, via: [] }]
    for (let depth = 1; depth <= DEPTH_MAX; depth += 1) {
      frontier = frontier
        .flatMap((memory) => neighboursOf(database, memory, asker))
        .filter((memory) => {
          const isStronger = memory.strength > strengthIn(strongest, memory) && memoryKey(memory) !== memoryKey(seed)
          if (isStronger) strongest.set(memoryKey(memory), memory)
          return isStronger
        })
    }
    for (const memory of strongest.values())
      if (memory.strength > strengthIn(best, memory)) best.set(memoryKey(memory), memory)
  }
  return [...best.values()].sort((a, b) => b.strength - a.strength || (memoryKey(a) < memoryKey(b) ? -1 : 1))
}

/** Equal for one memory alone. */
export function memoryKey({ kind, memoryId }: MemoryRef): string {
  return `${kind}\u0000${memoryId}`
}

/** Of what is over or gone there is no document; what is in mind may be dead. The plus keeps SQLite from going by session. */
const IS_SHOWN = '(+session_id IS NULL OR +session_id = $session)'
const IS_ALIVE = `NOT EXISTS (
  SELECT 1 FROM "WorkingMemory" AS mind WHERE mind.memory_id = memory_document.memory_id AND ${IS_DEAD})`

function neighboursOf(
  database: Database,
  { kind, memoryId, strength, via }: Linked,
  { session, atMs }: Asker,
): readonly Linked[] {
  return DIRECTIONS.filter(({ nearKind }) => nearKind === kind).flatMap((direction) => {
    const { relation, near, far, farKind } = direction
    if (farKind === null) return []
    const said = direction.strength === null ? 'NULL' : `"${direction.strength}"`
    const rows = database.all(
      `SELECT from_id, to_id, session_id, ${said} AS said
       FROM "${relation}" CROSS JOIN memory_document ON label = $label AND memory_id = ${far}
       WHERE ${near} = $memoryId AND ${IS_SHOWN}${farKind === 'working' ? ` AND ${IS_ALIVE}` : ''}
       ORDER BY coalesce(said, ${STRENGTH_UNSAID}) DESC, ${far} LIMIT ${WIDTH_MAX}`,
      { memoryId, label: labelOf(farKind), session, ...(farKind === 'working' ? { at: isoTime(atMs) } : {}) },
    )
    return rows.flatMap(({ from_id, to_id, session_id, said: found }): Linked[] => {
      const share = Math.max(0, found === null ? STRENGTH_UNSAID : Number(found)) * STEP_SHARE
      if (share === 0) return []
      const [from, to] = [String(from_id), String(to_id)]
      const other = far === 'to_id' ? to : from
      const step = { relation, from, to }
      const isOwn = session_id !== null
      return [{ kind: farKind, memoryId: other, strength: strength * share, via: [...via, step], isOwn }]
    })
  })
}
