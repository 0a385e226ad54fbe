/** What each setting may be, and what it is for. Knows nothing of where values come from. */
import * as v from 'valibot'
import { findSecrets } from '../importer/redaction/redactor.ts'
import { DEFAULT_SERVER_ADDRESS, withoutCredentials } from '../model/address.ts'
import { fileNameFault, foldedName } from '../model/file-name.ts'
import { invariant } from '../model/memory-error.ts'
import { TOKENIZER_SOURCES } from '../model/tokenizer-source.ts'
import { FUSION_MEANING, FUSION_NAMES } from '../search/fusion.ts'
import { SEARCH_LIMIT_MAX } from '../search/search-request.ts'

const count = (about: string) => v.pipe(v.number(), v.integer(), v.minValue(1), v.description(about))
const text = (about: string) => v.pipe(v.string(), v.regex(/\S/, 'must not be empty'), v.description(about))
const folder = (about: string) =>
  v.pipe(
    v.string(),
    v.check(
      (path) => folderFault(path) === null,
      ({ input }) => `must be a relative path such as a/b: ${folderFault(input)}`,
    ),
    v.description(about),
  )
const SERVER_ADDRESS = `Address of an OpenAI-compatible server; default: ${DEFAULT_SERVER_ADDRESS}.`
const BACKENDS =
  'builtin: the English word vectors inside the program; none: keywords alone; openai: any compatible server, which is not asked at the word of the workspace alone; static: a Model2Vec model, computed in the process.'
const HTTP_ADDRESS = 'must be an http or https address, such as http://host/v1'
const address = (about: string) =>
  v.pipe(v.string(), v.url(HTTP_ADDRESS), v.regex(/^https?:/i, HTTP_ADDRESS), v.description(about))

const variableName = (about: string) =>
  v.pipe(
    v.string(),
    v.check(
      (name) => VARIABLE_NAME.test(name) && findSecrets(name).length === 0,
      'must be the name of an environment variable, such as LLM_API_KEY, and not the key itself',
    ),
    v.description(about),
  )

const tokenizerSource = (about: string) =>
  v.pipe(
    v.string(),
    v.regex(/\S/, 'must not be empty'),
    v.check(
      (source) => !ADDRESS.test(source),
      ({ input }) => `${withoutCredentials(input)} is an address; give ${TOKENIZER_SOURCES}`,
    ),
    v.description(about),
  )

/** A scheme of one letter would be a drive of Windows. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]+:\/\/|https?:)/i
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** What the workspace keeps under names of its own. */
const OWN_NAMES = ['metadata', 'memory', 'knowhow.json']
/** Such as `METADA~1`: NTFS and FAT reach another folder by it. */
const SHORT_NAME = /^[^.]{1,6}~\d/

function folderFault(path: string): string | null {
  if (path.startsWith('/')) return 'it is absolute'
  const parts = path.split('/')
  if (parts.includes('..')) return 'it has a part ".."'
  if (OWN_NAMES.includes(foldedName(parts[0] ?? '')))
    return `the workspace keeps something of its own under ${JSON.stringify(parts[0])}`
  for (const part of parts) {
    const fault = fileNameFault(part) ?? shortNameFault(part)
    if (fault !== null) return `of its part ${JSON.stringify(part)} ${fault}`
  }
  return null
}

function shortNameFault(part: string): string | null {
  return SHORT_NAME.test(part) ? 'Windows could take it for the short name of another folder' : null
}

/** By group and name. Each is made when it is asked for: settings that nobody changed need no check. */
const SETTINGS = {
  session_dir: () => folder('Folder of the sessions, in the workspace.'),
  trajectory_subdir: () => folder('Folder of the originals, in session_dir.'),
  procedure_dir: () => folder('Folder of the experiences, in the workspace.'),
  max_file_bytes: () => count('Largest file that import takes, in bytes.'),
  tokenizer: () => tokenizerSource(`What tokens are counted by: ${TOKENIZER_SOURCES}.`),
  token_limits: {
    segment: () => count('Most tokens of one segment.'),
    summary: () => count('Target of the rolling summary.'),
    description: () => count('Target of description.'),
    when_to_use: () => count('Target of when-to-use.'),
    content: () => count('Target of content.'),
    read: () => count('Most tokens of trajectory text in one answer.'),
    context: () => count('Tokens that the model takes in all.'),
    reserve: () => count('Tokens of the context that are kept free for the answer.'),
  },
  extraction: {
    iterations_max: () => count('Most replies of the model for one segment.'),
    summary_repairs_max: () => count('Most requests to mend a closing message.'),
    identical_failures_max: () => count('Most identical failing tool calls in a row.'),
  },
  llm: {
    base_url: () => v.nullable(address(SERVER_ADDRESS)),
    model: () =>
      v.nullable(
        text(
          'Name of the chat model. Named in the workspace alone, without an address elsewhere, it is asked with --extractor llm only.',
        ),
      ),
    api_key_env: () => variableName('Name of the environment variable that holds the key.'),
    timeout_ms: () => count('Time-out of one request, in milliseconds.'),
    segment_timeout_ms: () =>
      count('Time-out of the whole talk about one segment, all its requests together, in milliseconds.'),
    retries: () =>
      v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Retries of a request that failed in passing.')),
  },
  embedding: {
    backend: () => v.pipe(v.picklist(['builtin', 'none', 'openai', 'static']), v.description(BACKENDS)),
    base_url: () => v.nullable(address(SERVER_ADDRESS)),
    model: () =>
      v.nullable(
        text(
          'Name of the embedding model; with static the path of its folder, which is not read at the word of the workspace alone, or builtin.',
        ),
      ),
    dimensions: () => v.nullable(count('Numbers in each vector, where the model can be asked for fewer.')),
    batch_size: () => count('Texts in one request.'),
    api_key_env: () => variableName('Name of the environment variable that holds the key.'),
  },
  memory: {
    activation_half_life_seconds: () => count('Seconds in which the activation of a working memory halves.'),
    working_ttl_seconds: () => count('Seconds after which a working memory is gone unless it says otherwise.'),
  },
  search: {
    vector_weight: () =>
      v.pipe(
        v.number(),
        v.minValue(0),
        v.maxValue(1),
        v.description('Weight of the vector ranking in the fusion rrf, 0 to 1; score has no weight.'),
      ),
    fusion: () =>
      v.pipe(
        v.nullable(v.picklist(FUSION_NAMES)),
        v.description(
          `How two rankings become one; null: score with the built-in embedder, rrf with another. ${FUSION_MEANING}.`,
        ),
      ),
    limit: () =>
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(SEARCH_LIMIT_MAX),
        v.description('Results of a search.'),
      ),
  },
}

type SettingSchema = v.GenericSchema
type Values<Schemas> = {
  [Key in keyof Schemas]: Schemas[Key] extends () => infer Schema
    ? Schema extends SettingSchema
      ? v.InferOutput<Schema>
      : never
    : Values<Schemas[Key]>
}

export type Config = Values<typeof SETTINGS>

interface SettingTree {
  readonly [name: string]: (() => SettingSchema) | SettingTree
}

/** Of all settings. */
export const configSchema = () =>
  v.pipe(
    objectOf(SETTINGS),
    v.title('Configuration'),
    v.description('knowhow.json in a workspace, or a file given by --config. Every key is optional.'),
  )

function objectOf(tree: SettingTree): SettingSchema {
  const entries = Object.entries(tree).map(([name, part]) => [
    name,
    typeof part === 'function' ? part() : objectOf(part),
  ])
  return v.strictObject(Object.fromEntries(entries))
}

/** Of one setting. @param key dotted; there must be one */
export function settingSchema(key: string): SettingSchema {
  let part: SettingTree | (() => SettingSchema) | undefined = SETTINGS
  for (const name of key.split('.')) part = typeof part === 'function' ? undefined : part?.[name]
  invariant(typeof part === 'function', `there is no setting ${key}`)
  return part()
}
