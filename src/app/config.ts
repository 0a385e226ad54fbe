/** Every setting, its default, and where its value comes from: environment over `--config` over the workspace's file over defaults. */
import * as v from 'valibot'
import { maskedAlone } from '../importer/redaction/redactor.ts'
import { withoutCredentials } from '../model/address.ts'
import { foldedName } from '../model/file-name.ts'
import { ruleOf } from '../model/issue-words.ts'
import { malformedJsonLine } from '../model/json-grammar.ts'
import { isRecord } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'
import { TOKEN_LIMITS } from '../model/token-limits.ts'
import { BUILTIN_TOKENIZER } from '../model/tokenizer-source.ts'
import { SEARCH_LIMIT_DEFAULT, VECTOR_WEIGHT_DEFAULT } from '../search/search-request.ts'
import { WORKSPACE_FOLDERS } from '../workspace/layout.ts'
import { type Config, settingSchema } from './config-schema.ts'
import { nearest } from './nearest.ts'

export const DEFAULT_CONFIG: Config = {
  ...WORKSPACE_FOLDERS,
  max_file_bytes: 20 * 1024 * 1024,
  tokenizer: BUILTIN_TOKENIZER,
  token_limits: TOKEN_LIMITS,
  extraction: { iterations_max: 100, summary_repairs_max: 3, identical_failures_max: 3 },
  llm: {
    base_url: null,
    model: null,
    api_key_env: 'LLM_API_KEY',
    timeout_ms: 600_000,
    segment_timeout_ms: 1_800_000,
    retries: 5,
  },
  embedding: {
    backend: 'builtin',
    base_url: null,
    model: null,
    dimensions: null,
    batch_size: 64,
    api_key_env: 'EMBEDDING_API_KEY',
  },
  memory: { activation_half_life_seconds: 3600, working_ttl_seconds: 3600 },
  search: { vector_weight: VECTOR_WEIGHT_DEFAULT, fusion: null, limit: SEARCH_LIMIT_DEFAULT },
}

/** Environment variables that stand for a setting. An empty one counts as unset. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  LLM_BASE_URL: 'llm.base_url',
  LLM_MODEL_NAME: 'llm.model',
  EMBEDDING_BACKEND: 'embedding.backend',
  EMBEDDING_BASE_URL: 'embedding.base_url',
  EMBEDDING_MODEL_NAME: 'embedding.model',
  PROCEDURE_TOKENIZER_SOURCE: 'tokenizer',
}

/** A workspace that came from someone else must not be able to send a key anywhere. */
const NOT_FROM_A_WORKSPACE: ReadonlySet<string> = new Set([
  'llm.base_url',
  'llm.api_key_env',
  'embedding.base_url',
  'embedding.api_key_env',
])

/** Shorter ones are placeholders, and would garble other values. */
const KEY_UNITS_MIN = 8

export interface EffectiveConfig {
  readonly config: Config
  /** Dotted key of every setting → where its value comes from. */
  readonly sources: () => ReadonlyMap<string, string>
  /** Dotted keys of what the workspace's own file decides. */
  readonly fromWorkspace: ReadonlySet<string>
  /** Values of the API keys that are set, for `shownSetting`. */
  readonly keys: () => readonly string[]
  /**
   * Dotted keys of model servers whose value in the environment cannot be, and why. It is left aside: the environment is
   * there for all programs and commands, and most of them ask no server.
   */
  readonly faults: ReadonlyMap<string, MemoryError>
  /** What was left aside, for the person to know. */
  readonly notices: readonly string[]
}

export interface ConfigInput {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Text of the file given by --config, and of the workspace's knowhow.json. */
  readonly given: { readonly path: string; readonly text: string } | null
  readonly workspace: { readonly path: string; readonly text: string } | null
}

/** By dotted key, those alone that somebody set. */
type Settings = Map<string, { readonly value: unknown; readonly source: string }>

/** Throws `invalid_config` with the file, the key and the nearest known one. */
export function effectiveConfig(input: ConfigInput): EffectiveConfig {
  const settings: Settings = new Map()
  const notices: string[] = []
  const fromWorkspace = new Set<string>()
  if (input.workspace !== null) {
    for (const [key, value] of fileSettings(input.workspace)) {
      if (NOT_FROM_A_WORKSPACE.has(key))
        notices.push(`${input.workspace.path}: ${key} is ignored there; set it in the environment or with --config`)
      else {
        settings.set(key, { value, source: input.workspace.path })
        fromWorkspace.add(key)
      }
    }
  }
  for (const [key, setting] of chosenSettings(input)) {
    settings.set(key, setting)
    fromWorkspace.delete(key)
  }
  const { config, faults } =
    settings.size === 0 ? { config: DEFAULT_CONFIG, faults: new Map<string, MemoryError>() } : validated(settings)
  const sources = () => new Map(defaults().map(([key]) => [key, settings.get(key)?.source ?? 'default']))
  return { config, sources, fromWorkspace, keys: () => setKeys(config, input.environment), faults, notices }
}

/** What the person who runs the program set, by --config or, over that, in the environment. */
function chosenSettings({ given, environment }: ConfigInput): Settings {
  const settings: Settings = new Map()
  if (given !== null) for (const [key, value] of fileSettings(given)) settings.set(key, { value, source: given.path })
  for (const [variable, key] of Object.entries(ENVIRONMENT)) {
    const value = environment[variable]
    if (value !== undefined && value !== '') settings.set(key, { value, source: variable })
  }
  return settings
}

/** Longest first: one key may be the beginning of another. */
function setKeys({ llm, embedding }: Config, environment: ConfigInput['environment']): readonly string[] {
  const keys = [environment[llm.api_key_env] ?? '', environment[embedding.api_key_env] ?? '']
  return keys.filter((key) => key.length >= KEY_UNITS_MIN).sort((a, b) => b.length - a.length)
}

type Leaf = readonly [key: string, value: unknown]

const defaults = (): readonly Leaf[] => leaves(DEFAULT_CONFIG)

function fileSettings(file: { path: string; text: string }): readonly Leaf[] {
  const text = file.text.replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new MemoryError('invalid_config', `${file.path} is not valid JSON${faultyLine(text)}; mend it`, { cause })
  }
  if (!isRecord(value))
    throw new MemoryError('invalid_config', `${file.path} must hold one JSON object, such as {"search": {"limit": 10}}`)
  const known = defaults().map(([key]) => key)
  const found = leaves(value).filter(([key, member]) => !isEmptyGroup(known, key, member))
  for (const [key] of found) {
    if (known.includes(key) || key === '$schema') continue
    if (known.some((name) => name.startsWith(`${key}.`))) throw groupFault(file.path, key)
    const near = nearest(key, [...known, ...groupsOf(known)])
    throw new MemoryError(
      'invalid_config',
      `${file.path}: there is no setting ${JSON.stringify(maskedAlone(key))}; ${near === null ? SEE_SCHEMA : `did you mean ${near}?`}`,
    )
  }
  return found.filter(([key]) => key !== '$schema')
}

const SEE_SCHEMA = 'knowhow schema config shows the settings there are'

function groupsOf(keys: readonly string[]): ReadonlySet<string> {
  return new Set(keys.filter((key) => key.includes('.')).map((key) => key.slice(0, key.lastIndexOf('.'))))
}

/** Such as `"search": {}`: nothing is set. */
function isEmptyGroup(known: readonly string[], key: string, value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0 && known.some((name) => name.startsWith(`${key}.`))
}

function groupFault(path: string, key: string): MemoryError {
  const group = JSON.stringify(key)
  return new MemoryError('invalid_config', `${path}: ${group} must be an object of settings; ${SEE_SCHEMA}`)
}

function valueFault(issue: v.BaseIssue<unknown>): string {
  const rule = ruleOf(issue)
  return rule === issue.message ? rule : `${rule}, not ${issue.received}`
}

/** Without the parser's own words: they quote the file, which may hold a key. */
function faultyLine(text: string): string {
  const line = malformedJsonLine(text)
  return line === null ? '' : ` from line ${line} on`
}

/**
 * A value of the settings as it may be shown: without passwords of addresses, and without keys in the wrong place.
 * @param keys as `EffectiveConfig.keys` gives them; they are masked as they are and as in a URL
 */
export function shownSetting(key: string, value: unknown, keys: readonly string[] = []): unknown {
  if (typeof value !== 'string') return value
  const shown = key.endsWith('base_url') ? withoutCredentials(value) : value
  const forms = keys.flatMap((secret) => [secret, encodeURIComponent(secret), encodeURI(secret)])
  return maskedAlone(forms.reduce((clean, form) => clean.replaceAll(form, '[key]'), shown))
}

/** Dotted keys of everything that is no object with members. */
function leaves(value: Readonly<Record<string, unknown>>, prefix = ''): readonly Leaf[] {
  return Object.entries(value).flatMap(([key, member]) =>
    isRecord(member) && Object.keys(member).length > 0
      ? leaves(member, `${prefix}${key}.`)
      : [[`${prefix}${key}`, member] satisfies Leaf],
  )
}

interface Validated {
  readonly config: Config
  readonly faults: ReadonlyMap<string, MemoryError>
}

/** Looks at what somebody set, in the order of the defaults, and at no other setting. */
function validated(settings: Settings): Validated {
  const faults = new Map<string, MemoryError>()
  for (const [key] of defaults()) {
    const setting = settings.get(key)
    const issue = setting === undefined ? null : issueOf(key, setting.value)
    if (setting === undefined || issue === null) continue
    const { source } = setting
    const words = `${key} (from ${source}): ${maskedAlone(valueFault(issue))}; ${SEE_SCHEMA}`
    const fault = new MemoryError('invalid_config', words)
    if (ENVIRONMENT[source] !== key || !/^(?:llm|embedding)\./.test(key)) throw fault
    faults.set(key, fault)
    settings.delete(key)
  }
  const config = configOf(settings)
  requireFitting(config)
  return { config, faults }
}

/** The first; null when the value may be. */
function issueOf(key: string, value: unknown): v.BaseIssue<unknown> | null {
  return v.safeParse(settingSchema(key), value).issues?.[0] ?? null
}

/** The defaults with these values, each of which obeys its schema. */
function configOf(settings: Settings): Config {
  const config: Record<string, unknown> = { ...DEFAULT_CONFIG }
  for (const [key, { value }] of settings) {
    const [group = '', name] = key.split('.')
    config[group] = name === undefined ? value : { ...(config[group] as Record<string, unknown>), [name]: value }
  }
  return config as Config
}

function requireFitting(config: Config): void {
  const { session_dir: session, procedure_dir: procedures, token_limits: limits } = config
  const [a, b] = [`${foldedName(session)}/`, `${foldedName(procedures)}/`]
  if (a.startsWith(b) || b.startsWith(a))
    throw new MemoryError('invalid_config', `session_dir (${session}) and procedure_dir (${procedures}) must lie apart`)
  if (limits.reserve >= limits.context)
    throw new MemoryError(
      'invalid_config',
      `token_limits.reserve (${limits.reserve}) leaves nothing of token_limits.context (${limits.context})`,
    )
}
