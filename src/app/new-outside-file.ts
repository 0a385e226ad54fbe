/** A new file that a person wants outside the workspace: where it may lie, and putting it there. */
import { MemoryError } from '../model/memory-error.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf, publishNewOutside } from '../workspace/publication.ts'
import type { Machine } from './machine.ts'

const OWN_FOLDERS = ['procedures', 'trajectories', 'imports', 'processing', 'operations', 'index'] as const

/** Where it is to lie, absolute. Throws `name_taken`, `not_found`, and `invalid_argument` for the workspace's own folders. */
export function newOutsidePath({ files, outside }: Machine, layout: Layout, file: string): string {
  const path = outside.absolutePath(file)
  const own = OWN_FOLDERS.find((name) => path.startsWith(`${inWorkspace(layout, layout[name])}/`))
  if (own !== undefined)
    throw new MemoryError('invalid_argument', `${path} lies among the workspace's own files; name a file elsewhere`)
  if (files.stat(path) !== null) throw alreadyThere(path)
  if (files.stat(folderOf(path)) === null)
    throw new MemoryError('not_found', `there is no folder ${folderOf(path)}; make it first, or name another file`)
  return path
}

/** The whole file or none. Throws `name_taken`. @param path as `newOutsidePath` gave it */
export function publishOutside(machine: Machine, path: string, data: Uint8Array): void {
  if (!publishNewOutside(machine.files, machine.ids, machine, path, data)) throw alreadyThere(path)
}

function alreadyThere(path: string): MemoryError {
  return new MemoryError('name_taken', `${path} exists already and is left as it is; name another file`, { path })
}
