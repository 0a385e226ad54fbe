/**
 * What the journals said when somebody last read many of them, so that the next process reads only those that have grown
 * since. Derived: what cannot be read or written is done without.
 */
import * as v from 'valibot'
import { MemoryError } from '../model/memory-error.ts'
import type { Digest } from '../ports.ts'
import { DerivedFolder, type ShelfPorts } from '../search/derived-folder.ts'
import type { Layout } from '../workspace/layout.ts'

const NAME = 'journals.json'
const VERSION = 1
const SUM_DIGITS = 8
const encoder = new TextEncoder()

const pendingFile = v.strictObject({ path: v.string(), version: v.string(), error: v.string() })
export type PendingFile = Readonly<v.InferOutput<typeof pendingFile>>

const contentsSchema = v.strictObject({
  version: v.literal(VERSION),
  names: v.array(v.string()),
  /** By name bytes, mtimeMs, ctimeMs and inode, as `FileStat` has them. */
  signatures: v.array(v.number()),
  /** What a journal left pending, by its place in the names; of most it is nothing, and they are left out. */
  pending: v.record(v.string(), v.array(pendingFile)),
})

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
      using file = this.#folder.open(NAME)
      if (file === null) return null
      const text = new TextDecoder().decode(file.read(0, file.bytes))
      const body = text.slice(SUM_DIGITS)
      if (this.#sumOf(body) !== text.slice(0, SUM_DIGITS)) return null
      const { names, signatures, pending } = v.parse(contentsSchema, JSON.parse(body))
      if (signatures.length !== names.length * SIGNATURE_PARTS) return null
      const pendingByName = names.map((_, place) => pending[place] ?? [])
      return { names, signatures: Float64Array.from(signatures), pending: pendingByName }
    } catch (error) {
      if (error instanceof MemoryError || error instanceof SyntaxError || error instanceof v.ValiError) return null
      throw error
    }
  }

  /** Unless somebody else is just writing there, or nothing can be written. */
  write({ names, signatures, pending }: SeenJournals): void {
    using lock = this.#folder.lock()
    if (lock === null) return
    const left = Object.fromEntries([...pending.entries()].filter(([, files]) => files.length > 0))
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
