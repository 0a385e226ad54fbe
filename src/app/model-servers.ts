/**
 * The two model servers as the settings describe them: how to open one, or why it cannot be used. A fault in how one is
 * set up stops what needs that server and nothing else. Opens nothing.
 */
import { sentKey } from '../model/api-key.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { EffectiveConfig } from './config.ts'
import type { ChatModelOptions, EmbedderOptions, Machine } from './machine.ts'

/** Of one request of a whole batch: far more than a healthy server takes. */
const EMBEDDING_TIMEOUT_MS = 60_000

/** Null when none is asked for. */
export type ServerSetup<Options> = { readonly options: Options } | { readonly fault: MemoryError } | null

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

export function embedderSetup(effective: EffectiveConfig, environment: Environment): ServerSetup<EmbedderOptions> {
  const { llm, embedding } = effective.config
  const { backend, base_url, model, dimensions, batch_size, api_key_env } = embedding
  if (backend === 'none' && !effective.faults.has('embedding.backend')) return null
  const fault = faultOf(effective, 'embedding')
  if (fault !== null) return fault
  if (model === null) {
    const message = `embedding.backend ${backend} needs a model; set EMBEDDING_MODEL_NAME, or EMBEDDING_BACKEND=none`
    return { fault: new MemoryError('invalid_config', message) }
  }
  return withKey(environment, api_key_env, (apiKey) => ({
    baseUrl: base_url ?? undefined,
    apiKey,
    model,
    dimensions,
    batchSize: batch_size,
    timeoutMs: EMBEDDING_TIMEOUT_MS,
    retries: llm.retries,
  }))
}

/** What a person whose command needs no chat model should know all the same. */
export function chatNotices(setup: ServerSetup<ChatModelOptions>, effective: EffectiveConfig): readonly string[] {
  return noticesOf('llm', setup, 'no chat model is asked', effective)
}

/** What a person whose command needs no embedder should know all the same. */
export function embedderNotices(setup: ServerSetup<EmbedderOptions>, effective: EffectiveConfig): readonly string[] {
  return noticesOf('embedding', setup, 'search ranks by keywords alone', effective)
}

function noticesOf(
  group: string,
  setup: ServerSetup<unknown>,
  consequence: string,
  { faults }: EffectiveConfig,
): readonly string[] {
  const own = [...faults].filter(([key]) => key.startsWith(`${group}.`)).map(([, { message }]) => message)
  if (setup === null || !('fault' in setup)) return own
  const told = own.length === 0 ? [setup.fault.message] : own
  return told.map((message) => `${message}; until then ${consequence}`)
}

function faultOf({ faults }: EffectiveConfig, group: string): { readonly fault: MemoryError } | null {
  for (const [key, fault] of faults) if (key.startsWith(`${group}.`)) return { fault }
  return null
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
