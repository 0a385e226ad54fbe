/** Puts whole files into place, or none: temporary file, sync, one atomic step, folder sync. */
import type { Files, Ids } from '../ports.ts'
import { inWorkspace, type Layout } from './layout.ts'

const TEMPORARY = /^\.knowhow-[a-z0-9]+\.tmp$/

/** @returns false, with nothing changed, when `path` exists. */
export function publishNew(files: Files, ids: Ids, layout: Layout, path: string, data: Uint8Array): boolean {
  return publishNewAt(files, ids, inWorkspace(layout, path), data)
}

/** The same for a file that lies anywhere. @param target absolute */
export function publishNewAt(files: Files, ids: Ids, target: string, data: Uint8Array): boolean {
  return throughTemporary(files, ids, target, data, (temporary) => {
    const published = files.link(temporary, target)
    files.remove(temporary)
    return published
  })
}

/** Replaces `path` by `data`; a reader sees the old bytes or the new ones. */
export function publishReplacement(files: Files, ids: Ids, layout: Layout, path: string, data: Uint8Array): void {
  const target = inWorkspace(layout, path)
  throughTemporary(files, ids, target, data, (temporary) => {
    files.rename(temporary, target)
    return true
  })
}

function throughTemporary(
  files: Files,
  ids: Ids,
  target: string,
  data: Uint8Array,
  place: (temporary: string) => boolean,
): boolean {
  const folder = folderOf(target)
  // In the same folder, for only within one file system is a rename atomic.
  const temporary = `${folder}/.knowhow-${ids.next()}.tmp`
  files.create(temporary, data)
  let placed: boolean
  try {
    placed = place(temporary)
  } catch (error) {
    files.remove(temporary)
    throw error
  }
  if (placed) files.syncFolder(folder)
  return placed
}

/** Of an absolute path. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

/** Removes what killed runs left half-done in `folder`, '' for the root. Only for the holder of the writer's lock. */
export function removeLeftovers(files: Files, layout: Layout, folder: string): void {
  for (const entry of files.list(inWorkspace(layout, folder)) ?? [])
    if (entry.kind === 'file' && TEMPORARY.test(entry.name))
      files.remove(inWorkspace(layout, `${folder}/${entry.name}`))
}
