/**
 * Which written files no view takes, as the journals tell it: what every reader leaves out until its writer, or a hand,
 * has corrected it. A journal that cannot be read tells nothing.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { FileStat } from '../ports.ts'
import type { ShelfPorts } from '../search/derived-folder.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { logNames, readNamedLog } from '../workspace/request-log.ts'
import { JournalSnapshot, type PendingFile, type SeenJournals, SIGNATURE_PARTS } from './journal-snapshot.ts'
import { OPERATION_LOG } from './operation-journal.ts'

const NOTHING_SEEN: SeenJournals = { names: [], signatures: new Float64Array(), pending: [] }

export class PendingFiles {
  readonly #ports: ShelfPorts
  readonly #layout: Layout
  readonly #snapshot: JournalSnapshot
  /** As of the last look; null before the first. */
  #seen: SeenJournals | null = null

  constructor(ports: ShelfPorts, layout: Layout) {
    this.#ports = ports
    this.#layout = layout
    this.#snapshot = new JournalSnapshot(ports, layout)
  }

  /** By path. A journal is only ever appended to, so one that has its size and times still says what it said. */
  now(): ReadonlyMap<string, PendingFile> {
    const { files } = this.#ports
    const names = logNames(files, this.#layout, OPERATION_LOG)
    const { signatures, pending } = seenOf(names, this.#seenBefore(names.length))
    const folder = inWorkspace(this.#layout, OPERATION_LOG.folder(this.#layout))
    const changed = files.changed(folder, names, signatures)
    for (const { place, stat } of changed) {
      // Looked at before it is read: what is appended meanwhile makes another signature.
      signatures.set(signatureOf(stat), place * SIGNATURE_PARTS)
      pending[place] = stat === null ? [] : this.#pendingIn(names[place] ?? '')
    }
    this.#seen = { names, signatures, pending }
    if (changed.length > 0) this.#snapshot.write(this.#seen)
    return new Map(pending.flat().map((file) => [file.path, file]))
  }

  #seenBefore(count: number): SeenJournals {
    return this.#seen ?? (count > 0 ? this.#snapshot.read() : null) ?? NOTHING_SEEN
  }

  #pendingIn(name: string): readonly PendingFile[] {
    try {
      const { state } = readNamedLog(this.#ports, this.#layout, OPERATION_LOG, name) ?? { state: new Map() }
      return [...state.values()].flatMap(({ intent: { path, version }, error }) =>
        error === null ? [] : [{ path, version, error }],
      )
    } catch (error) {
      if (error instanceof MemoryError) return []
      throw error
    }
  }
}

/** What is known of these journals, to be brought up to date. */
function seenOf(names: readonly string[], before: SeenJournals) {
  const places = new Map(before.names.map((name, place) => [name, place]))
  const signatures = new Float64Array(names.length * SIGNATURE_PARTS).fill(Number.NaN)
  const pending = names.map((name, place) => {
    const known = places.get(name)
    if (known === undefined) return []
    const start = known * SIGNATURE_PARTS
    signatures.set(before.signatures.subarray(start, start + SIGNATURE_PARTS), place * SIGNATURE_PARTS)
    return before.pending[known] ?? []
  })
  return { signatures, pending }
}

function signatureOf(stat: FileStat | null): readonly number[] {
  if (stat === null) return Array.from({ length: SIGNATURE_PARTS }, () => Number.NaN)
  return [stat.bytes, stat.mtimeMs, stat.ctimeMs, stat.inode]
}
