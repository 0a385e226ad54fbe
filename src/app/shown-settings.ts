/** The settings in force as a person may see them: with the addresses that are asked by default, and without keys. */
import { DEFAULT_SERVER_ADDRESS } from '../model/address.ts'
import { type EffectiveConfig, shownSetting } from './config.ts'
import type { Config } from './config-schema.ts'
import type { Machine } from './machine.ts'

export interface ShownSetting {
  readonly value: unknown
  readonly source: string
}

/** By dotted key. */
export function shownSettings({ config, sources, keys }: EffectiveConfig): Record<string, ShownSetting> {
  return Object.fromEntries([...sources()].map(([key, source]) => [key, shownAt(key, source, config, keys())]))
}

function shownAt(key: string, source: string, config: Config, keys: readonly string[]): ShownSetting {
  const value = valueAt(config, key)
  if (value === null && key.endsWith('.base_url')) return { value: DEFAULT_SERVER_ADDRESS, source: 'default' }
  return { value: shownSetting(key, value, keys), source }
}

function valueAt(config: Config, key: string): unknown {
  const [group, name] = key.split('.')
  const member = (config as unknown as Readonly<Record<string, unknown>>)[group ?? '']
  return name === undefined ? member : (member as Readonly<Record<string, unknown>>)[name]
}

/** Of the service, and of who asks one. */
const TOKEN_VARIABLE = 'KNOWHOW_TOKEN'

/** Whether the variables that hold a key or a token are set. */
export function keyStates(
  { llm, embedding }: Config,
  environment: Machine['environment'],
): Record<string, 'set' | 'unset'> {
  const stateOf = (name: string) => ((environment[name] ?? '') === '' ? 'unset' : 'set')
  return Object.fromEntries(
    [llm.api_key_env, embedding.api_key_env, TOKEN_VARIABLE].map((name) => [name, stateOf(name)] as const),
  )
}
