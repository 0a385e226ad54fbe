/** Parts of several answers: files that are not what they should be. */
import * as v from 'valibot'

export const fileFault = () => v.strictObject({ path: v.string(), error: v.string() })

/** A valid file that is in no view. */
export const leftOutFile = () => v.strictObject({ path: v.string(), version: v.string(), error: v.string() })
