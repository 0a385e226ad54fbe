/** From an operation's input fields to a command's flags, and from what was typed back to an input. */
import { inputJsonSchema, type Operation } from '../app/operation.ts'
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
}

interface FieldSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: FieldSchema
  readonly description?: string
  readonly default?: unknown
}

/** Every input field as a flag, positional ones included. */
export function flagsOf(operation: Operation): readonly Flag[] {
  const properties = (inputJsonSchema(operation).properties ?? {}) as Readonly<Record<string, FieldSchema>>
  return Object.entries(properties).map(([field, schema]) => flagOf(field, schema))
}

function flagOf(field: string, schema: FieldSchema): Flag {
  const kebab = field.replaceAll('_', '-')
  const isList = schema.type === 'array'
  const inner = isList ? (schema.items ?? {}) : schema
  const isSwitch = inner.type === 'boolean'
  const negated = isSwitch && schema.default === true
  return {
    field,
    name: negated ? `no-${kebab}` : kebab,
    type: isSwitch ? 'switch' : inner.type === 'number' || inner.type === 'integer' ? 'number' : 'text',
    negated,
    isList,
    about: negated ? `Do not ${lowerFirst(schema.description ?? '')}` : (schema.description ?? ''),
    placeholder: inner.enum?.join('|') ?? (inner.type === 'string' ? 'TEXT' : 'N'),
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
  return { field: name.replaceAll('-', '_'), name, type, negated: false, isList: false, about, placeholder }
}
