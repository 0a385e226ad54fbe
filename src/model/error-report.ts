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
  return sentence.includes(path) ? sentence : `${path}: ${sentence}`
}
