/**
 * One ranked answer over all types of memory: what the query finds by words and meaning, what is linked with that, each
 * weighed by what it says of itself. Writes nothing, and shows a session nothing of another's own.
 */
import type { Database, SqlRow } from '../ports.ts'
import { type FusionChoice, fusedMax } from '../search/fusion.ts'
import type { NumberedDocuments, NumberedHit } from '../search/numbered-documents.ts'
import { type Linked, linkedMemories, type MemoryRef, memoryKey, type RecallStep } from './expansion.ts'
import type { FoundDocument, MemoryDocuments } from './memory-documents.ts'
import { answeredNode, type NodeAnswer } from './nodes.ts'
import { scoreOf, weighed } from './recall-score.ts'
import { labelOf, MEMORY_KINDS, type MemoryKind } from './schema.ts'
import { activationAt } from './working-memory.ts'

export interface RecallRequest {
  readonly query: string
  /** All when not given. */
  readonly kinds?: readonly MemoryKind[] | undefined
  /** Null: what is everybody's alone. */
  readonly session: string | null
  readonly limit: number
}

export interface RecallSetup {
  readonly database: Database
  readonly documents: MemoryDocuments
  readonly search: NumberedDocuments
  /** Of the query; null to rank by keywords alone. */
  readonly vector: Float32Array | null
  readonly choice: FusionChoice
  /** Epoch milliseconds. */
  readonly atMs: number
  readonly halfLifeSeconds: number
}

export interface RecallHit {
  readonly kind: MemoryKind
  readonly score: number
  readonly reasons: readonly string[]
  /** How it is linked with what the query found; empty for what it found itself. */
  readonly via: readonly RecallStep[]
  readonly memory: NodeAnswer
}

/** Candidates of a search. */
const CANDIDATES_PER_HIT = 5
const CANDIDATES_MIN = 50
/** A session's own that fits so well, also beside what fits best, is shown before all else; what fits less takes nobody's place. */
const OWN_FIT_MIN = 0.35
const OWN_FIT_SHARE = 0.75
/**
 * Cosine from which on a text is near in meaning. The nearest of all may have nothing to do with the query; of what answers
 * the questions of the retrieval sets, and is among the ten nearest, 98 in 100 are above it.
 */
const MEANING_MIN = 0.25

/** What is known of a memory before it is weighed. */
interface Candidate extends MemoryRef {
  readonly isOwn: boolean
  readonly hit: NumberedHit | null
  readonly linked: Linked | null
}

/** The best, the session's own of them first; ties by kind and id. */
export function recall(setup: RecallSetup, request: RecallRequest): readonly RecallHit[] {
  const { database } = setup
  return database.snapshot(() => {
    const weighedHits = candidatesFor(setup, request).flatMap((candidate) => weighedHit(setup, candidate) ?? [])
    const fitOf = ({ candidate }: Weighing) => candidate.hit?.fit ?? 0
    const bestFit = weighedHits.reduce((best, one) => Math.max(best, fitOf(one)), 0)
    const isFirst = (one: Weighing) =>
      one.candidate.isOwn && fitOf(one) >= Math.max(OWN_FIT_MIN, OWN_FIT_SHARE * bestFit)
    return weighedHits
      .sort(byScoreBehind(isFirst))
      .slice(0, request.limit)
      .sort(byScoreBehind(({ candidate }) => candidate.isOwn))
      .map(({ hit }) => hit)
  })
}

/** What `isFirst`, then the best; ties by kind and id. */
function byScoreBehind(isFirst: (one: Weighing) => boolean): (a: Weighing, b: Weighing) => number {
  return (a, b) =>
    Number(isFirst(b)) - Number(isFirst(a)) ||
    b.hit.score - a.hit.score ||
    (memoryKey(a.candidate) < memoryKey(b.candidate) ? -1 : 1)
}

function candidatesFor(setup: RecallSetup, request: RecallRequest): readonly Candidate[] {
  const { database, atMs } = setup
  const { session, kinds = MEMORY_KINDS } = request
  const matches = matchesOf(setup, request, kinds)
  // What the query finds of other types leads to what is asked for.
  const seeds = kinds.length === MEMORY_KINDS.length ? matches : matchesOf(setup, request, MEMORY_KINDS)
  const linked = linkedMemories(
    database,
    [...seeds.values()].map(({ document, hit }) => ({
      ...document,
      relevance: matchOf(setup.choice, hit),
      isOwn: document.session !== null,
    })),
    { session, atMs },
  )
  const candidates = new Map<string, Candidate>()
  for (const [key, { document, hit }] of matches)
    candidates.set(key, { ...document, isOwn: document.session !== null, hit, linked: null })
  for (const one of linked) {
    if (!kinds.includes(one.kind)) continue
    const before = candidates.get(memoryKey(one))
    const { kind, memoryId, isOwn } = one
    candidates.set(memoryKey(one), { kind, memoryId, isOwn, hit: before?.hit ?? null, linked: one })
  }
  return [...candidates.values()]
}

interface Match {
  readonly document: FoundDocument
  readonly hit: NumberedHit
}

/** By key of the memory, the best first. */
function matchesOf(
  { search, documents, vector, choice, atMs }: RecallSetup,
  { query, session, limit }: RecallRequest,
  kinds: readonly MemoryKind[],
): ReadonlyMap<string, Match> {
  const shown = documents.living(session, kinds, atMs)
  // Others may have remembered something while the query was embedded: what they replaced is shown no more.
  if (!search.knows(shown)) search.refresh()
  const hits = search.search({
    query,
    vector,
    shown,
    limit: Math.max(CANDIDATES_MIN, CANDIDATES_PER_HIT * limit),
    fusion: choice.fusion,
    vectorWeight: choice.vectorWeight,
  })
  const fitting = hits.filter((hit) => hit.keyword !== null || isNear(hit))
  const found = documents.documentsOf(fitting.map(({ number }) => number))
  return new Map(
    fitting.flatMap((hit) => {
      const document = found.get(hit.number)
      return document === undefined ? [] : [[memoryKey(document), { document, hit }] as const]
    }),
  )
}

function isNear({ vector }: NumberedHit): boolean {
  return vector !== null && vector.score >= MEANING_MIN
}

/** 0…1: the fused score by the most that there can be. Ranks alone say nothing of how far one is behind another; fit does. */
function matchOf({ fusion }: FusionChoice, { score, fit }: NumberedHit): number {
  const share = Math.min(1, score / fusedMax(fusion))
  return fusion === 'rrf' ? share * fit : share
}

interface Weighing {
  readonly candidate: Candidate
  readonly hit: RecallHit
}

/** Null for what is gone. */
function weighedHit(setup: RecallSetup, candidate: Candidate): Weighing | null {
  const { database, atMs, choice } = setup
  const { kind, hit, linked, isOwn } = candidate
  const row = presentRow(database, candidate)
  if (row === null) return null
  const memory = answeredNode(labelOf(kind), row)
  const { quality, reasons } = weighed(kind, memory, atMs, activationOf(setup, kind, row))
  const score = scoreOf(hit === null ? 0 : matchOf(choice, hit), linked?.strength ?? 0, quality)
  const told = [
    ...(hit === null ? [] : matchReasons(hit)),
    ...(linked === null ? [] : [linkReason(linked)]),
    ...(isOwn ? ['of this session'] : []),
    ...reasons,
  ]
  return { candidate, hit: { kind, score, reasons: told, via: linked?.via ?? [], memory } }
}

/** Of working memory with what its session says of it. */
function presentRow(database: Database, { kind, memoryId }: MemoryRef): SqlRow | null {
  const contained = kind === 'working' ? 'JOIN "CONTAINS_WORKING" ON to_id = memory_id' : ''
  const [row] = database.all(`SELECT * FROM "${labelOf(kind)}" ${contained} WHERE memory_id = $memoryId`, { memoryId })
  return row ?? null
}

function activationOf({ atMs, halfLifeSeconds }: RecallSetup, kind: MemoryKind, row: SqlRow): number {
  if (kind !== 'working') return 0
  return activationAt(Number(row.activation_level), Date.parse(String(row.created_at)), atMs, halfLifeSeconds)
}

function matchReasons(hit: NumberedHit): readonly string[] {
  const { keyword, vector } = hit
  return [
    ...(keyword === null ? [] : [`words match (rank ${keyword.rank})`]),
    ...(vector !== null && isNear(hit)
      ? [`meaning is near (rank ${vector.rank}, cosine ${vector.score.toFixed(2)})`]
      : []),
  ]
}

function linkReason({ via }: Linked): string {
  const relations = [...new Set(via.map(({ relation }) => relation))].join(', ')
  return `linked by ${relations}${via.length === 1 ? '' : ` over ${via.length} steps`}`
}
