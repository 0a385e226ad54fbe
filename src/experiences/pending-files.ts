/**
 * Which written files no view takes, as the journals tell it: what every reader leaves out until its writer, or a hand,
 * has corrected it. A journal that cannot be read tells nothing. What reads journals is loaded when one has changed since
 * the last process: that costs more than all the rest.
 */
import type { FileStat } from '../ports.ts'
import type { ShelfPorts } from '../search/derived-folder.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { isLogName } from '../workspace/log-name.ts'
import { JournalSnapshot, type PendingFile, type SeenJournals, SIGNATURE_PARTS } from './journal-snapshot.ts'

const NOTHING_SEEN: SeenJournals = { names: [], signatures: new Float64Array(), pending: [] }

/** The journals as they are found, with what is known of them from before. */
interface FoundJournals extends SeenJournals {
  readonly changed: ReturnType<ShelfPorts['files']['changed']>
}

export class PendingFiles {
  readonly #ports: ShelfPorts
  readonly #layout: Layout
  readonly #snapshot: JournalSnapshot
  /** What a journal left pending, by its name, null where it cannot be read; null until it was loaded. */
  #read: ((name: string) => readonly PendingFile[] | null) | null = null
  /** As of the last look; null before the first. */
  #seen: SeenJournals | null = null
  /** For the next `now`. */
  #found: FoundJournals | null = null

  constructor(ports: ShelfPorts, layout: Layout) {
    this.#ports = ports
    this.#layout = layout
    this.#snapshot = new JournalSnapshot(ports, layout)
  }

  /** To be awaited before `now`. @param isWriting whether journals will change in this process */
  async prepare({ isWriting = false }: { readonly isWriting?: boolean } = {}): Promise<void> {
    if (this.#read !== null) return
    this.#found = this.#look()
    if (!isWriting && this.#found.changed.length === 0) return
    const { pendingInJournal } = await import('./journal-reading.ts')
    this.#read = (name) => pendingInJournal(this.#ports, this.#layout, name)
  }

  /** By path. A journal that has changed since `prepare` is told of after the next one, unless this process writes. */
  now(): ReadonlyMap<string, readonly PendingFile[]> {
    const read = this.#read
    // Without one nothing could be done about what has changed in the meantime.
    const { names, signatures, pending, changed } = (read === null ? this.#found : null) ?? this.#look()
    this.#found = null
    const left = [...pending]
    let isNew = false
    for (const { place, stat } of read === null ? [] : changed) {
      const found = stat === null ? [] : (read?.(names[place] ?? '') ?? null)
      // Looked at before it is read: what is appended meanwhile makes another signature. What cannot be read is tried again.
      signatures.set(signatureOf(found === null ? null : stat), place * SIGNATURE_PARTS)
      left[place] = found ?? []
      isNew ||= (stat !== null && found !== null) || pending[place]?.length !== 0
    }
    this.#seen = { names, signatures, pending: left }
    if (isNew) this.#snapshot.write(this.#seen)
    return Map.groupBy(left.flat(), ({ path }) => path)
  }

  /** A journal is only ever appended to, so one that has its size and times still says what it said. */
  #look(): FoundJournals {
    const { files } = this.#ports
    const folder = inWorkspace(this.#layout, this.#layout.operations)
    const names = (files.names(folder) ?? []).filter(isLogName).sort()
    const before = this.#seen ?? (names.length > 0 ? this.#snapshot.read() : null) ?? NOTHING_SEEN
    const known = knownOf(names, before)
    return { ...known, changed: files.changed(folder, names, known.signatures) }
  }
}

function knownOf(names: readonly string[], before: SeenJournals): SeenJournals {
  const places = new Map(before.names.map((name, place) => [name, place]))
  const signatures = new Float64Array(names.length * SIGNATURE_PARTS).fill(Number.NaN)
  const pending = names.map((name, place) => {
    const known = places.get(name)
    if (known === undefined) return []
    const start = known * SIGNATURE_PARTS
    signatures.set(before.signatures.subarray(start, start + SIGNATURE_PARTS), place * SIGNATURE_PARTS)
    return before.pending[known] ?? []
  })
  return { names, signatures, pending }
}

function signatureOf(stat: FileStat | null): readonly number[] {
  if (stat === null) return Array.from({ length: SIGNATURE_PARTS }, () => Number.NaN)
  return [stat.bytes, stat.mtimeMs, stat.ctimeMs, stat.inode]
}
