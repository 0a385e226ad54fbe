/** What lies in one session lies in no other: whose a memory is, and where it is found because of that. */
import type { Database, SqlRow } from '../ports.ts'
import { placeDocument } from './documents.ts'
import { nodeRow } from './nodes.ts'
import type { Link } from './relations.ts'
import { type MemoryKind, RELATIONS, type RelationName } from './schema.ts'
import { numberAfter } from './values.ts'

/** Whether a memory is a session's own, and ends with it. @param scope of an intention */
export function liesInSession(kind: MemoryKind, scope: unknown): boolean {
  return kind === 'episodic' || kind === 'working' || (kind === 'prospective' && scope === 'session')
}

const HELD_BY: Partial<Readonly<Record<MemoryKind, RelationName>>> = {
  episodic: 'CONTAINS_EPISODIC',
  working: 'CONTAINS_WORKING',
  prospective: 'CREATES_INTENTION',
}

/** Whose own a memory is; null for what is everybody's. @param scope of an intention */
export function sessionOf(database: Database, kind: MemoryKind, memoryId: string, scope: unknown): string | null {
  const relation = liesInSession(kind, scope) ? HELD_BY[kind] : undefined
  return relation === undefined ? null : holderOf(database, relation, memoryId)
}

/** Why a session cannot hold a memory. */
export type Conflict =
  | { readonly taken: 'memory'; readonly session: string }
  | { readonly taken: 'number'; readonly number: number; readonly memoryId: string }

/**
 * Null where the link may be made: the memory lies in no other session, and no other event has its number in this one.
 * @param row as `checkedProperties` gives it
 */
export function conflictOf(database: Database, link: Link, row: SqlRow): Conflict | null {
  const session = otherOwner(database, link)
  if (session !== null) return { taken: 'memory', session }
  if (link.relation !== 'CONTAINS_EPISODIC') return null
  const number = Number(row.sequence_number)
  const memoryId = otherNumbered(database, link, number)
  return memoryId === null ? null : { taken: 'number', number, memoryId }
}

function otherOwner(database: Database, { relation, from, to }: Link): string | null {
  const owner = RELATIONS[relation].isExclusive === true ? holderOf(database, relation, to) : null
  return owner === from ? null : owner
}

function holderOf(database: Database, relation: RelationName, memoryId: string): string | null {
  const [held] = database.all(`SELECT from_id FROM "${relation}" WHERE to_id = $memoryId`, { memoryId })
  return held === undefined ? null : String(held.from_id)
}

function otherNumbered(database: Database, { from, to }: Link, number: number): string | null {
  const [other] = database.all(
    'SELECT to_id FROM "CONTAINS_EPISODIC" WHERE from_id = $from AND sequence_number = $number AND to_id <> $to',
    { from, to, number },
  )
  return other === undefined ? null : String(other.to_id)
}

export function nextSequenceNumber(database: Database, session: string): number {
  const [row] = database.all('SELECT max(sequence_number) AS last FROM "CONTAINS_EPISODIC" WHERE from_id = $session', {
    session,
  })
  return numberAfter('sequence_number', Number(row?.last ?? 0))
}

/** What came to lie in a session is found there, and nowhere else. */
export function placeOwned(database: Database, { relation, from, to }: Link): void {
  const { isExclusive, to: label } = RELATIONS[relation]
  // An intention of everybody has a session that made it.
  if (isExclusive === true && nodeRow(database, label, to)?.scope !== 'global') placeDocument(database, label, to, from)
}
