/**
 * Journal of the experience writes of one import. An intent holds the whole target before anything is published; a
 * closing record says how it ended. Knows nothing of how files are published.
 */
import * as v from 'valibot'
import { isoTime } from '../model/iso-time.ts'
import { invariant } from '../model/memory-error.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Layout } from '../workspace/layout.ts'
import { type LogKind, RequestLog, readRequestLog } from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'

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
  /** The file is in place; whether the views take it is being found out. */
  v.strictObject({ kind: v.literal('published'), at: v.string(), key: v.string() }),
  v.strictObject({ kind: v.literal('indexed'), at: v.string(), key: v.string() }),
  v.strictObject({ kind: v.literal('pending'), at: v.string(), key: v.string(), error: v.string() }),
  v.strictObject({ kind: v.literal('superseded'), at: v.string(), key: v.string(), found: v.nullable(v.string()) }),
])
type OperationRecord = v.InferOutput<typeof recordSchema>

export type Intent = Readonly<v.InferOutput<typeof intentSchema>>

export interface Operation {
  readonly intent: Intent
  /** `open` is only what may not have been published; `pending` and `superseded` are for `error` and by `found`. */
  readonly outcome: 'open' | 'published' | 'indexed' | 'pending' | 'superseded'
  /** Whether the file was ever in place. */
  readonly wasPublished: boolean
  /** Why no view takes the file, while it is pending. */
  readonly error: string | null
}

/** The operations of one journal by key, in the order of their intents. */
export type Ledger = ReadonlyMap<string, Operation>

type NoFacts = Readonly<Record<string, never>>

export const OPERATION_LOG: LogKind<NoFacts, OperationRecord, Map<string, Operation>> = {
  format: { name: 'knowhow-operations', version: 1 },
  folder: (layout) => layout.operations,
  heading: v.record(v.string(), v.never()),
  record: recordSchema,
  start: () => new Map(),
  step: (ledger, record) => {
    const { kind, key } = record
    if (kind === 'intent') return ledger.set(key, { intent: record, outcome: 'open', wasPublished: false, error: null })
    const operation = ledger.get(key)
    if (operation === undefined) return ledger
    const wasPublished = operation.wasPublished || kind !== 'superseded'
    return ledger.set(key, {
      ...operation,
      outcome: kind,
      wasPublished,
      error: kind === 'pending' ? record.error : null,
    })
  },
}

/** The writer's end. Every method that records returns when the record is on the disk. */
export class OperationJournal implements Disposable {
  readonly #ports: WorkspacePorts
  readonly #layout: Layout
  readonly #request: RequestId
  /** Opened by the first record, so that a request without writes leaves no journal. */
  #log: RequestLog<NoFacts, OperationRecord, Map<string, Operation>> | null = null
  readonly #before: Ledger

  constructor(ports: WorkspacePorts, layout: Layout, request: RequestId) {
    this.#ports = ports
    this.#layout = layout
    this.#request = request
    this.#before = readRequestLog(ports, layout, OPERATION_LOG, request) ?? new Map()
    // What it says is acted upon, so it must be on the disk.
    if (this.#before.size > 0) this.#open()
  }

  get ledger(): Ledger {
    return this.#log?.state ?? this.#before
  }

  /** Records the intent. Its key is new. */
  begin(intent: Omit<Intent, 'kind' | 'at'>): Intent {
    invariant(!this.ledger.has(intent.key), `operation ${intent.key} was begun before`)
    const record: Intent = { kind: 'intent', at: this.#now(), ...intent }
    this.#append(record)
    return record
  }

  /** The file is in place; what follows may take a while. */
  notePublished(key: string): void {
    this.#append({ kind: 'published', at: this.#now(), key })
  }

  /** The file is in place, and no view takes it. */
  notePending(key: string, error: string): void {
    this.#append({ kind: 'pending', at: this.#now(), key, error })
  }

  /** The file is in place and in both views. */
  closeIndexed(key: string): void {
    this.#append({ kind: 'indexed', at: this.#now(), key })
  }

  /** The destination was changed by someone else, to the version `found`; the target is given up. */
  closeSuperseded(key: string, found: string | null): void {
    this.#append({ kind: 'superseded', at: this.#now(), key, found })
  }

  #now(): string {
    return isoTime(this.#ports.clock.now())
  }

  #append(record: OperationRecord): void {
    this.#open().append(record)
  }

  #open(): RequestLog<NoFacts, OperationRecord, Map<string, Operation>> {
    this.#log ??= RequestLog.open(this.#ports, this.#layout, OPERATION_LOG, this.#request, {})
    return this.#log
  }

  /** See `LogWriter.requireInPlace`. */
  requireInPlace(): void {
    this.#log?.requireInPlace()
  }

  [Symbol.dispose](): void {
    this.#log?.[Symbol.dispose]()
  }
}
