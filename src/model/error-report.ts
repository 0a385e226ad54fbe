/** An error as it is kept in logs and shown as JSON. */
import * as v from 'valibot'
import type { MemoryError } from './memory-error.ts'

export const errorReportSchema = () => v.strictObject({ code: v.string(), message: v.string(), resumable: v.boolean() })

export type ErrorReport = Readonly<v.InferOutput<ReturnType<typeof errorReportSchema>>>

export function reportOf(error: MemoryError): ErrorReport {
  return { code: error.code, message: error.message, resumable: error.resumable }
}

/** A sentence about a file, which names the file once. */
export function aboutFile(path: string, sentence: string): string {
  const told = sentence.includes(path) ? sentence : `${path}: ${sentence}`
  // A name may hold a line end, and make what follows look like a line of ours.
  return told.replaceAll(path, path.replaceAll('\n', '<U+000A>').replaceAll('\r', '<U+000D>'))
}
