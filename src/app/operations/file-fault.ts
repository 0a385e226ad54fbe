/** Parts of several answers: files that are not what they should be. */
import * as v from 'valibot'

export const fileFault = () => v.strictObject({ path: v.string(), error: v.string() })

/** What can be done about a file that is in no view. */
export const LEFT_OUT_ADVICE =
  'change its text, or have it asked again by knowhow reindex, which takes it in without an embedder (EMBEDDING_BACKEND=none)'

export function leftOutSentence(path: string, error: string): string {
  return `${path} is found by no search (${error}); ${LEFT_OUT_ADVICE}`
}

/** A valid file that is in no view. */
export const leftOutFile = () => v.strictObject({ path: v.string(), version: v.string(), error: v.string() })
