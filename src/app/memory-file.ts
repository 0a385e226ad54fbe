/**
 * The file of the memory graph as one run of the program opens it: for reading where nothing is written, anew where
 * somebody has replaced it. It follows SQLite's own locking and takes no lock of the workspace.
 */
import { bringToPresentSchema, schemaVersion } from '../graph/memory-graph.ts'
import { MIGRATIONS } from '../graph/schema-migrations.ts'
import { invariant } from '../model/memory-error.ts'
import type { Database, DatabaseMode, OpenDatabase } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf } from '../workspace/publication.ts'
import { makeMemoryFolder, refuseMemoryLinks } from '../workspace/workspace.ts'
import type { Machine } from './machine.ts'

export interface MemoryFileSetup {
  readonly machine: Machine
  readonly openDatabase: OpenDatabase
  readonly layout: Layout
}

interface OpenedDatabase {
  readonly database: Database
  /** In `scratch` it is an empty one that nobody keeps, of a workspace without a graph. */
  readonly mode: DatabaseMode
  /** Of its file, which somebody may replace. */
  readonly inode: number | null
}

export class MemoryFile implements Disposable {
  readonly #setup: MemoryFileSetup
  #opened: OpenedDatabase | null = null
  /** Opened before. Whoever runs beside may be about to read one, so they are closed at the end. */
  readonly #retired: Database[] = []

  constructor(setup: MemoryFileSetup) {
    this.#setup = setup
  }

  get isMade(): boolean {
    return this.#inode !== null
  }

  /** What is open and still is the file there is, or may be opened as it is wanted. */
  open(wanted: 'read' | 'write'): OpenedDatabase {
    const { machine, layout } = this.#setup
    refuseMemoryLinks(machine.files, layout)
    const opened = this.#opened
    if (opened !== null && opened.inode === this.#inode && (wanted === 'read' || opened.mode === 'write')) return opened
    this.#retire()
    this.#opened = wanted === 'write' ? this.#openForWriting() : this.#openForReading()
    return this.#opened
  }

  /** Null where there is none. What it knows of the experience files may be of an earlier moment. */
  asItLies(): Database | null {
    const { database, mode } = this.open('read')
    return mode === 'scratch' ? null : database
  }

  /** A whole copy as of one moment, also while others write. @returns false where there is nothing to copy */
  copyTo(target: string): boolean {
    const database = this.asItLies()
    database?.copyTo(target)
    return database !== null
  }

  get #path(): string {
    return inWorkspace(this.#setup.layout, this.#setup.layout.memory)
  }

  get #inode(): number | null {
    return this.#setup.machine.files.stat(this.#path)?.inode ?? null
  }

  #openForWriting(): OpenedDatabase {
    const { machine, layout } = this.#setup
    this.#requireOwn()
    makeMemoryFolder(machine, layout)
    const database = this.#openFile('write')
    invariant(database !== null, 'who writes makes what is missing')
    this.#preparing(database, () => bringToPresentSchema(database))
    // Whoever made the file may have died before its name was on the disk.
    machine.files.syncFolder(folderOf(this.#path))
    return { database, mode: 'write', inode: this.#inode }
  }

  /** To open a database for writing changes it already: it is looked at before. */
  #requireOwn(): void {
    const database = this.#openFile('read')
    if (database === null) return
    this.#preparing(database, () => schemaVersion(database))
    database[Symbol.dispose]()
  }

  #openForReading(): OpenedDatabase {
    const database = this.#openFile('read')
    if (database === null) return this.#openScratch()
    const version = this.#preparing(database, () => schemaVersion(database))
    if (version === MIGRATIONS.length) return { database, mode: 'read', inode: this.#inode }
    database[Symbol.dispose]()
    // Whoever made the file was stopped before there was anything in it.
    return version === 0 ? this.#openScratch() : this.#openForWriting()
  }

  #openScratch(): OpenedDatabase {
    const database = this.#openFile('scratch')
    invariant(database !== null, 'there is always room for an empty one')
    bringToPresentSchema(database)
    return { database, mode: 'scratch', inode: this.#inode }
  }

  #openFile(mode: DatabaseMode): Database | null {
    return this.#setup.openDatabase(this.#path, mode)
  }

  #preparing<T>(database: Database, work: () => T): T {
    try {
      return work()
    } catch (error) {
      database[Symbol.dispose]()
      throw error
    }
  }

  #retire(): void {
    if (this.#opened !== null) this.#retired.push(this.#opened.database)
    this.#opened = null
  }

  [Symbol.dispose](): void {
    this.#retire()
    for (const database of this.#retired) database[Symbol.dispose]()
    this.#retired.length = 0
  }
}
