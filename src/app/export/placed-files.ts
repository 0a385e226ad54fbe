/** Puts a set of files into a folder of a person: what is there and is not its own stays, and then nothing is written. */
import { type Running, throwIfInterrupted } from '../../importer/running.ts'
import { MemoryError } from '../../model/memory-error.ts'
import type { Files } from '../../ports.ts'
import type { Layout } from '../../workspace/layout.ts'
import { folderOf, publishNewOutside, removeOutsideLeftovers, replaceOutside } from '../../workspace/publication.ts'
import type { Machine } from '../machine.ts'
import { requireOutside } from '../new-outside-file.ts'

/** What is larger was not made here. */
const OWN_BYTES_MAX = 2 ** 30

export interface PlacedFile {
  /** In the folder: a name, or that of a folder and one in it. */
  readonly path: string
  readonly data: Uint8Array
  /** Whether what stands in its place may be replaced. */
  readonly isOwn: (found: Uint8Array) => boolean
}

/** The folder, every link on the way followed. Throws `invalid_argument`, `not_a_file`. */
export function exportFolder(machine: Machine, layout: Layout, dir: string): string {
  const { files, outside } = machine
  const folder = outside.realPath(outside.absolutePath(dir))
  requireOutside(machine, layout, folder)
  const found = files.stat(folder)
  if (found !== null && found.kind !== 'folder')
    throw new MemoryError('not_a_file', `${folder} is no folder; name another one`, { path: folder })
  return folder
}

interface PlacingSetup {
  readonly machine: Machine
  readonly layout: Layout
  /** As `exportFolder` gave it. */
  readonly folder: string
  readonly run: Pick<Running, 'yieldToSignals' | 'signal'>
}

/**
 * Makes the folder and those above it where they are missing. Looks at all places first; then each file is there whole, old
 * or new, whatever happens. Throws `name_taken`, `interrupted`.
 */
export async function placeFiles(
  { machine, layout, folder, run }: PlacingSetup,
  placed: readonly PlacedFile[],
): Promise<void> {
  const { files, ids } = machine
  const left = placed.flatMap((file) => {
    const path = `${folder}/${file.path}`
    requireOutside(machine, layout, folderOf(path))
    const state = stateOf(machine, path, file)
    if (state !== 'same') return [{ path, data: file.data, state }]
    // It may have been killed between giving the file its name and taking away the other.
    removeOutsideLeftovers(files, folderOf(path), machine.isRunning)
    return []
  })
  makeFolders(files, folder)
  for (const { path, data, state } of left) {
    await throwIfInterrupted(run, 'files that are there are whole; run it again')
    if (folderOf(path) !== folder) makeFolders(files, folderOf(path))
    if (state === 'own') replaceOutside(files, ids, machine, path, data)
    else if (!publishNewOutside(files, ids, machine, path, data)) throw notOwn(path)
  }
}

function stateOf({ files }: Machine, path: string, { data, isOwn }: PlacedFile): 'free' | 'same' | 'own' {
  const parent = files.stat(folderOf(path))
  if (parent === null) return 'free'
  if (parent.kind !== 'folder') throw notOwn(folderOf(path))
  const found = files.stat(path)
  if (found === null) return 'free'
  if (found.kind !== 'file' || found.bytes > OWN_BYTES_MAX) throw notOwn(path)
  const bytes = files.read(path) ?? new Uint8Array()
  if (bytes.length === data.length && bytes.every((byte, at) => byte === data[at])) return 'same'
  if (!isOwn(bytes)) throw notOwn(path)
  return 'own'
}

function makeFolders(files: Files, folder: string): void {
  if (files.stat(folder) !== null) return
  makeFolders(files, folderOf(folder))
  files.makeFolder(folder)
  files.syncFolder(folderOf(folder))
}

function notOwn(path: string): MemoryError {
  return new MemoryError(
    'name_taken',
    `${path} was not made by this export, or was changed since, and is left as it is; move it away, or name another folder`,
    { path },
  )
}
