/** All logs that a workspace's imports leave, as far as they can be read. Says nothing of how they agree. */
import { type Ledger, OPERATION_LOG } from '../experiences/operation-journal.ts'
import { IMPORT_LOG, type ImportState } from '../importer/import-log.ts'
import { PROCESSING_LOG, type ProcessingState } from '../importer/processing-log.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Layout } from '../workspace/layout.ts'
import type { LogRecord } from '../workspace/record-log.ts'
import { type DamagedLog, type LogKind, readRequestLogs } from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'

interface ReadLogs<S> {
  readonly states: ReadonlyMap<RequestId, S>
  readonly damaged: readonly DamagedLog[]
}

export interface AllLogs {
  readonly imports: ReadLogs<ImportState>
  readonly processing: ReadLogs<ProcessingState>
  readonly operations: ReadLogs<Ledger>
}

export function allLogs(ports: Pick<WorkspacePorts, 'files' | 'digest'>, layout: Layout): AllLogs {
  const read = <H, R extends LogRecord, S>(kind: LogKind<H, R, S>): ReadLogs<S> => {
    const { logs, damaged } = readRequestLogs(ports, layout, kind)
    return { states: new Map(logs.map(({ id, state }) => [id, state])), damaged }
  }
  return { imports: read(IMPORT_LOG), processing: read(PROCESSING_LOG), operations: read(OPERATION_LOG) }
}
