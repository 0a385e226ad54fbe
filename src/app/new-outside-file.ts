/** What a person wants outside the workspace: where it may lie, and putting it there. */
import { MemoryError } from '../model/memory-error.ts'
import type { Layout } from '../workspace/layout.ts'
import { folderOf, publishNewOutside } from '../workspace/publication.ts'
import type { Machine } from './machine.ts'

export interface NewOutsideFile {
  /** Absolute. */
  readonly path: string
  /** The whole file or none. Throws `name_taken`. */
  readonly publish: (data: Uint8Array) => void
}

/** Throws `name_taken`, `not_found`, and `invalid_argument` for a place in the workspace. */
export function newOutsideFile(machine: Machine, layout: Layout, file: string): NewOutsideFile {
  const { files, ids, outside } = machine
  const path = outside.absolutePath(file)
  requireOutside(machine, layout, path)
  if (files.stat(path) !== null) throw alreadyThere(path)
  if (files.stat(folderOf(path)) === null)
    throw new MemoryError('not_found', `there is no folder ${folderOf(path)}; make it first, or name another file`)
  const publish = (data: Uint8Array) => {
    if (!publishNewOutside(files, ids, machine, path, data)) throw alreadyThere(path)
  }
  return { path, publish }
}

/** Throws `invalid_argument` for a place in the workspace, by whatever links it is named. @param path absolute */
export function requireOutside({ outside }: Pick<Machine, 'outside'>, layout: Layout, path: string): void {
  const root = outside.realPath(layout.root)
  const real = outside.realPath(path)
  if (real === root || real.startsWith(`${root}/`))
    throw new MemoryError('invalid_argument', `${path} lies in the workspace itself; name a place elsewhere`)
}

function alreadyThere(path: string): MemoryError {
  return new MemoryError('name_taken', `${path} exists already and is left as it is; name another file`, { path })
}
