/**
 * The chat model and the embedder as the settings describe them: how to open one, or why it cannot be used. A fault in how
 * one is set up stops what needs it and nothing else. Opens nothing.
 */
import { DEFAULT_SERVER_ADDRESS } from '../model/address.ts'
import { sentKey } from '../model/api-key.ts'
import { MemoryError } from '../model/memory-error.ts'
import { BUILTIN_MODEL } from '../model/static-model.ts'
import type { EffectiveConfig } from './config.ts'
import type { ChatModelOptions, EmbedderOptions, Machine } from './machine.ts'

/** Of one request of a whole batch: far more than a healthy server takes. */
const EMBEDDING_TIMEOUT_MS = 60_000
/** They take a fraction of a second. */
const BUILTIN_BATCH_TEXTS = 1_024

/** Null when none is asked for. */
export type ServerSetup<Options> = { readonly options: Options } | { readonly fault: MemoryError } | null

/** `unasked`: none is used although something asks for one; why, and what a person would set who wants it. */
export type EmbedderSetup = ServerSetup<EmbedderOptions> | { readonly unasked: string }

type Environment = Machine['environment']

export function chatSetup(effective: EffectiveConfig, environment: Environment): ServerSetup<ChatModelOptions> {
  const { base_url, model, api_key_env, timeout_ms, retries } = effective.config.llm
  const fault = faultOf(effective, 'llm')
  if (model === null) return effective.faults.has('llm.model') ? fault : null
  if (fault !== null) return fault
  return withKey(environment, api_key_env, (apiKey) => ({
    baseUrl: base_url ?? undefined,
    apiKey,
    model,
    timeoutMs: timeout_ms,
    retries,
  }))
}

/** Throws `llm_unavailable` when no chat model is configured, and `invalid_config`. */
export function requireChat(effective: EffectiveConfig, environment: Environment): ChatModelOptions {
  const setup = chatSetup(effective, environment)
  if (setup === null)
    throw new MemoryError(
      'llm_unavailable',
      'no chat model is configured; set LLM_MODEL_NAME (and LLM_BASE_URL, LLM_API_KEY)',
    )
  if ('fault' in setup) throw setup.fault
  return setup.options
}

export function embedderSetup(
  effective: EffectiveConfig,
  { environment, hasBuiltinEmbedder }: Pick<Machine, 'environment' | 'hasBuiltinEmbedder'>,
): EmbedderSetup {
  const { llm, embedding } = effective.config
  const { backend, base_url, model, dimensions, batch_size, api_key_env } = embedding
  if (!effective.faults.has('embedding.backend')) {
    if (backend === 'none') return null
    if (backend === 'builtin') return builtinSetup(effective, hasBuiltinEmbedder)
  }
  if (backend === 'static') return staticSetup(effective)
  if (!isEmbedderChosen(effective)) return { unasked: UNASKED }
  const fault = faultOf(effective, 'embedding')
  if (fault !== null) return fault
  if (model === null) {
    const message = `embedding.backend ${backend} needs a model; set EMBEDDING_MODEL_NAME, or EMBEDDING_BACKEND=none`
    return { fault: new MemoryError('invalid_config', message) }
  }
  return withKey(environment, api_key_env, (apiKey) => ({
    backend: 'openai',
    baseUrl: base_url ?? undefined,
    apiKey,
    model,
    dimensions,
    batchSize: batch_size,
    timeoutMs: EMBEDDING_TIMEOUT_MS,
    retries: llm.retries,
  }))
}

/** It takes no setting: a fault in one that another embedder would need is none here. */
function builtinSetup(effective: EffectiveConfig, isInside: boolean): EmbedderSetup {
  if (isInside) return { options: { backend: 'builtin', batchSize: BUILTIN_BATCH_TEXTS } }
  if (isBackendForgotten(effective)) return { unasked: FORGOTTEN }
  if (isDefault(effective)) return null
  const message =
    'embedding.backend is builtin, and this program was built without word vectors; set EMBEDDING_BACKEND=none, openai or static'
  return { fault: new MemoryError('invalid_config', message) }
}

const UNASKED = `only the workspace asks for an embedder, so your texts and key are sent nowhere; set EMBEDDING_BASE_URL to your server's address, or EMBEDDING_BACKEND=openai to send them to ${DEFAULT_SERVER_ADDRESS}`

const UNREAD =
  'only the workspace names the folder of the embedding model, so it is not read; set EMBEDDING_MODEL_NAME to its path to use it'

/**
 * Nothing is sent anywhere, so the word of the workspace is enough for the model inside the program; but it does not decide
 * which files of this machine are read.
 */
function staticSetup(effective: EffectiveConfig): EmbedderSetup {
  const { model, dimensions, batch_size: batchSize } = effective.config.embedding
  const fault = faultOf(effective, 'embedding')
  if (fault !== null) return fault
  if (model === null) {
    const message = `embedding.backend static needs a model; set EMBEDDING_MODEL_NAME to the folder of a Model2Vec model (or to ${BUILTIN_MODEL} where one was built in), or EMBEDDING_BACKEND=builtin or none`
    return { fault: new MemoryError('invalid_config', message) }
  }
  if (model !== BUILTIN_MODEL && effective.fromWorkspace.has('embedding.model')) return { unasked: UNREAD }
  return { options: { backend: 'static', model, dimensions, batchSize } }
}

/** A workspace that came from someone else does not decide that texts and a key go to the default address. */
function isEmbedderChosen({ config: { embedding }, fromWorkspace, faults }: EffectiveConfig): boolean {
  return (['base_url', 'backend', 'model'] as const).some((name) => {
    const key = `embedding.${name}`
    return faults.has(key) || (embedding[name] !== null && !fromWorkspace.has(key))
  })
}

const FORGOTTEN =
  'an embedding model or address is set but no backend; set EMBEDDING_BACKEND=openai to use it (static for a folder), or EMBEDDING_BACKEND=none'

const PASSED_OVER =
  'an embedding model or address is set but no backend, so the built-in embedder is used; set EMBEDDING_BACKEND=openai to use yours (static for a folder), or EMBEDDING_BACKEND=builtin to keep it without this notice'

function isBackendForgotten(effective: EffectiveConfig): boolean {
  const { config, fromWorkspace } = effective
  const isGiven = (['base_url', 'model'] as const).some(
    (name) => config.embedding[name] !== null && !fromWorkspace.has(`embedding.${name}`),
  )
  return isGiven && isDefault(effective)
}

function isDefault({ sources }: EffectiveConfig): boolean {
  return sources().get('embedding.backend') === 'default'
}

/** Why import extracts offline unless told otherwise; null when it asks a model. */
export function whyNoModel({ config: { llm }, fromWorkspace, faults }: EffectiveConfig): string | null {
  if (faults.has('llm.model')) return null
  if (llm.model === null) return 'no chat model is chosen (LLM_MODEL_NAME)'
  const hasAddress = llm.base_url !== null || faults.has('llm.base_url')
  if (!fromWorkspace.has('llm.model') || hasAddress) return null
  return `only the workspace chooses a chat model, so your logs and key are sent nowhere (set LLM_BASE_URL to your server's address, or LLM_MODEL_NAME to send them to ${DEFAULT_SERVER_ADDRESS})`
}

/** What a person whose command needs no chat model should know all the same. */
export function chatNotices(setup: ServerSetup<ChatModelOptions>, effective: EffectiveConfig): readonly string[] {
  return noticesOf('llm', setup, 'no chat model is asked', effective)
}

/** What a person whose command needs no embedder should know all the same. */
export function embedderNotices(setup: EmbedderSetup, effective: EffectiveConfig): readonly string[] {
  const isBuiltin = setup !== null && 'options' in setup && setup.options.backend === 'builtin'
  const forgotten = isBuiltin && isBackendForgotten(effective) ? [PASSED_OVER] : []
  return [...noticesOf('embedding', setup, 'search ranks by keywords alone', effective), ...forgotten]
}

function noticesOf(
  group: string,
  setup: ServerSetup<unknown> | EmbedderSetup,
  consequence: string,
  effective: EffectiveConfig,
): readonly string[] {
  const own = faultsOf(effective, group).map(({ message }) => message)
  const fault = setup === null ? null : whyUnusable(setup)
  if (fault === null) return own
  const told = own.length === 0 ? [fault] : own
  return told.map((message) => `${message}; until then ${consequence}`)
}

/** Why a server that is asked for is not asked; null when it is. */
export function whyUnusable(setup: NonNullable<ServerSetup<unknown> | EmbedderSetup>): string | null {
  if ('unasked' in setup) return setup.unasked
  return 'fault' in setup ? setup.fault.message : null
}

function faultOf(effective: EffectiveConfig, group: string): { readonly fault: MemoryError } | null {
  const [fault] = faultsOf(effective, group)
  return fault === undefined ? null : { fault }
}

/** An address counts unless an embedder was chosen that has none. */
function faultsOf(effective: EffectiveConfig, group: string): readonly MemoryError[] {
  const { backend } = effective.config.embedding
  const isInProcess = backend === 'static' || (backend === 'builtin' && !isDefault(effective))
  const isServed = group !== 'embedding' || !isInProcess
  return [...effective.faults]
    .filter(([key]) => key.startsWith(`${group}.`) && (isServed || !key.endsWith('.base_url')))
    .map(([, fault]) => fault)
}

function withKey<Options>(
  environment: Environment,
  variable: string,
  optionsWith: (apiKey: string | undefined) => Options,
): ServerSetup<Options> {
  try {
    return { options: optionsWith(sentKey(environment[variable], variable)) }
  } catch (error) {
    if (error instanceof MemoryError) return { fault: error }
    throw error
  }
}
