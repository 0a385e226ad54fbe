/**
 * Tries out on a folder what every durable write relies on: exclusive links, atomic renames, syncs, appends that can be
 * taken back. Leaves nothing behind.
 */
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Files, Ids } from '../ports.ts'
import { outsideTemporaryName } from './temporary-name.ts'

const encoder = new TextEncoder()
const [FIRST, SECOND] = ['first', 'second']

/** What did not work, in a sentence each. @param folder absolute; exists */
export function fileSystemFaults(files: Files, ids: Ids, pid: number, folder: string): readonly string[] {
  const paths = [0, 1].map(() => `${folder}/${outsideTemporaryName(ids, pid)}`)
  const [from, to] = paths
  invariant(from !== undefined && to !== undefined, 'two paths')
  const faults: string[] = []
  const expectThat = (fault: string, isFine: () => boolean): void => {
    try {
      if (!isFine()) faults.push(fault)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      faults.push(`${fault} (${error.message})`)
    }
  }
  try {
    expectThat('a file cannot be made and synced', () => {
      files.create(from, encoder.encode(FIRST))
      return textAt(files, from) === FIRST
    })
    if (faults.length > 0) return faults
    expectThat(
      'a file cannot be published under a free name',
      () => files.link(from, to) && textAt(files, to) === FIRST,
    )
    expectThat('a taken name is not kept', () => {
      // Where there are no hard links the first name has become the second.
      if (files.stat(from) === null) files.create(from, encoder.encode(FIRST))
      return !files.link(from, to)
    })
    expectThat('a file cannot be replaced', () => {
      files.remove(from)
      files.create(from, encoder.encode(SECOND))
      files.rename(from, to)
      return textAt(files, to) === SECOND && files.stat(from) === null
    })
    expectThat('what was appended cannot be synced or taken back', () => {
      using file = files.openAppend(to)
      file.append(encoder.encode(FIRST))
      file.sync()
      file.truncate(SECOND.length)
      return textAt(files, to) === SECOND
    })
    expectThat('a folder cannot be synced', () => {
      files.syncFolder(folder)
      return true
    })
    return faults
  } finally {
    for (const path of paths) expectThat('what was made cannot be removed', () => removed(files, path))
  }
}

function textAt(files: Files, path: string): string {
  return new TextDecoder().decode(files.read(path) ?? new Uint8Array())
}

function removed(files: Files, path: string): boolean {
  files.remove(path)
  return files.stat(path) === null
}
