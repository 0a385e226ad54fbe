/**
 * Append-only journal of the experience writes of one import. An intent holds the whole target before anything is
 * published; a closing record says how it ended. Knows nothing of how files are published.
 */
import * as v from 'valibot'
import { invariant, MemoryError } from '../model/memory-error.ts'
import { parseRequestId, type RequestId } from '../model/request-id.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { logName } from '../workspace/log-name.ts'
import { type LogFormat, type LogRecord, LogWriter, readLog } from '../workspace/record-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'

const FORMAT: LogFormat = { name: 'knowhow-operations', version: 1 }

const intentSchema = v.strictObject({
  kind: v.literal('intent'),
  at: v.string(),
  /** Unique within the request: the segment and the model's own key. */
  key: v.string(),
  action: v.picklist(['created', 'updated']),
  path: v.string(),
  /** Version of the file before, null for none. */
  prior: v.nullable(v.string()),
  /** Version of the target, and the target itself. */
  version: v.string(),
  text: v.string(),
  /** SHA-256 of what was asked for: the same key may repeat it, and nothing else. */
  payload: v.string(),
})

const recordSchema = v.variant('kind', [
  intentSchema,
  v.strictObject({ kind: v.literal('indexed'), at: v.string(), key: v.string() }),
  v.strictObject({ kind: v.literal('superseded'), at: v.string(), key: v.string(), found: v.nullable(v.string()) }),
])

export type Intent = Readonly<v.InferOutput<typeof intentSchema>>
export type OperationOutcome = 'open' | 'indexed' | 'superseded'

export interface Operation {
  readonly intent: Intent
  readonly outcome: OperationOutcome
}

/** The operations of one journal by key, in the order of their intents. */
export type Ledger = ReadonlyMap<string, Operation>

export function readLedger(
  ports: Pick<WorkspacePorts, 'files' | 'digest'>,
  layout: Layout,
  request: RequestId,
): Ledger {
  const path = pathOfJournal(ports, layout, request)
  return ledgerOf(readLog(ports.files, ports.digest, path, FORMAT)?.records ?? [], path)
}

/** Requests whose journal holds an intent that nothing closed. */
export function requestsWithOpenIntents(ports: Pick<WorkspacePorts, 'files' | 'digest'>, layout: Layout): RequestId[] {
  const requests: RequestId[] = []
  for (const entry of ports.files.list(inWorkspace(layout, layout.operations)) ?? []) {
    if (entry.kind !== 'file' || !entry.name.endsWith('.jsonl')) continue
    const path = inWorkspace(layout, `${layout.operations}/${entry.name}`)
    const contents = readLog(ports.files, ports.digest, path, FORMAT)
    if (contents === null) continue
    const operations = [...ledgerOf(contents.records, path).values()]
    if (operations.some(({ outcome }) => outcome === 'open'))
      requests.push(parseRequestId(String(contents.heading.request_id)))
  }
  return requests
}

function pathOfJournal(ports: Pick<WorkspacePorts, 'digest'>, layout: Layout, request: RequestId): string {
  return inWorkspace(layout, `${layout.operations}/${logName(ports.digest, request)}`)
}

function ledgerOf(records: readonly LogRecord[], path: string): Map<string, Operation> {
  const ledger = new Map<string, Operation>()
  for (const [index, record] of records.entries()) {
    const parsed = v.safeParse(recordSchema, record)
    if (!parsed.success) throw unreadable(path, index, parsed.issues[0].message)
    const { output } = parsed
    if (output.kind === 'intent') {
      ledger.set(output.key, { intent: output, outcome: 'open' })
      continue
    }
    const operation = ledger.get(output.key)
    if (operation === undefined) throw unreadable(path, index, 'it closes an operation that was never begun')
    ledger.set(output.key, { ...operation, outcome: output.kind })
  }
  return ledger
}

function unreadable(path: string, index: number, why: string): MemoryError {
  return new MemoryError('log_corrupt', `${path}, line ${index + 2}: ${why}; restore it from a backup`)
}

/** The writer's end. Every method that records returns when the record is on the disk. */
export class OperationJournal implements Disposable {
  readonly #ports: WorkspacePorts
  readonly #layout: Layout
  readonly #request: RequestId
  readonly #ledger: Map<string, Operation>
  /** Opened by the first record, so that a request without writes leaves no journal. */
  #writer: LogWriter | null = null

  constructor(ports: WorkspacePorts, layout: Layout, request: RequestId) {
    this.#ports = ports
    this.#layout = layout
    this.#request = request
    this.#ledger = new Map(readLedger(ports, layout, request))
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  /** Records the intent. Its key is new. */
  begin(intent: Omit<Intent, 'kind' | 'at'>): Intent {
    invariant(!this.#ledger.has(intent.key), `operation ${intent.key} was begun before`)
    const record: Intent = { kind: 'intent', at: this.#now(), ...intent }
    this.#open().append(record)
    this.#ledger.set(intent.key, { intent: record, outcome: 'open' })
    return record
  }

  /** The file is in place and in both views. */
  closeIndexed(key: string): void {
    this.#open().append({ kind: 'indexed', at: this.#now(), key })
    this.#settle(key, 'indexed')
  }

  /** The destination was changed by someone else, to the version `found`; the target is given up. */
  closeSuperseded(key: string, found: string | null): void {
    this.#open().append({ kind: 'superseded', at: this.#now(), key, found })
    this.#settle(key, 'superseded')
  }

  #settle(key: string, outcome: OperationOutcome): void {
    const operation = this.#ledger.get(key)
    invariant(operation !== undefined, `operation ${key} was never begun`)
    this.#ledger.set(key, { ...operation, outcome })
  }

  #open(): LogWriter {
    this.#writer ??= LogWriter.open({
      ...this.#ports,
      path: pathOfJournal(this.#ports, this.#layout, this.#request),
      format: FORMAT,
      heading: { request_id: this.#request },
    }).writer
    return this.#writer
  }

  #now(): string {
    return new Date(this.#ports.clock.now()).toISOString()
  }

  [Symbol.dispose](): void {
    this.#writer?.[Symbol.dispose]()
  }
}
