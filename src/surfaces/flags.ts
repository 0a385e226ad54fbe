/** From the fields of a command's input to its flags, and from what was typed back to an input. */
import * as v from 'valibot'
import type { CommandDeclaration } from '../app/operation.ts'
import { type ValueSource, valueSourceOf } from '../app/value-source.ts'
import { MemoryError } from '../model/memory-error.ts'

export interface Flag {
  /** Of the field. */
  readonly field: string
  /** As typed, without dashes; `no-redact` switches `redact` off. */
  readonly name: string
  readonly type: 'text' | 'number' | 'switch'
  readonly negated: boolean
  readonly isList: boolean
  /** May be left out. */
  readonly isOptional: boolean
  readonly about: string
  /** What counts where it is left out; null where nothing does, and where "about" says it. */
  readonly fallback: string | null
  /** What help shows for the value, such as `llm|offline` or `N`; `FILE` and `DIR` for what lies on the disk. */
  readonly placeholder: string
  /** Of a pick list; none where any value will do. */
  readonly values: readonly string[]
  /** What other values are among; null where any will do. */
  readonly source: ValueSource | null
}

/** What a flag needs to know of a field: the parts that valibot's schemas have in common with it. */
interface FieldSchema extends v.GenericSchema {
  /** Of an optional field. */
  readonly wrapped?: FieldSchema
  readonly default?: unknown
  /** Of a list. */
  readonly item?: FieldSchema
  /** Of a pick list its values, of a union its schemas. */
  readonly options?: readonly unknown[]
}

/** Every input field as a flag, positional ones included. */
export function flagsOf(declared: CommandDeclaration): readonly Flag[] {
  const fields = declared.input().entries as Readonly<Record<string, FieldSchema>>
  return Object.entries(fields).map(([field, declared]) => flagOf(field, declared))
}

/** What a command takes beside the common flags. */
export function commandFlagsOf(declared: CommandDeclaration): readonly Flag[] {
  return [
    ...flagsOf(declared),
    ...(declared.takesObject === true ? [FROM_FLAG] : []),
    ...(declared.isRemote === true ? [REMOTE_FLAG] : []),
  ]
}

function flagOf(field: string, declared: FieldSchema): Flag {
  const kebab = field.replaceAll('_', '-')
  const schema = firstOf(declared.wrapped ?? declared)
  const isList = schema.type === 'array'
  const inner = schema.item ?? schema
  const values = inner.type === 'picklist' ? (inner.options ?? []).map(String) : []
  const isSwitch = inner.type === 'boolean'
  const negated = isSwitch && declared.default === true
  const about = v.getDescription(declared) ?? v.getDescription(declared.wrapped ?? declared) ?? ''
  return {
    field,
    name: negated ? `no-${kebab}` : kebab,
    type: isSwitch ? 'switch' : inner.type === 'number' ? 'number' : 'text',
    negated,
    isList,
    isOptional: declared.wrapped !== undefined,
    about: negated ? `Do not ${lowerFirst(about)}` : about,
    fallback: shownDefault(declared.default),
    placeholder: values.length > 0 ? values.join('|') : inner.type === 'string' ? (PATHS[field] ?? 'TEXT') : 'N',
    values,
    source: valueSourceOf(declared.wrapped ?? declared),
  }
}

/** Fields that name what lies on the disk, by the one name that such fields have. */
const PATHS: Readonly<Record<string, string>> = { file: 'FILE', files: 'FILE', dir: 'DIR' }

/** A switch that is left out says no. */
function shownDefault(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** What may be given in several forms is typed in the first of them. */
function firstOf(schema: FieldSchema): FieldSchema {
  return schema.type === 'union' ? (schema.options?.[0] as FieldSchema) : schema
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

/** What was given of `COMMON_FLAGS`. */
export interface CommonFlags {
  readonly json: boolean
  readonly quiet: boolean
  readonly workspace: string | null
  readonly config: string | null
  readonly envFile: string | null
}

/** What every command takes. */
export const COMMON_FLAGS: readonly Flag[] = [
  common('json', 'switch', 'Print one JSON document and nothing else.'),
  common('quiet', 'switch', 'Say nothing on standard error but why it failed.'),
  common('workspace', 'text', 'Folder of the workspace; default: KNOWHOW_WORKSPACE, else .knowhow here.', 'DIR'),
  common('config', 'text', 'Settings file, over the one in the workspace.', 'FILE'),
  common('env-file', 'text', 'Read environment variables from a file; none that is set is replaced.', 'FILE'),
]

function common(name: string, type: 'switch' | 'text', about: string, placeholder = ''): Flag {
  const plain = { negated: false, isList: false, isOptional: true, fallback: null, values: [], source: null }
  return { ...plain, field: name.replaceAll('-', '_'), name, type, about, placeholder }
}

/** Of commands that take their fields as one JSON object too. */
const FROM_FLAG: Flag = common('from', 'text', 'File with the fields as one JSON object; - for standard input.', 'FILE')

/** Of commands that a running service answers as well. */
const REMOTE_FLAG: Flag = common(
  'remote',
  'text',
  'Ask a running service (knowhow serve) instead; KNOWHOW_TOKEN is sent to it.',
  'URL',
)

/** What an operation says of a field, a command says of its flag. */
export function namingFlag(error: unknown, declared: CommandDeclaration): unknown {
  if (!(error instanceof MemoryError) || error.code !== 'invalid_argument') return error
  const { code, message, details } = error
  const flag = flagsOf(declared).find(({ field }) => field === details.field && message.startsWith(`${field}:`))
  if (flag === undefined || declared.positionals.includes(flag.field)) return error
  return new MemoryError(code, `--${flag.name}${message.slice(flag.field.length)}`, { ...details, cause: error })
}
