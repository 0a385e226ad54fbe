/**
 * The experience files of one folder as they are now. Reads a file only when its signature says that it may have
 * changed; writes nothing and knows nothing of views.
 */
import {
  EXPERIENCE_FILE_BYTES_MAX,
  type Experience,
  experienceNameFault,
  experienceSizeFault,
  readExperience,
} from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest, FileKind, FileStat, Files } from '../ports.ts'

/**
 * A file system may give two writes in a row the same time. What was written this close to being read is therefore
 * read again, as git does with its "racily clean" entries; FAT keeps times in steps of 2 s.
 */
const RACY_MS = 2_000

const SUFFIX = '.json'

export interface CatalogueEntry {
  /** `procedures/<name>.json` */
  readonly path: string
  /** SHA-256 of the file's bytes, lower-case hex. */
  readonly version: string
  readonly experience: Experience
}

export interface InvalidFile {
  readonly path: string
  /** One sentence for the person who wrote the file. */
  readonly error: string
}

/** Paths of valid experiences, each sorted. A file that became invalid counts as removed. */
export interface CatalogueChange {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

export interface CatalogueOptions {
  readonly files: Files
  readonly digest: Digest
  readonly clock: Clock
  /** Absolute path of the folder. */
  readonly folder: string
  /** The folder's path in the workspace, with which every entry's path begins. */
  readonly name: string
}

interface KnownFile {
  /** Null where the file has to be looked at again in any case. */
  readonly stat: FileStat | null
  readonly readMs: number
  readonly version: string | null
  readonly outcome: CatalogueEntry | InvalidFile
}

export class Catalogue {
  readonly #options: CatalogueOptions
  #known: ReadonlyMap<string, KnownFile> = new Map()

  constructor(options: CatalogueOptions) {
    this.#options = options
  }

  /** Valid experiences, sorted by path. */
  get entries(): readonly CatalogueEntry[] {
    return [...this.#known.values()].map(({ outcome }) => outcome).filter(isEntry)
  }

  /** Sorted by path. */
  get invalid(): readonly InvalidFile[] {
    return [...this.#known.values()].map(({ outcome }) => outcome).filter(isInvalid)
  }

  entry(path: string): CatalogueEntry | null {
    const outcome = this.#known.get(path)?.outcome
    return outcome !== undefined && isEntry(outcome) ? outcome : null
  }

  /** Looks at the folder; a missing one is empty. */
  refresh(): CatalogueChange {
    const { files, folder, name } = this.#options
    const before = this.#known
    const now = new Map<string, KnownFile>()
    for (const entry of files.list(folder) ?? []) {
      if (!entry.name.toLowerCase().endsWith(SUFFIX)) continue
      const path = `${name}/${entry.name}`
      const known = this.#look(path, entry.name, entry.kind, before.get(path))
      if (known !== null) now.set(path, known)
    }
    this.#known = now
    return changeBetween(before, now)
  }

  /** @returns null when the file is gone */
  #look(path: string, fileName: string, listedKind: FileKind, before: KnownFile | undefined): KnownFile | null {
    const fault = nameFault(fileName) ?? kindFault(listedKind)
    if (fault !== null) return unread({ path, error: fault })
    const { files, clock, folder } = this.#options
    const readMs = clock.now()
    try {
      const stat = files.stat(`${folder}/${fileName}`)
      if (stat === null) return null
      if (before?.stat && isSameFile(before.stat, stat) && !isRacy(before)) return before
      const statFault = kindFault(stat.kind) ?? experienceSizeFault(stat.bytes)
      if (statFault !== null) return unread({ path, error: statFault })
      const bytes = files.read(`${folder}/${fileName}`, { bytesMax: EXPERIENCE_FILE_BYTES_MAX })
      return bytes === null ? null : this.#take(path, bytes, { stat, readMs }, before)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      return unread({ path, error: error.message })
    }
  }

  #take(path: string, bytes: Uint8Array, look: Pick<KnownFile, 'stat' | 'readMs'>, before: KnownFile | undefined) {
    const version = this.#options.digest.sha256(bytes)
    const outcome = before?.version === version ? before.outcome : parsed(path, version, bytes)
    return { ...look, version, outcome }
  }
}

function isEntry(outcome: CatalogueEntry | InvalidFile): outcome is CatalogueEntry {
  return 'experience' in outcome
}

function isInvalid(outcome: CatalogueEntry | InvalidFile): outcome is InvalidFile {
  return !isEntry(outcome)
}

/** Known by its name, kind or size alone, or not readable at this moment: cheap to find out anew each time. */
function unread(outcome: InvalidFile): KnownFile {
  return { stat: null, readMs: 0, version: null, outcome }
}

function parsed(path: string, version: string, bytes: Uint8Array): CatalogueEntry | InvalidFile {
  try {
    return { path, version, experience: readExperience(bytes) }
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return { path, error: error.message }
  }
}

function nameFault(fileName: string): string | null {
  if (!fileName.endsWith(SUFFIX)) return `the name must end in ${SUFFIX} in lower case; rename it`
  const fault = experienceNameFault(fileName.slice(0, -SUFFIX.length))
  return fault === null ? null : `the file name is not that of an experience: ${fault}; rename it`
}

function kindFault(kind: FileKind): string | null {
  if (kind === 'file') return null
  if (kind === 'link') return 'it is a symbolic link, which is never followed; put the file itself here'
  if (kind === 'folder') return 'it is a folder; an experience is one file'
  return 'it is not a regular file'
}

function isSameFile(a: FileStat, b: FileStat): boolean {
  return (
    a.kind === b.kind &&
    a.bytes === b.bytes &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs &&
    a.inode === b.inode
  )
}

function isRacy({ stat, readMs }: KnownFile): boolean {
  const isClose = (timeNs: bigint) => Math.abs(Number(timeNs) / 1e6 - readMs) < RACY_MS
  return stat !== null && (isClose(stat.mtimeNs) || isClose(stat.ctimeNs))
}

function changeBetween(before: ReadonlyMap<string, KnownFile>, now: ReadonlyMap<string, KnownFile>): CatalogueChange {
  const added: string[] = []
  const changed: string[] = []
  for (const [path, { outcome }] of now) {
    if (!isEntry(outcome)) continue
    const old = before.get(path)?.outcome
    if (old === undefined || !isEntry(old)) added.push(path)
    else if (old.version !== outcome.version) changed.push(path)
  }
  const removed: string[] = []
  for (const [path, { outcome }] of before) {
    const current = now.get(path)?.outcome
    if (isEntry(outcome) && !(current !== undefined && isEntry(current))) removed.push(path)
  }
  return { added, changed, removed }
}
