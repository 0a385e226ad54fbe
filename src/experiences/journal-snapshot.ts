/**
 * What the journals said when somebody last read many of them, so that the next process reads only those that have grown
 * since. Derived: what cannot be read or written is done without.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { Digest } from '../ports.ts'
import { DerivedFolder, type ShelfPorts } from '../search/derived-folder.ts'
import type { Layout } from '../workspace/layout.ts'

const NAME = 'journals.json'
const VERSION = 1
const SUM_DIGITS = 8
const encoder = new TextEncoder()

export interface PendingFile {
  readonly path: string
  readonly version: string
  readonly error: string
}

/** The journals as they were read. */
export interface SeenJournals {
  readonly names: readonly string[]
  /** SIGNATURE_PARTS by name: bytes, mtimeMs, ctimeMs and inode; NaN equals nothing. */
  readonly signatures: Float64Array
  /** By name. */
  readonly pending: readonly (readonly PendingFile[])[]
}

export const SIGNATURE_PARTS = 4

export class JournalSnapshot {
  readonly #folder: DerivedFolder
  readonly #digest: Digest

  constructor(ports: ShelfPorts, layout: Layout) {
    this.#folder = new DerivedFolder(ports, layout)
    this.#digest = ports.digest
  }

  /** Null when there is none that can be read. */
  read(): SeenJournals | null {
    try {
      // Asked by their names: the folder may be a link.
      if (!this.#folder.names().includes(NAME)) return null
      using file = this.#folder.open(NAME)
      if (file === null) return null
      const text = new TextDecoder().decode(file.read(0, file.bytes))
      const body = text.slice(SUM_DIGITS)
      if (this.#sumOf(body) !== text.slice(0, SUM_DIGITS)) return null
      return seenIn(JSON.parse(body))
    } catch (error) {
      if (error instanceof MemoryError || error instanceof SyntaxError) return null
      throw error
    }
  }

  /** Unless nothing can be written. Without the lock of derived files, which others need for longer: the last one counts. */
  write({ names, signatures, pending }: SeenJournals): void {
    const left = pending.flatMap((files, place) => files.map((file) => ({ place, ...file })))
    // What was no regular file has no signature, and is looked at each time.
    const known = Array.from(signatures, (value) => (Number.isNaN(value) ? -1 : value))
    const body = JSON.stringify({ version: VERSION, names, signatures: known, pending: left })
    const data = encoder.encode(this.#sumOf(body) + body)
    this.#folder.putBytes(NAME, data)
  }

  /** CRC-32 as 8 hex digits. */
  #sumOf(body: string): string {
    return this.#digest.crc32(encoder.encode(body)).toString(16).padStart(SUM_DIGITS, '0')
  }
}

/** Null for what no version of this program has written. Checked by hand: every search of a workspace with imports does it. */
function seenIn(value: unknown): SeenJournals | null {
  if (typeof value !== 'object' || value === null) return null
  const { version, names, signatures, pending } = value as Readonly<Record<string, unknown>>
  if (version !== VERSION || !Array.isArray(names) || !Array.isArray(signatures) || !Array.isArray(pending)) return null
  if (signatures.length !== names.length * SIGNATURE_PARTS || !names.every((name) => typeof name === 'string'))
    return null
  const pendingByName = names.map((): PendingFile[] => [])
  for (const file of pending as readonly (Readonly<Record<string, unknown>> | null)[]) {
    const { place, path, version, error } = file ?? {}
    if (typeof path !== 'string' || typeof version !== 'string' || typeof error !== 'string') return null
    pendingByName[Number(place)]?.push({ path, version, error })
  }
  return { names, signatures: Float64Array.from(signatures), pending: pendingByName }
}
