/** What a service wants of those who ask it, and what is sent to one. */
import type { Machine } from '../app/machine.ts'
import { MemoryError } from '../model/memory-error.ts'

/** Throws `invalid_config` for one that no request can carry. The value is told to nobody. */
export function serviceToken(environment: Machine['environment']): string | null {
  const token = environment.KNOWHOW_TOKEN ?? ''
  if (token === '') return null
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new MemoryError(
    'invalid_config',
    'KNOWHOW_TOKEN holds a space or a character that is not ASCII; choose another',
  )
}
