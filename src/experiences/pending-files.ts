/**
 * Which written files no view takes, as the journals tell it: what every reader leaves out until its writer, or a hand,
 * has corrected it. A journal that cannot be read tells nothing.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { Digest, FileStat, Files } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { logNames, readNamedLog } from '../workspace/request-log.ts'
import { OPERATION_LOG } from './operation-journal.ts'

export interface PendingFile {
  readonly path: string
  readonly version: string
  readonly error: string
}

const SIGNATURE_PARTS = 4

export class PendingFiles {
  readonly #ports: { readonly files: Files; readonly digest: Digest }
  readonly #layout: Layout
  /** Sorted, with the journals' signatures and what each of them left pending, as of the last look. */
  #names: readonly string[] = []
  #signatures = new Float64Array()
  #pending: readonly (readonly PendingFile[])[] = []

  constructor(ports: { readonly files: Files; readonly digest: Digest }, layout: Layout) {
    this.#ports = ports
    this.#layout = layout
  }

  /** By path. A journal is only ever appended to, so one that has its size and times still says what it said. */
  now(): ReadonlyMap<string, PendingFile> {
    const { files } = this.#ports
    const names = logNames(files, this.#layout, OPERATION_LOG)
    this.#use(names)
    const folder = inWorkspace(this.#layout, OPERATION_LOG.folder(this.#layout))
    const pending = [...this.#pending]
    for (const { place, stat } of files.changed(folder, names, this.#signatures)) {
      // Looked at before it is read: what is appended meanwhile makes another signature.
      this.#signatures.set(signatureOf(stat), place * SIGNATURE_PARTS)
      pending[place] = stat === null ? [] : this.#pendingIn(names[place] ?? '')
    }
    this.#pending = pending
    return new Map(pending.flat().map((file) => [file.path, file]))
  }

  /** Keeps what is known of the journals that are still there. */
  #use(names: readonly string[]): void {
    if (names.length === this.#names.length && names.every((name, at) => name === this.#names[at])) return
    const before = new Map(this.#names.map((name, place) => [name, place]))
    const signatures = new Float64Array(names.length * SIGNATURE_PARTS).fill(Number.NaN)
    const pending = names.map((name, place) => {
      const known = before.get(name)
      if (known === undefined) return []
      const start = known * SIGNATURE_PARTS
      signatures.set(this.#signatures.subarray(start, start + SIGNATURE_PARTS), place * SIGNATURE_PARTS)
      return this.#pending[known] ?? []
    })
    this.#names = names
    this.#signatures = signatures
    this.#pending = pending
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

function signatureOf(stat: FileStat | null): readonly number[] {
  if (stat === null) return [Number.NaN, Number.NaN, Number.NaN, Number.NaN]
  return [stat.bytes, stat.mtimeMs, stat.ctimeMs, stat.inode]
}
