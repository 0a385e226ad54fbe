/**
 * The experience files of one folder as they are now, held against a packed base: which of its documents still stand,
 * and which files lie beside it. Reads a file only when its signature says that it may have changed. Writes nothing.
 */
import {
  EXPERIENCE_FILE_BYTES_MAX,
  type ExperienceTexts,
  experienceNameFault,
  experienceSizeFault,
  readExperience,
} from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest, FileKind, FileStat, Files } from '../ports.ts'
import type { Base } from './base.ts'
import { FLAG, SIGNATURE_VALUES } from './base-format.ts'
import type { AddedFile, LookedAt, Signature } from './base-manifest.ts'
import { textKeysOf } from './text-key.ts'

/**
 * A file system may give two writes in a row the same time. What was written this close to being read is therefore
 * read again, as git does with its "racily clean" entries; FAT keeps times in steps of 2 s.
 */
const RACY_MS = 2_000
/** Where the clock of the file system cannot be asked, it is taken to be off from ours by no more than this. */
const CLOCK_SKEW_MS_MAX = 24 * 60 * 60 * 1000
const SUFFIX = '.json'

export interface InvalidFile {
  readonly path: string
  /** One sentence for the person who wrote the file. */
  readonly error: string
}

/** A file as it was read, and when. Times are epoch milliseconds by our clock. */
export interface FileReading {
  readonly stat: FileStat
  /** When the file was first found with this signature. */
  readonly firstMs: number
  readonly readMs: number
}

/** A file that the base does not hold as it is. */
export interface FileBeside {
  readonly path: string
  /** Null where the file was not read, and has to be looked at again in any case. */
  readonly reading: FileReading | null
  /** '' where the file was not read. */
  readonly version: string
  /** `texts` is null once they were handed on; `textKeys` as in a base. */
  readonly outcome:
    | { readonly texts: ExperienceTexts | null; readonly textKeys: Uint8Array }
    | { readonly fault: string }
}

/** Takes the texts of files that are too many to be kept: one call a file that was read, in the order of the listing. */
export interface TextSink {
  add(whenToUse: string, content: string): void
}

export interface CatalogueOptions {
  readonly files: Files
  readonly digest: Digest
  readonly clock: Clock
  /** Absolute path of the folder. */
  readonly folder: string
  /** The folder's path in the workspace, with which every path begins. */
  readonly name: string
  /** Of so many files beside the base the texts are kept. */
  readonly textsMax: number
}

export class Catalogue {
  readonly #options: CatalogueOptions
  #base: Base | null = null
  /** By document of the base: 1 when its file is gone or another. */
  #dead = new Uint8Array()
  #goneCount = 0
  /** Files whose signature differs from the base's, or is too fresh to be trusted, but whose bytes are the same. */
  #reread = new Map<number, FileReading>()
  #beside: ReadonlyMap<string, FileBeside> = new Map()
  #scannedMs = 0

  constructor(options: CatalogueOptions) {
    this.#options = options
  }

  get dead(): Uint8Array {
    return this.#dead
  }

  /** How many documents of the base have lost their file since it was made. */
  get goneCount(): number {
    return this.#goneCount
  }

  /** By path, in the order of the listing. */
  get beside(): ReadonlyMap<string, FileBeside> {
    return this.#beside
  }

  /** When the last scan began, epoch milliseconds by our clock. */
  get scannedMs(): number {
    return this.#scannedMs
  }

  /** How many unchanged files had to be read, which a new base would spare the next process. */
  get rereadCount(): number {
    let count = 0
    for (const { stat, readMs } of this.#reread.values()) if (lastChange(stat) < readMs - RACY_MS) count += 1
    return count
  }

  /** From here on files are held against this base; the next `scan` says how they stand. */
  adopt(base: Base | null): void {
    this.#base = base
    this.#dead = new Uint8Array(base?.documentCount ?? 0).fill(1)
    this.#reread = new Map()
  }

  /**
   * Looks at the folder; a missing one is empty.
   * @param openSink called when more files were read than texts are kept
   * @returns the sink if it was opened: it then has the texts of all files that were read
   */
  scan<Sink extends TextSink>(openSink: () => Sink): Sink | null {
    const { files, clock, folder, name, textsMax } = this.#options
    this.#scannedMs = clock.now()
    const dead = new Uint8Array(this.#dead.length).fill(1)
    const beside = new Map<string, FileBeside>()
    let read: FileBeside[] = []
    let sink: Sink | null = null
    let document = -1
    let standing = 0
    for (const fileName of files.names(folder) ?? []) {
      if (!isCandidate(fileName)) continue
      const found = this.#documentOf(fileName, document + 1)
      if (found !== -1) document = found
      const file = this.#look(fileName, found)
      if (file === 'stands') {
        dead[found] = 0
        standing += 1
      } else if (file !== null) {
        const path = `${name}/${fileName}`
        beside.set(path, file)
        if (file.reading === null) continue
        read.push(file)
        if (read.length <= textsMax && sink === null) continue
        sink ??= openSink()
        for (const full of read) beside.set(full.path, handedTo(sink, full))
        read = []
      }
    }
    this.#dead = dead
    this.#goneCount = dead.length - (this.#base?.footer.gaps ?? 0) - standing
    this.#beside = beside
    return sink
  }

  /** Only the exact suffix: on some file systems `x.JSON` is another name of the file `x.json`. */
  #documentOf(fileName: string, guess: number): number {
    if (this.#base === null || !fileName.endsWith(SUFFIX)) return -1
    return this.#base.documentOf(fileName.slice(0, -SUFFIX.length), guess)
  }

  /** @returns null when the file is gone, `stands` when it is the base's document */
  #look(fileName: string, document: number): FileBeside | 'stands' | null {
    const { files, folder, name } = this.#options
    const absolute = `${folder}/${fileName}`
    try {
      const stat = files.stat(absolute)
      if (stat === null) return null
      if (document !== -1 && this.#isKnown(document, stat)) return 'stands'
      const path = `${name}/${fileName}`
      const before = this.#beside.get(path)
      if (before !== undefined && isWhole(before) && isSettled(before.reading, stat)) return before
      const fault = nameFault(path) ?? kindFault(stat.kind) ?? experienceSizeFault(stat.bytes)
      return fault === null ? this.#read(path, absolute, document, stat) : unread(path, fault)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      return unread(`${name}/${fileName}`, error.message)
    }
  }

  #isKnown(document: number, stat: FileStat): boolean {
    const reread = this.#reread.get(document)
    if (reread !== undefined) return isSettled(reread, stat)
    return this.#base !== null && !this.#base.isRacy(document) && hasSignature(this.#base, document, stat)
  }

  #read(path: string, absolute: string, document: number, stat: FileStat): FileBeside | 'stands' | null {
    const { files, clock, digest } = this.#options
    const before = this.#beside.get(path)
    const readMs = clock.now()
    const bytes = files.read(absolute, { bytesMax: EXPERIENCE_FILE_BYTES_MAX })
    if (bytes === null) return null
    const known = document === -1 ? before?.reading : (this.#reread.get(document) ?? before?.reading)
    const isSame = known !== undefined && known !== null && isSameFile(known.stat, stat)
    const reading = { stat, readMs, firstMs: isSame ? known.firstMs : readMs }
    const version = digest.sha256(bytes)
    if (document !== -1 && this.#base?.versionOf(document) === version) {
      this.#reread.set(document, reading)
      return 'stands'
    }
    this.#reread.delete(document)
    const isUnchanged = before !== undefined && before.version === version && isWhole(before)
    return { path, reading, version, outcome: isUnchanged ? before.outcome : outcomeOf(bytes, digest) }
  }

  /**
   * What a base that follows must know of the standing documents that were read again.
   * @param skewMs how far the file system's clock is ahead of ours, null where that is not known
   */
  lookedAt(skewMs: number | null): ReadonlyMap<number, LookedAt> {
    const found = new Map<number, LookedAt>()
    for (const [document, reading] of this.#reread) found.set(document, lookedAt(reading, skewMs))
    return found
  }

  /** What a base that follows must know of the files that were read and lie beside, in their order. */
  added(skewMs: number | null): readonly AddedFile[] {
    const rows: AddedFile[] = []
    for (const { path, reading, version, outcome } of this.#beside.values())
      if (reading !== null)
        rows.push({
          ...lookedAt(reading, skewMs),
          name: path.slice(this.#options.name.length + 1, -SUFFIX.length),
          version,
          textKeys: 'textKeys' in outcome ? outcome.textKeys : null,
          fault: 'fault' in outcome ? outcome.fault : null,
        })
    return rows
  }

  /** After a base was built from all that stands or was `added`: it holds everything as of the last scan. */
  settle(base: Base): void {
    this.#base = base
    this.#dead = base.flags.map((flags) => ((flags & FLAG.gone) === 0 ? 0 : 1))
    this.#goneCount = 0
    this.#reread = new Map()
    this.#beside = new Map([...this.#beside].filter(([, { reading }]) => reading === null))
  }
}

/** Whether nothing of it was handed on. */
function isWhole({ outcome }: FileBeside): boolean {
  return 'fault' in outcome || outcome.texts !== null
}

function handedTo(sink: TextSink, file: FileBeside): FileBeside {
  const texts = 'texts' in file.outcome ? file.outcome.texts : null
  // One that is no experience becomes a document that no query finds.
  sink.add(texts?.['when-to-use'] ?? '', texts?.content ?? '')
  return 'texts' in file.outcome ? { ...file, outcome: { ...file.outcome, texts: null } } : file
}

/**
 * Whether the file is still what was read. Between two times by the same clock it does not matter how far that clock is
 * off: what looked the same for longer than the steps of the file system's time was not written again in between.
 */
function isSettled(reading: FileReading | null, stat: FileStat): boolean {
  if (reading === null || !isSameFile(reading.stat, stat)) return false
  return isSeenLong(reading) || lastChange(stat) < reading.readMs - CLOCK_SKEW_MS_MAX
}

function isSeenLong({ firstMs, readMs }: FileReading): boolean {
  return readMs - firstMs >= RACY_MS
}

function lookedAt(reading: FileReading, skewMs: number | null): LookedAt {
  const { stat, readMs } = reading
  const signature: Signature = [stat.bytes, stat.mtimeMs, stat.ctimeMs, stat.inode]
  if (skewMs === null) return { signature, racy: !isSettled(reading, stat) }
  // A time in the future was set by hand: the next write changes it.
  const isNear = (time: number) => Math.abs(time - readMs - skewMs) <= RACY_MS
  return { signature, racy: !isSeenLong(reading) && (isNear(stat.mtimeMs) || isNear(stat.ctimeMs)) }
}

function lastChange(stat: FileStat): number {
  return Math.max(stat.mtimeMs, stat.ctimeMs)
}

function hasSignature({ signatures }: Base, document: number, stat: FileStat): boolean {
  const at = document * SIGNATURE_VALUES
  return (
    stat.kind === 'file' &&
    signatures[at] === stat.bytes &&
    signatures[at + 1] === stat.mtimeMs &&
    signatures[at + 2] === stat.ctimeMs &&
    signatures[at + 3] === stat.inode
  )
}

function isSameFile(a: FileStat, b: FileStat): boolean {
  return (
    a.kind === b.kind &&
    a.bytes === b.bytes &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.inode === b.inode
  )
}

function isCandidate(fileName: string): boolean {
  return fileName.endsWith(SUFFIX) || fileName.toLowerCase().endsWith(SUFFIX)
}

/** Known by its name, kind or size alone, or not readable at this moment: cheap to find out anew each time. */
function unread(path: string, fault: string): FileBeside {
  return { path, reading: null, version: '', outcome: { fault } }
}

function outcomeOf(bytes: Uint8Array, digest: Digest): FileBeside['outcome'] {
  try {
    const { description, 'when-to-use': whenToUse, content } = readExperience(bytes)
    const texts = { description, 'when-to-use': whenToUse, content }
    return { texts, textKeys: textKeysOf(texts, digest) }
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return { fault: error.message }
  }
}

function nameFault(path: string): string | null {
  const fileName = path.slice(path.lastIndexOf('/') + 1)
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
