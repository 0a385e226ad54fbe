/** The right to write: takes the lock, and finishes what killed runs left open. */
import { OPERATION_LOG } from '../experiences/operation-journal.ts'
import { recoverOperations } from '../experiences/recovery.ts'
import { IMPORT_LOG } from '../importer/import-log.ts'
import { PROCESSING_LOG } from '../importer/processing-log.ts'
import { Redactor } from '../importer/redaction/redactor.ts'
import type { Layout } from '../workspace/layout.ts'
import { cutTornLogs } from '../workspace/request-log.ts'
import { openForWriting, type WorkspacePorts, type WritableWorkspace } from '../workspace/workspace.ts'
import type { WriterIdentity } from '../workspace/writer-lock.ts'

export interface RecoveryOptions {
  readonly writer: WriterIdentity
  /** Takes the written file into both search views. */
  readonly index: (path: string) => void
  /** Tells the person what was found and done. */
  readonly say: (notice: string) => void
}

/** Throws `workspace_locked`. */
export function openRecovered(ports: WorkspacePorts, layout: Layout, options: RecoveryOptions): WritableWorkspace {
  const { writer, index, say } = options
  const writable = openForWriting(ports, layout, writer)
  try {
    for (const kind of [IMPORT_LOG, PROCESSING_LOG, OPERATION_LOG])
      for (const { path, tornBytes } of cutTornLogs(ports, layout, kind))
        say(`${path}: a last record that was written only in part was taken off (${tornBytes} bytes)`)
    const { operations, refused, damaged } = recoverOperations(writable, {
      index,
      hasSecret: (text) => new Redactor().contains(text),
    })
    for (const { path, outcome } of operations)
      say(
        outcome === 'finished'
          ? `finished what an interrupted run began: ${path}`
          : `gave up what an interrupted run began, as someone has changed the file since: ${path}`,
      )
    for (const { path, error } of refused)
      say(`${path}: what an interrupted run began to write was not written: ${error}`)
    for (const { path, error } of damaged) say(`${path} was passed over: ${error}`)
  } catch (error) {
    writable[Symbol.dispose]()
    throw error
  }
  return writable
}
