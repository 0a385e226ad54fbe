/** Workspaces with a memory graph that nobody had, written once and used again by later runs. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtinEmbedderPath } from '../../src/adapters/builtin-embedder-path.ts'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { fileRanges } from '../../src/adapters/file-ranges.ts'
import { InProcessEmbedder } from '../../src/adapters/in-process-embedder.ts'
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import { memoryText, placeDocument } from '../../src/graph/documents.ts'
import { embeddingColumns, modelName } from '../../src/graph/embedding.ts'
import { bringToPresentSchema } from '../../src/graph/memory-graph.ts'
import { checkedRow, insertNode } from '../../src/graph/nodes.ts'
import { checkedProperties, insertRelation } from '../../src/graph/relations.ts'
import { labelOf, type MemoryKind, type RelationName } from '../../src/graph/schema.ts'
import type { Database, Embedder } from '../../src/ports.ts'
import { builtinEmbedding } from '../../src/search/builtin-embedding.ts'
import { syntheticExperience } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED, settle } from './synthetic-workspace.ts'

export interface SyntheticGraph {
  readonly root: string
  readonly memories: number
  readonly relations: number
  /** One of those that memories lie in, active. */
  readonly session: string
}

/** Memories of a session, of all types. */
const PER_SESSION = 500
const STARTED = '2026-01-01T00:00:00Z'
/** Of ten memories. */
const KINDS: readonly MemoryKind[] = [
  ...(['episodic', 'episodic', 'episodic', 'episodic'] as const),
  ...(['semantic', 'semantic', 'semantic'] as const),
  ...(['procedural', 'prospective', 'working'] as const),
]
const FOREVER_SECONDS = 1_000_000_000
const BATCH_TEXTS = 1_000

export async function builtinEmbedder(): Promise<Embedder> {
  const { key, makeReady } = await builtinEmbedding(fileRanges(builtinEmbedderPath ?? ''))
  return new InProcessEmbedder(key, systemClock, makeReady)
}

/** @param memories a multiple of PER_SESSION; about twice as many relations */
export async function syntheticGraph(data: string, memories: number): Promise<SyntheticGraph> {
  const root = join(data, `graph-${memories}`)
  const marker = `${root}.json`
  const generator = createHash('sha256')
    .update(readFileSync(import.meta.path))
    .digest('hex')
    .slice(0, 16)
  if (existsSync(marker)) {
    const known = JSON.parse(readFileSync(marker, 'utf8')) as SyntheticGraph & { readonly generator: string }
    if (known.generator === generator && existsSync(join(root, 'memory', 'memory.db'))) return known
  }
  console.error(`writing a graph of ${memories} memories to ${root} …`)
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, 'memory'), { recursive: true })
  const database = openSqliteDatabase(join(root, 'memory', 'memory.db'), 'write')
  if (database === null) throw new Error('who writes makes what is missing')
  bringToPresentSchema(database)
  await writeNodes(database, memories, await builtinEmbedder())
  const relations = writeRelations(database, memories)
  database[Symbol.dispose]()
  settle()
  const written: SyntheticGraph = { root, memories, relations, session: sessionOf(0) }
  writeFileSync(marker, `${JSON.stringify({ ...written, generator })}\n`)
  return written
}

const sessionOf = (index: number) => `session-${Math.floor(index / PER_SESSION)}`
const kindOf = (index: number): MemoryKind => KINDS[index % KINDS.length] ?? 'episodic'
const idOf = (index: number) => `${kindOf(index)}-${index}`

/** The properties that a memory of its kind has beside those that need not be given. */
function fieldsOf(index: number): Record<string, unknown> {
  const { name, description, 'when-to-use': situation } = syntheticExperience(index, EXPERIENCE_SEED)
  const share = (index % 97) / 97
  switch (kindOf(index)) {
    case 'episodic':
      return { timestamp: STARTED, content: situation, event_type: 'decision', importance_score: share }
    case 'semantic':
      return { concept: name, content: situation, confidence_score: share, last_updated: STARTED, version: 1 }
    case 'procedural':
      return {
        procedure_name: name,
        description,
        steps: [],
        preconditions: [situation],
        postconditions: [],
        usage_count: 0,
      }
    case 'prospective':
      return { intention: situation, priority: 'medium', status: 'pending', scope: 'global' }
    case 'working':
      return {
        content: situation,
        memory_type: 'context',
        priority: 0,
        created_at: STARTED,
        ttl_seconds: FOREVER_SECONDS,
      }
  }
}

async function writeNodes(database: Database, memories: number, embedder: Embedder): Promise<void> {
  const model = modelName(embedder.key)
  for (let index = 0; index < memories; index += PER_SESSION)
    insertNode(database, 'Session', sessionOf(index), checkedRow('Session', { start_time: STARTED, status: 'active' }))
  for (let start = 0; start < memories; start += BATCH_TEXTS) {
    const indexes = Array.from({ length: Math.min(BATCH_TEXTS, memories - start) }, (_, at) => start + at)
    const rows = indexes.map((index) => checkedRow(labelOf(kindOf(index)), fieldsOf(index)))
    const outcomes = await embedder.embed(rows.map((row, at) => memoryText(kindOf(start + at), row)))
    database.transact(() => {
      for (const [at, index] of indexes.entries()) {
        const outcome = outcomes[at]
        const embedded = outcome !== undefined && 'vector' in outcome ? { vector: outcome.vector, model } : null
        const kind = kindOf(index)
        insertNode(database, labelOf(kind), idOf(index), { ...rows[at], ...embeddingColumns(embedded) })
        placeDocument(database, labelOf(kind), idOf(index), isOwn(kind) ? sessionOf(index) : null)
      }
    })
  }
}

const isOwn = (kind: MemoryKind) => kind === 'episodic' || kind === 'working'

/** Most of a kind are linked with the next of another kind. @returns how many there are */
function writeRelations(database: Database, memories: number): number {
  let count = 0
  const link = (relation: RelationName, from: string, to: string, properties: Record<string, unknown>) => {
    insertRelation(database, { relation, from, to }, checkedProperties(relation, properties))
    count += 1
  }
  database.transact(() => {
    for (let index = 0; index < memories; index += 1) {
      const decade = index - (index % KINDS.length)
      const nth = (at: number) => idOf(((decade + at) % memories) | 0)
      const session = sessionOf(index)
      switch (kindOf(index)) {
        case 'episodic':
          link('CONTAINS_EPISODIC', session, idOf(index), { sequence_number: (index % PER_SESSION) + 1 })
          if (index % PER_SESSION >= 10) link('RECALLS', idOf(index), idOf(index - 10), { similarity_score: 0.5 })
          break
        case 'semantic':
          for (const at of [0, 1, 11]) link('DERIVES_FROM', idOf(index), nth(at), { confidence: 0.8 })
          break
        case 'procedural':
          for (const at of [4, 5]) link('REFERENCES', idOf(index), nth(at), {})
          link('BUILDS_ON', idOf(index), nth(17), {})
          break
        case 'prospective':
          link('CREATES_INTENTION', session, idOf(index), { timestamp: STARTED })
          break
        case 'working':
          link('CONTAINS_WORKING', session, idOf(index), { activation_level: 1 })
          for (const at of [4, 5, 6])
            link('ACTIVATES', idOf(index), nth(at), { activation_strength: 0.6, timestamp: STARTED })
      }
    }
  })
  return count
}
