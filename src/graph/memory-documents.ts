/** The memories as the search room wants documents: their numbers, texts and vectors, and who may see which. */
import { isoTime } from '../model/iso-time.ts'
import { invariant } from '../model/memory-error.ts'
import type { Database, SqlRow } from '../ports.ts'
import type { DocumentSource } from '../search/numbered-documents.ts'
import { changeMark } from './change-mark.ts'
import { memoryText } from './documents.ts'
import { embeddingIn } from './embedding.ts'
import type { MemoryRef } from './expansion.ts'
import { labelOf, MEMORY_KINDS, type MemoryKind } from './schema.ts'
import { IS_DEAD } from './working-memory.ts'

/** A document that was found. */
export interface FoundDocument extends MemoryRef {
  /** Whose own it is; null when it is everybody's. */
  readonly session: string | null
}

/** Which documents there were. */
interface DocumentState {
  readonly count: number
  /** The highest number. */
  readonly last: number
}

interface KnownSet extends DocumentState {
  /** Ascending. */
  readonly numbers: Int32Array
}

/** Sets of numbers that are remembered, the latest asked for. */
const SETS_MAX = 8
const NONE = new Int32Array()

export class MemoryDocuments implements DocumentSource {
  readonly #database: Database
  #state: (DocumentState & { readonly moment: string }) | null = null
  /** By whom and what it is for. */
  readonly #sets = new Map<string, KnownSet>()
  /** By what was visible. */
  readonly #living = new WeakMap<Int32Array, { readonly dead: string; readonly numbers: Int32Array }>()

  constructor(database: Database) {
    this.#database = database
  }

  /** The same object as long as they are the same. */
  readonly numbers = (): Int32Array => this.#set('', 'TRUE', {})

  /** Of what a session may see, or what everybody may: numbers ascending. @param session null for nobody's own */
  visible(session: string | null, kinds: readonly MemoryKind[]): Int32Array {
    if (kinds.length === 0) return NONE
    const labels = kinds.map(labelOf).sort()
    return this.#set(
      JSON.stringify([session, labels]),
      '(session_id IS NULL OR session_id = $session) AND label IN (SELECT value FROM json_each($labels))',
      { session, labels: JSON.stringify(labels) },
    )
  }

  /** As `visible`, without working memory that is dead; the same object as long as the same is dead. @param atMs epoch milliseconds */
  living(session: string | null, kinds: readonly MemoryKind[], atMs: number): Int32Array {
    const numbers = this.visible(session, kinds)
    if (session === null || !kinds.includes('working')) return numbers
    const rows = this.#database.all(
      `SELECT document FROM memory_document JOIN "WorkingMemory" USING (memory_id)
       WHERE label = 'WorkingMemory' AND session_id = $session AND ${IS_DEAD} ORDER BY document`,
      { session, at: isoTime(atMs) },
    )
    if (rows.length === 0) return numbers
    const dead = new Set(rows.map(({ document }) => Number(document)))
    const name = [...dead].join(' ')
    const known = this.#living.get(numbers)
    if (known?.dead === name) return known.numbers
    const living = numbers.filter((number) => !dead.has(number))
    this.#living.set(numbers, { dead: name, numbers: living })
    return living
  }

  #set(name: string, condition: string, parameters: Readonly<Record<string, string | null>>): Int32Array {
    const now = this.#present()
    const before = this.#sets.get(name)
    const found = before === undefined ? null : this.#brought(before, now, condition, parameters)
    const numbers = found ?? this.#read(condition, parameters, 0)
    this.#sets.delete(name)
    this.#sets.set(name, { numbers, count: now.count, last: now.last })
    const [oldest] = this.#sets.keys()
    if (this.#sets.size > SETS_MAX && oldest !== undefined) this.#sets.delete(oldest)
    return numbers
  }

  /** Numbers only ascend, so the last one and how many there are tell what has changed. They are counted where anything has. */
  #present(): DocumentState {
    const moment = changeMark(this.#database)
    if (this.#state?.moment === moment) return this.#state
    // Each by itself: together they take a look at every row.
    const [now] = this.#database.all(
      'SELECT (SELECT count(*) FROM memory_document) AS count, (SELECT max(document) FROM memory_document) AS last',
    )
    this.#state = { moment, count: Number(now?.count ?? 0), last: Number(now?.last ?? 0) }
    return this.#state
  }

  /** In step with the documents there are now; null where some are no more. */
  #brought(
    { numbers, count, last }: KnownSet,
    now: DocumentState,
    condition: string,
    parameters: Readonly<Record<string, string | null>>,
  ): Int32Array | null {
    if (now.count === count && now.last === last) return numbers
    if (now.last < last) return null
    const [added] = this.#database.all('SELECT count(*) AS count FROM memory_document WHERE document > $last', { last })
    if (count + Number(added?.count) !== now.count) return null
    const more = this.#read(condition, parameters, last)
    if (more.length === 0) return numbers
    const both = new Int32Array(numbers.length + more.length)
    both.set(numbers)
    both.set(more, numbers.length)
    return both
  }

  /** @param after which they come */
  #read(condition: string, parameters: Readonly<Record<string, string | null>>, after: number): Int32Array {
    const rows = this.#database.all(
      `SELECT document FROM memory_document WHERE document > $after AND ${condition} ORDER BY document`,
      { ...parameters, after },
    )
    return Int32Array.from(rows, ({ document }) => Number(document))
  }

  readonly textsOf = (numbers: readonly number[]): readonly string[] =>
    this.#ofRows(numbers, 'node.*', memoryText).map((text) => text ?? '')

  /** Stored vectors of one model. @param model see `modelName` */
  keptVectors(model: string): (numbers: readonly number[]) => readonly (Float32Array | null)[] {
    const columns = 'embedding, embedding_model, embedding_dimension'
    return (numbers) => this.#ofRows(numbers, columns, (_, row) => embeddingIn(row, model))
  }

  #ofRows<T>(numbers: readonly number[], columns: string, made: (kind: MemoryKind, row: SqlRow) => T): (T | null)[] {
    if (numbers.length === 0) return []
    const found = new Map<number, T>()
    for (const kind of MEMORY_KINDS) {
      const label = labelOf(kind)
      // By number, which SQLite would not choose by itself: among all memories of a label it looks for these.
      const rows = this.#database.all(
        `SELECT document, ${columns} FROM json_each($numbers) CROSS JOIN memory_document ON document = value
         CROSS JOIN "${label}" AS node ON node.memory_id = memory_document.memory_id WHERE label = $label`,
        { label, numbers: JSON.stringify(numbers) },
      )
      for (const row of rows) found.set(Number(row.document), made(kind, row))
    }
    return numbers.map((number) => found.get(number) ?? null)
  }

  /** By number, without those that are no more. */
  documentsOf(numbers: readonly number[]): ReadonlyMap<number, FoundDocument> {
    const rows = this.#database.all(
      'SELECT * FROM memory_document WHERE document IN (SELECT value FROM json_each($numbers))',
      { numbers: JSON.stringify(numbers) },
    )
    return new Map(
      rows.map((row) => [
        Number(row.document),
        {
          kind: kindOf(row),
          memoryId: String(row.memory_id),
          session: row.session_id === null ? null : String(row.session_id),
        },
      ]),
    )
  }
}

function kindOf({ label }: SqlRow): MemoryKind {
  const kind = MEMORY_KINDS.find((one) => labelOf(one) === label)
  invariant(kind !== undefined, 'a document is of a label of memory')
  return kind
}
