/**
 * The experience files of one folder as they are now, held against a packed base: which of its documents still stand,
 * and which files lie beside it. Reads a file only when its signature says that it may have changed. Writes nothing.
 */
import { EXPERIENCE_FILE_BYTES_MAX, type Experience, readExperience } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { ChangedFile, Clock, Digest, FileStat, Files } from '../ports.ts'
import type { Base } from './base.ts'
import type { BaseChange } from './base-builder.ts'
import { type FolderSignature, SIGNATURE_VALUES } from './base-format.ts'
import type { FileSystemFacts } from './derived-folder.ts'
import { type FileReading, isNear, isSameFile, isSettled, lastChange, RACY_MS, signatureOf } from './file-reading.ts'
import { textKeysOf } from './text-key.ts'
import { isCandidate, unreadFault } from './unread-fault.ts'

/** Past so many, the versions of all documents are read at once and not one by one. */
const MANY_CHANGED = 64

const REREAD_MIN = 256
/** Of all documents of the base. */
const REREAD_SHARE = 1 / 16

export interface InvalidFile {
  readonly path: string
  /** One sentence for the person who wrote the file. */
  readonly error: string
}

/** A file that the base does not hold as it is. */
export interface FileBeside {
  readonly path: string
  /** Null where the file was not read, and has to be looked at again in any case. */
  readonly reading: FileReading | null
  /** It may be an experience that cannot be read at this moment. */
  readonly isUnreadable?: boolean
  /** '' where the file was not read. */
  readonly version: string
  /** `texts` is null once they were handed on; `textKeys` as in a base. */
  readonly outcome: { readonly texts: Experience | null; readonly textKeys: Uint8Array } | { readonly fault: string }
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
  #dead: Uint8Array = new Uint8Array()
  #standingCount = 0
  /** Of the last scan: what the folder listed, and by name the document of the base, -1 for none. */
  #names: readonly string[] = []
  #documents: Int32Array = new Int32Array()
  /** The folder, before it was listed. */
  #folder: FileStat | null = null
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

  /** How many documents of the base still have their file as it was. */
  get standingCount(): number {
    return this.#standingCount
  }

  /** How many have lost it since the base was made. */
  get goneCount(): number {
    return this.#dead.length - (this.#base?.footer.gaps ?? 0) - this.#standingCount
  }

  /** By path, in the order of the listing. */
  get beside(): ReadonlyMap<string, FileBeside> {
    return this.#beside
  }

  /** How many of them were read, and so can go into the next base. */
  get besideCount(): number {
    let count = 0
    for (const { reading } of this.#beside.values()) if (reading !== null) count += 1
    return count
  }

  /** How many files were read in all, whether they lie beside or went into a base since. */
  get readCount(): number {
    return this.#standingCount + this.besideCount
  }

  /** When the last scan began, epoch milliseconds by our clock. */
  get scannedMs(): number {
    return this.#scannedMs
  }

  /** Whether so many unchanged files had to be read that a base pays which spares the next process that. */
  get isReread(): boolean {
    let count = 0
    for (const { stat, readMs } of this.#reread.values()) if (lastChange(stat) < readMs - RACY_MS) count += 1
    return count > Math.max(REREAD_MIN, this.#dead.length * REREAD_SHARE)
  }

  /** From here on files are held against this base; the next `scan` says how they stand. */
  adopt(base: Base | null): void {
    this.#base = base
    this.#dead = new Uint8Array(base?.documentCount ?? 0).fill(1)
    this.#reread = new Map()
    this.#standingCount = 0
  }

  /**
   * Looks at the folder; a missing one is empty.
   * @param openSink called when more files were read than texts are kept
   * @returns the sink if it was opened: it then has the texts of all files that were read
   */
  scan<Sink extends TextSink>(openSink: () => Sink): Sink | null {
    const { files, clock, folder, name, textsMax } = this.#options
    this.#scannedMs = clock.now()
    const beside = new Map<string, FileBeside>()
    let read: FileBeside[] = []
    let sink: Sink | null = null
    this.#folder = files.stat(folder)
    if (this.#folder !== null && this.#folder.kind !== 'folder')
      throw new MemoryError('not_a_file', `${name} is no folder; move it away, or set procedure_dir to another`)
    const isSameFolder = this.#folder !== null && isSigned(this.#folder, this.#base)
    this.#names = isSameFolder ? (this.#base?.listedNames() ?? []) : (files.names(folder) ?? [])
    for (const { place, stat } of this.#holdAgainstBase()) {
      const fileName = this.#names[place] ?? ''
      const document = this.#documents[place] ?? -1
      const file = isCandidate(fileName) ? this.#look(fileName, document, stat) : null
      if (file === 'stands') this.#stand(document)
      if (file === 'stands' || file === null) continue
      const path = `${name}/${fileName}`
      beside.set(path, file)
      if (file.reading === null) continue
      read.push(file)
      if (read.length <= textsMax && sink === null) continue
      sink ??= openSink()
      for (const full of read) beside.set(full.path, handedTo(sink, full))
      read = []
    }
    this.#beside = beside
    return sink
  }

  /**
   * Finds the documents of the names, and which of them stand by their signature alone.
   * @returns all that do not, with their places in `#names`
   */
  #holdAgainstBase(): readonly ChangedFile[] {
    const { files, folder } = this.#options
    const base = this.#base
    const names = this.#names
    if (base === null) {
      this.#documents = new Int32Array(names.length).fill(-1)
      return names.map((_, place) => ({ place, stat: null }))
    }
    let { signatures } = base
    // Mostly nothing was added or removed, and comparing two long strings is next to nothing.
    if (base.isListing(names)) {
      this.#documents = base.listed
      this.#dead = base.gapMarks()
      this.#standingCount = base.footer.documents - base.footer.gaps
    } else signatures = this.#foundInBase(base)
    const changed = files.changed(folder, names, signatures)
    if (changed.length > MANY_CHANGED) base.loadVersions()
    for (const { place } of changed) this.#fall(this.#documents[place] ?? -1)
    return changed
  }

  /** Name by name. @returns the signatures of the documents found, as `Files.changed` takes them */
  #foundInBase(base: Base): Float64Array {
    const names = this.#names
    const documents = new Int32Array(names.length).fill(-1)
    const signatures = new Float64Array(names.length * SIGNATURE_VALUES).fill(Number.NaN)
    const dead = new Uint8Array(base.documentCount).fill(1)
    let place = -1
    let standing = 0
    for (const [at, fileName] of names.entries()) {
      const found = base.placeOf(fileName, place + 1)
      if (found === -1) continue
      place = found
      const document = base.listed[place] ?? -1
      documents[at] = document
      dead[document] = 0
      standing += 1
      const known = place * SIGNATURE_VALUES
      signatures.set(base.signatures.subarray(known, known + SIGNATURE_VALUES), at * SIGNATURE_VALUES)
    }
    this.#documents = documents
    this.#dead = dead
    this.#standingCount = standing
    return signatures
  }

  #fall(document: number): void {
    if (document === -1) return
    this.#dead[document] = 1
    this.#standingCount -= 1
  }

  #stand(document: number): void {
    this.#dead[document] = 0
    this.#standingCount += 1
  }

  /**
   * Looks at one file and at no other, between two scans. Its name may be new: a base is only built after a scan.
   * @returns the texts of a valid file that lies beside the base; null for any other
   */
  lookAt(fileName: string): Experience | null {
    const path = `${this.#options.name}/${fileName}`
    const document = this.#base?.documentOf(fileName) ?? -1
    const file = this.#look(fileName, document, null)
    const beside = new Map(this.#beside)
    if (file === 'stands' || file === null) beside.delete(path)
    else beside.set(path, file)
    if (document !== -1 && (this.#dead[document] === 0) !== (file === 'stands'))
      if (file === 'stands') this.#stand(document)
      else this.#fall(document)
    this.#beside = beside
    return file !== 'stands' && file !== null && 'texts' in file.outcome ? file.outcome.texts : null
  }

  /** @returns null when the file is gone, `stands` when it is the base's document. @param known where it was just looked at */
  #look(fileName: string, document: number, known: FileStat | null): FileBeside | 'stands' | null {
    const { files, folder, name } = this.#options
    const absolute = `${folder}/${fileName}`
    const path = `${name}/${fileName}`
    try {
      const stat = known ?? files.stat(absolute)
      if (stat !== null && this.#isReread(document, stat)) return 'stands'
      const before = this.#beside.get(path)
      if (stat !== null && before !== undefined && isWhole(before) && isSettled(before.reading, stat)) return before
      const fault = unreadFault(fileName, stat)
      if (fault !== null) return unread(path, fault)
      return stat === null ? null : this.#read(path, absolute, document, stat)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      return { ...unread(path, error.message), isUnreadable: true }
    }
  }

  #isReread(document: number, stat: FileStat): boolean {
    const reread = this.#reread.get(document)
    return reread !== undefined && isSettled(reread, stat)
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

  /** What a base that follows must know, as of the last scan. @param fileSystem null where it could not be tried out */
  change(fileSystem: FileSystemFacts | null): Omit<BaseChange, 'before' | 'columns'> {
    const skewMs = fileSystem?.skewMs ?? null
    const read = [...this.#besideRead()]
    return {
      dead: this.#dead,
      listing: { names: this.#names, slots: this.#slots(read), folder: this.#folderSignature(fileSystem) },
      lookedAt: new Map([...this.#reread].map(([document, reading]) => [document, signatureOf(reading, skewMs)])),
      added: read.map(({ reading, version, outcome }) => ({
        signature: signatureOf(reading, skewMs),
        version,
        textKeys: 'textKeys' in outcome ? outcome.textKeys : null,
        fault: 'fault' in outcome ? outcome.fault : null,
      })),
      takenMs: this.#scannedMs,
    }
  }

  /** See `Listing`. @param added the new documents, in their order */
  #slots(added: readonly FileBeside[]): Int32Array {
    const { length } = `${this.#options.name}/`
    const places = new Map(added.map(({ path }, place) => [path.slice(length), place]))
    return Int32Array.from(this.#documents, (document, at) => {
      if (document !== -1 && this.#dead[document] === 0) return document
      const place = places.get(this.#names[at] ?? '')
      return place === undefined ? -1 : this.#dead.length + place
    })
  }

  #folderSignature(fileSystem: FileSystemFacts | null): FolderSignature | null {
    const folder = this.#folder
    if (folder === null || fileSystem === null || fileSystem.stampingDevice !== folder.device) return null
    const scannedMs = this.#scannedMs + fileSystem.skewMs
    return isNear(folder, scannedMs) ? null : [folder.mtimeMs, folder.ctimeMs, folder.inode]
  }

  *#besideRead(): Iterable<FileBeside & { readonly reading: FileReading }> {
    for (const file of this.#beside.values()) if (hasReading(file)) yield file
  }

  /** After a base was built from all that stands or was `added`: it holds everything as of the last scan. */
  settle(base: Base): void {
    this.#base = base
    this.#dead = base.gapMarks()
    this.#standingCount = base.footer.documents - base.footer.gaps
    this.#reread = new Map()
    const unread = new Map<string, FileBeside>()
    for (const file of this.#beside.values()) if (file.reading === null) unread.set(file.path, file)
    this.#beside = unread
  }
}

/** Whether nothing was added to the folder, removed or renamed since the base was made. */
function isSigned({ kind, mtimeMs, ctimeMs, inode }: FileStat, base: Base | null): boolean {
  const folder = base?.footer.folder
  if (folder === undefined || folder === null || kind !== 'folder') return false
  return folder[0] === mtimeMs && folder[1] === ctimeMs && folder[2] === inode
}

function hasReading(file: FileBeside): file is FileBeside & { readonly reading: FileReading } {
  return file.reading !== null
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

/** Known by its name, kind or size alone, or not readable at this moment: cheap to find out anew each time. */
function unread(path: string, fault: string): FileBeside {
  return { path, reading: null, version: '', outcome: { fault } }
}

function outcomeOf(bytes: Uint8Array, digest: Digest): FileBeside['outcome'] {
  try {
    const texts = readExperience(bytes)
    return { texts, textKeys: textKeysOf(texts, digest) }
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return { fault: error.message }
  }
}
