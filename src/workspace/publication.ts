/** Puts whole files into place, or none: temporary file, sync, one atomic step, folder sync. */
import { MemoryError } from '../model/memory-error.ts'
import type { Files, Ids } from '../ports.ts'
import { inWorkspace, type Layout } from './layout.ts'
import { isTemporary, ownedTemporaryName, ownerOfTemporary, temporaryName } from './temporary-name.ts'

/** @returns false, with nothing changed, when `path` exists. */
export function publishNew(files: Files, ids: Ids, layout: Layout, path: string, data: Uint8Array): boolean {
  const target = inWorkspace(layout, path)
  return throughTemporary(files, target, data, temporaryName(ids), linkedTo(files, target))
}

/** Of the processes of this machine. */
export interface Processes {
  readonly pid: number
  readonly isRunning: (pid: number) => boolean
}

/**
 * As `publishNew`, for a file that lies anywhere. There no lock tells whose a temporary is, so its name holds the process,
 * and those of processes that are no more are removed first. A process of another PID namespace, or of another machine on
 * the same network folder, may look ended from here: its publishing then fails, and nothing of it is visible.
 * @param target absolute
 */
export function publishNewOutside(
  files: Files,
  ids: Ids,
  { pid, isRunning }: Processes,
  target: string,
  data: Uint8Array,
): boolean {
  removeOutsideLeftovers(files, folderOf(target), isRunning)
  return throughTemporary(files, target, data, ownedTemporaryName(ids, pid), linkedTo(files, target))
}

/** Replaces a file that lies anywhere, as `publishNewOutside` makes one. @param target absolute */
export function replaceOutside(
  files: Files,
  ids: Ids,
  { pid, isRunning }: Processes,
  target: string,
  data: Uint8Array,
): void {
  removeOutsideLeftovers(files, folderOf(target), isRunning)
  throughTemporary(files, target, data, ownedTemporaryName(ids, pid), (temporary) => {
    files.rename(temporary, target)
    return true
  })
}

/**
 * Removes what ended processes left half-made in a folder without a lock, as far as that is possible.
 * @param remove for what is no file; such are left unless it is given
 */
export function removeOutsideLeftovers(
  files: Files,
  folder: string,
  isRunning: Processes['isRunning'],
  remove?: (path: string) => void,
): void {
  // A folder may be writable and not readable.
  const entries = triedCleaning(() => files.list(folder)) ?? []
  for (const { name, kind } of entries) {
    const owner = ownerOfTemporary(name)
    if (owner === null || isRunning(owner)) continue
    const path = `${folder}/${name}`
    // Another's leftover may be another's to remove.
    if (kind === 'file') triedCleaning(() => files.remove(path))
    else if (kind === 'folder' && remove !== undefined) triedCleaning(() => remove(path))
  }
}

/** Null when it failed: whether a file can be published is not for the cleaning before it to decide. */
function triedCleaning<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof MemoryError) return null
    throw error
  }
}

function linkedTo(files: Files, target: string): (temporary: string) => boolean {
  return (temporary) => {
    const published = files.link(temporary, target)
    files.remove(temporary)
    return published
  }
}

/** Replaces `path` by `data`; a reader sees the old bytes or the new ones. */
export function publishReplacement(files: Files, ids: Ids, layout: Layout, path: string, data: Uint8Array): void {
  const target = inWorkspace(layout, path)
  throughTemporary(files, target, data, temporaryName(ids), (temporary) => {
    files.rename(temporary, target)
    return true
  })
}

function throughTemporary(
  files: Files,
  target: string,
  data: Uint8Array,
  name: string,
  place: (temporary: string) => boolean,
): boolean {
  const folder = folderOf(target)
  // In the same folder, for only within one file system is a rename atomic.
  const temporary = `${folder}/${name}`
  try {
    files.create(temporary, data)
  } catch (error) {
    throw namingTarget(target, temporary, error)
  }
  let placed: boolean
  try {
    placed = place(temporary)
  } catch (error) {
    files.remove(temporary)
    throw namingTarget(target, temporary, error)
  }
  // Whatever has the name: a run that was killed after it gave it left it to the next power cut.
  files.syncFolder(folder)
  return placed
}

/** The person knows the file that was to be, and of no other. */
function namingTarget(target: string, temporary: string, error: unknown): unknown {
  if (!(error instanceof MemoryError)) return error
  const { code, message, details } = error
  const words = message.replace(`rename ${temporary} to ${target}`, `replace ${target}`).replaceAll(temporary, target)
  return new MemoryError(code, words, { ...details, path: target, cause: error })
}

/** Of an absolute path. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

/** Removes what killed runs left half-done in `folder`, '' for the root. Only for the holder of the writer's lock. */
export function removeLeftovers(files: Files, layout: Layout, folder: string, isRunning: Processes['isRunning']): void {
  for (const { name, kind } of files.list(inWorkspace(layout, folder)) ?? []) {
    const owner = ownerOfTemporary(name)
    // Whoever tries the file system out has no lock.
    const isLeft = isTemporary(name) || (owner !== null && !isRunning(owner))
    if (kind === 'file' && isLeft) files.remove(inWorkspace(layout, `${folder}/${name}`))
  }
}
