/** One journal, for who wants to know what it left pending. */
import { MemoryError } from '../model/memory-error.ts'
import type { Digest, Files } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import { readNamedLog } from '../workspace/request-log.ts'
import type { PendingFile } from './journal-snapshot.ts'
import { OPERATION_LOG } from './operation-journal.ts'

/** Null of one that cannot be read. */
export function pendingInJournal(
  ports: { readonly files: Files; readonly digest: Digest },
  layout: Layout,
  name: string,
): readonly PendingFile[] | null {
  try {
    const log = readNamedLog(ports, layout, OPERATION_LOG, name)
    return [...(log?.state.values() ?? [])].flatMap(({ intent: { path, version }, error }) =>
      error === null ? [] : [{ path, version, error }],
    )
  } catch (error) {
    if (error instanceof MemoryError) return null
    throw error
  }
}
