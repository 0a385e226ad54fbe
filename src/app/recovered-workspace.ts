/** The right to write: takes the lock, and finishes what killed runs left open. */

import type { WrittenViews } from '../experiences/intent-completion.ts'
import { OPERATION_LOG } from '../experiences/operation-journal.ts'
import { type RecoveredOperation, recoverOperations } from '../experiences/recovery.ts'
import { IMPORT_LOG } from '../importer/import-log.ts'
import { PROCESSING_LOG } from '../importer/processing-log.ts'
import { Redactor } from '../importer/redaction/redactor.ts'
import { aboutFile } from '../model/error-report.ts'
import { unreachable } from '../model/memory-error.ts'
import { DerivedFolder } from '../search/derived-folder.ts'
import type { Layout } from '../workspace/layout.ts'
import { cutTornLogs } from '../workspace/request-log.ts'
import { openForWriting, type WorkspacePorts, type WritableWorkspace } from '../workspace/workspace.ts'
import type { WriterIdentity } from '../workspace/writer-lock.ts'
import { leftOutSentence } from './operations/file-fault.ts'

export interface RecoveryOptions {
  readonly views: WrittenViews
  /** Tells the person what was found and done. */
  readonly say: (notice: string) => void
  /** False where an embedder was just asked for all that it refused before. */
  readonly asksAgain?: boolean
}

/** Throws `workspace_locked`, `interrupted`. */
export async function openRecovered(
  ports: WorkspacePorts,
  layout: Layout,
  options: RecoveryOptions & { readonly writer: WriterIdentity },
): Promise<WritableWorkspace> {
  const writable = openForWriting(ports, layout, options.writer)
  try {
    // Takes its lock, and with it what killed runs left there.
    new DerivedFolder(ports, layout).lock()?.[Symbol.dispose]()
    for (const kind of [IMPORT_LOG, PROCESSING_LOG, OPERATION_LOG])
      for (const { path, tornBytes } of cutTornLogs(ports, layout, kind))
        options.say(`${path}: a last record that was written only in part was taken off (${tornBytes} bytes)`)
    await recover(writable, options)
  } catch (error) {
    writable[Symbol.dispose]()
    throw error
  }
  return writable
}

/** Ends what killed runs left open, and tries once more what no view took. Throws `interrupted`. */
export async function recover(
  workspace: WritableWorkspace,
  { views, say, asksAgain = true }: RecoveryOptions,
): Promise<void> {
  const { operations, refused, damaged } = await recoverOperations(workspace, {
    views,
    hasSecret: (text) => new Redactor().contains(text),
    asksAgain,
  })
  for (const operation of operations) say(sentenceOf(operation))
  for (const { path, error, wasPublished } of refused) {
    const what = wasPublished ? 'searches were not asked for what it wrote' : 'what it began to write was not written'
    say(`${path}, of an interrupted run: ${what}: ${error}`)
  }
  for (const { path, error } of damaged) say(`passed over: ${aboutFile(path, error)}`)
}

function sentenceOf({ path, outcome, error }: RecoveredOperation): string {
  switch (outcome) {
    case 'finished':
      return `finished what an interrupted run began: ${path}`
    case 'superseded':
      return `gave up what an interrupted run began, as someone has changed the file since: ${path}`
    case 'taken_in':
      return `searches find it again: ${path}`
    case 'corrected':
      return `${path} was left out of searches and has been changed since: they find it as it is now`
    case 'removed':
      return `${path} was left out of searches, and is gone`
    case 'pending':
      return leftOutSentence(path, error ?? '')
    default:
      return unreachable(outcome)
  }
}
