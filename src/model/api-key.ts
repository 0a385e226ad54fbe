/** Keys of model servers as people paste them, and what stands for one. */
import { MemoryError } from './memory-error.ts'

/**
 * A key pasted with its line end is meant without it; undefined for none. Throws `invalid_config` for one that no header
 * can carry. @param variable of the environment, where it comes from
 */
export function sentKey(apiKey: string | undefined, variable: string): string | undefined {
  const key = apiKey?.trim() ?? ''
  if (key === '') return undefined
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new MemoryError(
    'invalid_config',
    `${variable} holds white space or characters no header can carry; set it anew`,
  )
}

/** In a model's reply, in place of the key that it repeats. A mask like those of secrets: nothing that holds it is written. */
export const MASKED_KEY = '[secret:api-key]'
