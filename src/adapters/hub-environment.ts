/** What the environment says of the Hugging Face hub, read as the Python library `huggingface_hub` reads it. */
import { userInfo } from 'node:os'
import nodePath from 'node:path'
import process from 'node:process'
import { readWhole } from './open-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface HubToken {
  readonly value: string
  /** The variable or the file that holds it. */
  readonly origin: string
}

export interface HubEndpoint {
  /** Without a slash at its end. */
  readonly address: string
  readonly origin: string
}

const DEFAULT_ENDPOINT = 'https://huggingface.co'
const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 'ON', 'YES', 'TRUE'])
const TOKEN_VARIABLES = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN'] as const
/** Older libraries know the second one alone. */
const OFFLINE_VARIABLES = ['HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE'] as const
const SHOWN_UNITS_MAX = 200
const TOKEN_FILE_BYTES_MAX = 64 * 1024

/** The folder that holds `models--org--name`; null where nobody's home is known. */
export function hubCacheFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string | null {
  const set = settingOf(environment, 'HF_HUB_CACHE') ?? settingOf(environment, 'HUGGINGFACE_HUB_CACHE')
  if (set !== undefined) return expanded(set, environment, platform)
  return below(hubHome(environment, platform), 'hub', platform)
}

/** The variable that forbids every request; null when none does. */
export function offlineVariable(environment: Environment): string | null {
  // The first one that is set decides, so that `HF_HUB_OFFLINE=0` goes online whatever the other says.
  const name = OFFLINE_VARIABLES.find((variable) => settingOf(environment, variable) !== undefined)
  return name !== undefined && isTrue(environment, name) ? name : null
}

export function wantsNoLinks(environment: Environment): boolean {
  return isTrue(environment, 'HF_HUB_DISABLE_SYMLINKS')
}

/** Null when HF_ENDPOINT is no http or https address, or holds a user or a password. */
export function hubEndpoint(environment: Environment): HubEndpoint | null {
  const url = URL.parse(settingOf(environment, 'HF_ENDPOINT') ?? DEFAULT_ENDPOINT)
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}` !== '') return null
  return { address: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, origin: url.origin }
}

/** What HF_ENDPOINT holds, for a message: without user, password and query, and not at any length. */
export function shownEndpoint(environment: Environment): string {
  const plain = (environment.HF_ENDPOINT ?? '').replace(/^([a-z][\w+.-]*:\/\/)?.*@/is, '$1[credentials]@')
  return JSON.stringify(plain.replace(/[?#].*$/s, '').slice(0, SHOWN_UNITS_MAX))
}

/** Whether the person wants no token sent with requests that may do without. */
export function keepsTokenBack(environment: Environment): boolean {
  return isTrue(environment, 'HF_HUB_DISABLE_IMPLICIT_TOKEN')
}

/** The one of the environment, else that of the file that `hf auth login` writes; null for none. */
export function hubToken(environment: Environment): HubToken | null {
  for (const variable of TOKEN_VARIABLES) {
    const value = cleaned(environment[variable] ?? '')
    if (value !== '') return { value, origin: variable }
  }
  const path = tokenFile(environment)
  if (path === null) return null
  const value = cleaned(textOf(path))
  return value === '' ? null : { value, origin: path }
}

function tokenFile(environment: Environment): string | null {
  const set = settingOf(environment, 'HF_TOKEN_PATH')
  const { platform } = process
  if (set !== undefined) return expanded(set, environment, platform)
  return below(hubHome(environment, platform), 'token', platform)
}

/** Empty for a file that is missing or cannot be read: most repositories ask for no token. */
function textOf(path: string): string {
  try {
    return new TextDecoder().decode(readWhole(path, true, TOKEN_FILE_BYTES_MAX))
  } catch {
    // A server that wants one says so, and its refusal names HF_TOKEN.
    return ''
  }
}

function cleaned(text: string): string {
  return text.replace(/[\r\n]/g, '').trim()
}

function hubHome(environment: Environment, platform: NodeJS.Platform): string | null {
  const set = settingOf(environment, 'HF_HOME')
  if (set !== undefined) return expanded(set, environment, platform)
  const caches = settingOf(environment, 'XDG_CACHE_HOME')
  if (caches !== undefined) return below(expanded(caches, environment, platform), 'huggingface', platform)
  return below(personHome(environment, platform), join('.cache', 'huggingface', platform), platform)
}

/** Null where the environment does not tell and the system has no such user, as in some containers. */
function personHome(environment: Environment, platform: NodeJS.Platform): string | null {
  const set = settingOf(environment, platform === 'win32' ? 'USERPROFILE' : 'HOME')
  if (set !== undefined) return set
  try {
    return userInfo().homedir
  } catch {
    // Without a home there is no cache and no token, which is no fault.
    return null
  }
}

/** With `~` and variables replaced; one that is not set stays as it is written. */
function expanded(path: string, environment: Environment, platform: NodeJS.Platform): string {
  const atHome = path.replace(/^~(?=$|[/\\])/, (sign) => personHome(environment, platform) ?? sign)
  const named = atHome.replace(/\$(?:(\w+)|\{([^}]+)\})/g, (whole, plain: string, braced: string) => {
    return environment[plain ?? braced] ?? whole
  })
  if (platform !== 'win32') return named
  return named.replace(/%([^%]+)%/g, (whole, name: string) => environment[name] ?? whole)
}

function below(folder: string | null, name: string, platform: NodeJS.Platform): string | null {
  return folder === null ? null : join(folder, name, platform)
}

function join(folder: string, name: string, platform: NodeJS.Platform): string {
  return (platform === 'win32' ? nodePath.win32 : nodePath.posix).join(folder, name)
}

/** Set to nothing is not set. */
function settingOf(environment: Environment, name: string): string | undefined {
  return environment[name] || undefined
}

function isTrue(environment: Environment, name: string): boolean {
  return TRUE_WORDS.has((environment[name] ?? '').toUpperCase())
}
