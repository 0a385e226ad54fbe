/** A workspace made or opened: its folders, its git files, its one writer. */
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Digest, Files, Ids, Lock } from '../ports.ts'
import { refuseLinks } from './confinement.ts'
import { guardedFiles } from './guarded-files.ts'
import { gitFiles, inWorkspace, type Layout } from './layout.ts'
import { folderOf, type Processes, publishNewOutside, publishReplacement, removeLeftovers } from './publication.ts'
import { lockForWriting, type WriterIdentity } from './writer-lock.ts'

export interface WorkspacePorts {
  readonly files: Files
  readonly lock: Lock
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
}

/** The right to write, as long as it is not disposed. */
export interface WritableWorkspace extends Disposable {
  readonly ports: WorkspacePorts
  readonly layout: Layout
}

/** Makes what is missing, takes the writer's lock, and cleans up behind killed runs. Throws `workspace_locked`. */
export function openForWriting(ports: WorkspacePorts, layout: Layout, writer: WriterIdentity): WritableWorkspace {
  const folders = [layout.trajectories, layout.procedures, layout.imports, layout.processing, layout.operations]
  makeRoot(ports.files, layout.root)
  for (const folder of folders) makeFolders(ports.files, layout, folder)
  const held = lockForWriting(ports, layout, writer)
  try {
    for (const [name, text] of Object.entries(gitFiles(layout))) writeOnce(ports, layout, name, text)
    for (const folder of [...folders, 'metadata', ''])
      removeLeftovers(ports.files, layout, folder, (pid) => ports.lock.isRunning(pid))
  } catch (error) {
    held[Symbol.dispose]()
    throw error
  }
  const guarded = { ...ports, files: guardedFiles(ports.files, () => held.requireHeld()) }
  return { ports: guarded, layout, [Symbol.dispose]: () => held[Symbol.dispose]() }
}

/**
 * Makes what the memory graph needs around its file, without the writer's lock: of two that do so at once each finds or
 * makes the same.
 */
export function makeMemoryFolder(
  { files, ids, pid, isRunning }: Pick<WorkspacePorts, 'files' | 'ids'> & Processes,
  layout: Layout,
): void {
  makeRoot(files, layout.root)
  makeFolders(files, layout, folderOf(layout.memory))
  for (const [name, text] of Object.entries(gitFiles(layout))) {
    const path = inWorkspace(layout, name)
    if (files.stat(path) !== null) continue
    publishNewOutside(files, ids, { pid, isRunning }, path, new TextEncoder().encode(text))
  }
}

/** Throws `path_outside` for a link in the place of the memory graph's file, or of one that SQLite makes beside it. */
export function refuseMemoryLinks(files: Files, layout: Layout): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) refuseLinks(files, layout, `${layout.memory}${suffix}`)
}

function makeRoot(files: Files, root: string): void {
  const found = files.stat(root)
  if (found?.kind === 'file' || found?.kind === 'other')
    throw new MemoryError('not_a_file', `${root} is not a folder; choose another one with --workspace`)
  if (found !== null) return
  const parent = folderOf(root)
  if (files.stat(parent) === null) makeRoot(files, parent)
  files.makeFolder(root)
  files.syncFolder(parent)
}

/** Every parent is synced, also of folders that were there: whoever made them may have died before doing it. */
function makeFolders(files: Files, layout: Layout, folder: string): void {
  refuseLinks(files, layout, folder)
  let parent = layout.root
  for (const part of folder.split('/')) {
    const path = `${parent}/${part}`
    if (files.stat(path) === null) files.makeFolder(path)
    files.syncFolder(parent)
    parent = path
  }
}

/** A person's own file of that name is left as it is. */
function writeOnce(ports: WorkspacePorts, layout: Layout, name: string, text: string): void {
  if (ports.files.stat(inWorkspace(layout, name)) !== null) return
  publishReplacement(ports.files, ports.ids, layout, name, new TextEncoder().encode(text))
}
