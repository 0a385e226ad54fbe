/** Where a model server is. */
import { DEFAULT_SERVER_ADDRESS } from '../model/address.ts'
import { MemoryError } from '../model/memory-error.ts'

/** The start of the environment variables that a person set for this server, as in `LLM_BASE_URL`. */
export type VariablePrefix = 'LLM' | 'EMBEDDING'

/** Undefined or empty: OpenAI's own. Throws `invalid_config` for what no request can go to. */
export function httpAddress(baseUrl: string | undefined, prefix: VariablePrefix): string {
  const address = baseUrl || DEFAULT_SERVER_ADDRESS
  const url = URL.parse(address)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return address
  throw new MemoryError(
    'invalid_config',
    `${prefix}_BASE_URL is no http or https address; set one such as http://host/v1`,
  )
}
