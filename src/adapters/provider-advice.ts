/** What a person does next about a server that does not answer as it should. */
import type { VariablePrefix } from './provider-address.ts'
import type { ProviderFault } from './provider-fault.ts'

/** Of a 429 that no waiting mends. */
const USED_UP = /insufficient[_ ]quota|\bbilling\b|\bcredits?\b/i

/**
 * @param prefix of the variables to look at
 * @returns null where nothing better is known than what the caller says
 */
export function faultAdvice(
  { kind, status, text }: ProviderFault,
  prefix: VariablePrefix,
  hasKey: boolean,
): string | null {
  if (status === 429)
    return USED_UP.test(text)
      ? `check the plan and billing of ${prefix}_API_KEY`
      : 'it is asked too often: wait a while'
  if (kind === 'passing')
    return status === 200
      ? `check ${prefix}_BASE_URL and ${prefix}_MODEL_NAME: it answers, but not with what was asked for`
      : 'check that the server runs and can be reached'
  if (status === 401 && !hasKey) return `it wants a key: set ${prefix}_API_KEY`
  if (status === 401 || status === 403) return `check ${prefix}_API_KEY and what it may use`
  if (status === 404) return `check ${prefix}_MODEL_NAME and ${prefix}_BASE_URL`
  if (status !== null && status < 400) return `it redirects: set ${prefix}_BASE_URL to the final address`
  return null
}
