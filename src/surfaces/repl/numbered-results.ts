/** The results of the last search or recall, which a number stands for in what is typed next. */
import type { Operation } from '../../app/operation.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { flagsOf } from '../flags.ts'
import type { Paint } from '../paint.ts'

interface FoundMemory {
  readonly kind: string
  readonly memory: Readonly<Record<string, unknown>>
}

interface Result {
  /** Path of an experience, or id of a memory, which is the same of a procedure. */
  readonly id: string
  /** Null for what search found. */
  readonly memory: FoundMemory | null
}

interface Answers {
  readonly results?: readonly { readonly path: string }[]
  readonly hits?: readonly FoundMemory[]
}

const NUMBER = /^\d+$/
/** Sources of fields that a result can be given for. */
const NUMBERED: ReadonlySet<string | null> = new Set(['path', 'experience', 'memory'])
const EXPERIENCE_FILE = /\/[^/]+\.json$/

export class NumberedResults {
  #results: readonly Result[] = []

  get count(): number {
    return this.#results.length
  }

  /** Keeps what is numbered where the answer is shown. */
  take(operationName: string, answer: unknown): void {
    const { results = [], hits = [] } = answer as Answers
    if (operationName === 'procedure_search') this.#results = results.map(({ path }) => ({ id: path, memory: null }))
    if (operationName === 'memory_recall')
      this.#results = hits.map(({ kind, memory }) => ({ id: String(memory.memory_id), memory: { kind, memory } }))
  }

  /** The input with ids for numbers. Throws `invalid_argument` for a number that no result has. */
  named(operation: Operation, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const named: Record<string, unknown> = { ...input }
    for (const { field, source } of flagsOf(operation)) {
      const value = named[field]
      if (NUMBERED.has(source) && typeof value === 'string' && NUMBER.test(value)) named[field] = this.#at(value).id
    }
    return named
  }

  /** What recall found and no file holds, whole, as there is no other way to read it; null for anything else. */
  memoryAt(operation: Operation, { path }: Readonly<Record<string, unknown>>): FoundMemory | null {
    if (operation.name !== 'procedure_read' || typeof path !== 'string' || !NUMBER.test(path)) return null
    const { id, memory } = this.#at(path)
    return memory === null || EXPERIENCE_FILE.test(id) ? null : memory
  }

  #at(number: string): Result {
    const result = this.#results[Number(number) - 1]
    if (result !== undefined) return result
    const last = this.count === 0 ? 'nothing was found yet' : `the last answer has ${this.count}`
    throw new MemoryError('invalid_argument', `there is no result ${number}: ${last}`)
  }
}

/** All that is known of a memory, a property a line. */
export function wholeMemoryText({ kind, memory }: FoundMemory, paint: Paint): string {
  const { memory_id: id, ...properties } = memory
  const known = Object.entries(properties).filter(([, value]) => value !== null)
  const lines = known.map(([name, value]) => `${paint.strong(name.replaceAll('_', ' '))}  ${paint.plain(shown(value))}`)
  return `${[`${kind}  ${paint.strong(String(id))}`, ...lines].join('\n')}\n`
}

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join('; ') : String(value)
}
