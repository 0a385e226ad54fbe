/**
 * Tries out on a folder what every durable write relies on: exclusive links, atomic renames, syncs, appends that can be
 * taken back. Leaves nothing behind.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { Files, Ids } from '../ports.ts'
import { type Processes, removeOutsideLeftovers } from './publication.ts'
import { ownedTemporaryName } from './temporary-name.ts'

const encoder = new TextEncoder()
const [FIRST, SECOND] = ['first', 'second']

/** What did not work, in a sentence each. Removes first what a killed probe left. @param folder absolute; exists */
export function fileSystemFaults(files: Files, ids: Ids, processes: Processes, folder: string): readonly string[] {
  removeOutsideLeftovers(files, folder, processes.isRunning)
  const from = `${folder}/${ownedTemporaryName(ids, processes.pid)}`
  const to = `${folder}/${ownedTemporaryName(ids, processes.pid)}`
  const faults = writingFaults(files, folder, from, to)
  const left = [from, to].filter((path) => files.stat(path) !== null && !works(() => removed(files, path)))
  return left.length === 0 ? faults : [...faults, 'what was made cannot be removed']
}

function writingFaults(files: Files, folder: string, from: string, to: string): readonly string[] {
  const steps: readonly (readonly [fault: string, step: () => boolean])[] = [
    [
      'a file cannot be made and synced',
      () => {
        files.create(from, encoder.encode(FIRST))
        return textAt(files, from) === FIRST
      },
    ],
    ['a file cannot be published under a free name', () => files.link(from, to) && textAt(files, to) === FIRST],
    [
      'a taken name is not kept',
      () => {
        // Where there are no hard links the first name has become the second.
        if (files.stat(from) === null) files.create(from, encoder.encode(FIRST))
        return !files.link(from, to)
      },
    ],
    [
      'a file cannot be replaced',
      () => {
        files.remove(from)
        files.create(from, encoder.encode(SECOND))
        files.rename(from, to)
        return textAt(files, to) === SECOND && files.stat(from) === null
      },
    ],
    [
      'what was appended cannot be synced or taken back',
      () => {
        using file = files.openAppend(to)
        file.append(encoder.encode(FIRST))
        file.sync()
        file.truncate(SECOND.length)
        return textAt(files, to) === SECOND
      },
    ],
    [
      'a folder cannot be synced',
      () => {
        files.syncFolder(folder)
        return true
      },
    ],
  ]
  const faults: string[] = []
  for (const [fault, step] of steps) {
    const why = faultOf(step)
    if (why !== null) faults.push(why === '' ? fault : `${fault} (${why})`)
    // Where nothing can be made, nothing else can be tried.
    if (why !== null && files.stat(from) === null && files.stat(to) === null) break
  }
  return faults
}

/** Null when it works, else why not, as far as that is known. */
function faultOf(step: () => boolean): string | null {
  try {
    return step() ? null : ''
  } catch (error) {
    if (error instanceof MemoryError) return error.message
    throw error
  }
}

function works(step: () => boolean): boolean {
  return faultOf(step) === null
}

function textAt(files: Files, path: string): string {
  return new TextDecoder().decode(files.read(path) ?? new Uint8Array())
}

function removed(files: Files, path: string): boolean {
  files.remove(path)
  return files.stat(path) === null
}
