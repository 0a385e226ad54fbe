/** Loads the engine's native part. Only for the process that holds the engine: whatever it does, it does to that one. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { zstdDecompressSync } from 'node:zlib'
import { cypherAddonFile, type PackedAddon } from './cypher-addon-file.ts'

/** Called with what went wrong, or null. */
type Done = (fault: Error | null) => void

export interface NativeDatabase {
  initSync(): void
}

export interface NativeConnection {
  initSync(): void
  queryAsync(statement: string, result: NativeResult, done: Done): void
  executeAsync(
    statement: NativeStatement,
    result: NativeResult,
    parameters: readonly (readonly [string, unknown])[],
    done: Done,
  ): void
}

export interface NativeStatement {
  initAsync(done: Done): void
  isSuccess(): boolean
  getErrorMessage(): string
  isReadOnly(): boolean
}

export interface NativeResult {
  hasNext(): boolean
  getNextSync(): Record<string, unknown>
  getColumnNamesSync(): readonly string[]
  getColumnDataTypesSync(): readonly string[]
  close(): void
}

export interface Addon {
  readonly NodeDatabase: {
    new (
      path: string,
      poolBytes: number,
      compresses: boolean,
      isReadOnly: boolean,
      bytesMax: number,
      // What follows is about a log and checkpoints, which a database in memory does not have.
      checkpoints: boolean,
      checkpointBytes: number,
      throwsOnReplay: boolean,
      hasChecksums: boolean,
      // Of node tables, over their keys.
      hasIndex: boolean,
    ): NativeDatabase
    getVersion(): string
  }
  readonly NodeConnection: new (database: NativeDatabase) => NativeConnection
  readonly NodePreparedStatement: new (connection: NativeConnection, statement: string) => NativeStatement
  readonly NodeQueryResult: new () => NativeResult
}

/** Nothing was built in, so that nothing can be mended here. */
export class MissingAddon extends Error {}

/**
 * @param folder private, and this run's alone: the addon is put there to be loaded. The runtime's own way, a name in the
 * temporary folder that anyone can foresee, would load what somebody else has put there.
 * Throws an Error whose message says why there is none.
 */
export function loadAddon(folder: string): Addon {
  const file = cypherAddonFile()
  if (file === null) throw new MissingAddon(`it is not built in for ${process.platform}-${process.arch}`)
  const path = typeof file === 'string' ? file : unpack(file, folder)
  const loaded = { exports: {} }
  process.dlopen(loaded, path, constants.dlopen.RTLD_LAZY)
  return loaded.exports as Addon
}

function unpack({ packedPath, sha256 }: PackedAddon, folder: string): string {
  const addon = zstdDecompressSync(readFileSync(packedPath))
  if (createHash('sha256').update(addon).digest('hex') !== sha256)
    throw new Error('what is built in is damaged; install the program anew')
  const path = join(folder, 'engine.node')
  writeFileSync(path, addon, { flag: 'wx', mode: 0o700 })
  return path
}
