/** Where a model server is and what opens it: what can be sent, and what may be shown. */
import { MemoryError } from '../model/memory-error.ts'

/** The start of the environment variables that a person set for this server, as in `LLM_BASE_URL`. */
export type VariablePrefix = 'LLM' | 'EMBEDDING'

const DEFAULT_BASE_URL = 'https://api.openai.com/v1'

/** Undefined or empty: OpenAI's own. Throws `invalid_config` for what no request can go to. */
export function httpAddress(baseUrl: string | undefined, prefix: VariablePrefix): string {
  const address = baseUrl || DEFAULT_BASE_URL
  const url = URL.parse(address)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return address
  throw new MemoryError(
    'invalid_config',
    `${prefix}_BASE_URL is no http or https address; set one such as http://host/v1`,
  )
}

/** A key pasted with its line end is meant without it. Throws `invalid_config` for one that no header can carry. */
export function sentKey(apiKey: string | undefined, prefix: VariablePrefix): string | undefined {
  const key = apiKey?.trim() ?? ''
  if (key === '') return undefined
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new MemoryError(
    'invalid_config',
    `${prefix}_API_KEY holds white space or characters no header can carry; set it anew`,
  )
}
