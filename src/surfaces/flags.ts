/** From an operation's input fields to a command's flags, and from what was typed back to an input. */
import * as v from 'valibot'
import type { Operation } from '../app/operation.ts'
import { MemoryError } from '../model/memory-error.ts'

export interface Flag {
  /** Of the field. */
  readonly field: string
  /** As typed, without dashes; `no-redact` switches `redact` off. */
  readonly name: string
  readonly type: 'text' | 'number' | 'switch'
  readonly negated: boolean
  readonly isList: boolean
  readonly about: string
  /** What help shows for the value, such as `llm|offline` or `N`. */
  readonly placeholder: string
  /** Of a pick list; none where any value will do. */
  readonly values: readonly string[]
}

/** What a flag needs to know of a field: the parts that valibot's schemas have in common with it. */
interface FieldSchema extends v.GenericSchema {
  /** Of an optional field. */
  readonly wrapped?: FieldSchema
  readonly default?: unknown
  /** Of a list. */
  readonly item?: FieldSchema
  /** Of a pick list. */
  readonly options?: readonly string[]
}

/** Every input field as a flag, positional ones included. */
export function flagsOf(operation: Operation): readonly Flag[] {
  const fields = operation.input().entries as Readonly<Record<string, FieldSchema>>
  return Object.entries(fields).map(([field, declared]) => flagOf(field, declared))
}

function flagOf(field: string, declared: FieldSchema): Flag {
  const kebab = field.replaceAll('_', '-')
  const schema = declared.wrapped ?? declared
  const isList = schema.type === 'array'
  const inner = schema.item ?? schema
  const isSwitch = inner.type === 'boolean'
  const negated = isSwitch && declared.default === true
  const about = v.getDescription(schema) ?? ''
  return {
    field,
    name: negated ? `no-${kebab}` : kebab,
    type: isSwitch ? 'switch' : inner.type === 'number' ? 'number' : 'text',
    negated,
    isList,
    about: negated ? `Do not ${lowerFirst(about)}` : about,
    placeholder: inner.options?.join('|') ?? (inner.type === 'string' ? 'TEXT' : 'N'),
    values: inner.options ?? [],
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Throws `invalid_argument` for what is no number. */
export function typedValue(flag: Flag, typed: string): unknown {
  if (flag.type !== 'number') return typed
  if (/^-?\d+(?:\.\d+)?$/.test(typed)) return Number(typed)
  throw new MemoryError('invalid_argument', `--${flag.name} takes a number, not ${JSON.stringify(typed)}`)
}

/** What every command takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  common('json', 'switch', 'Print one JSON document and nothing else.'),
  common('quiet', 'switch', 'Say nothing on the way.'),
  common('workspace', 'text', 'Folder of the workspace; default: KNOWHOW_WORKSPACE, else .knowhow here.', 'DIR'),
  common('config', 'text', 'Settings file, over the one in the workspace.', 'FILE'),
  common('env-file', 'text', 'Read environment variables from a file; none that is set is replaced.', 'FILE'),
]

function common(name: string, type: 'switch' | 'text', about: string, placeholder = ''): Flag {
  return { field: name.replaceAll('-', '_'), name, type, negated: false, isList: false, about, placeholder, values: [] }
}
