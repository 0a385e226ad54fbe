/** Names of imports, chosen by a caller or made by the program. */
import { MemoryError } from './memory-error.ts'

export type RequestId = string & { readonly kind: 'request' }

const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/

/** Throws `invalid_argument` unless `text` is 1 to 100 of `A-Z a-z 0-9 . _ -`. */
export function parseRequestId(text: string): RequestId {
  if (isRequestId(text)) return text
  throw new MemoryError(
    'invalid_argument',
    `${JSON.stringify(text)} is not a request id: use 1 to 100 of the characters A-Z a-z 0-9 . _ -`,
  )
}

export function isRequestId(text: string): text is RequestId {
  return REQUEST_ID.test(text)
}
