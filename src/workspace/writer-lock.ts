/** One writer a workspace. The operating system frees the lock; the note beside it only serves the message. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Files, Ids, Lock } from '../ports.ts'
import { inWorkspace, type Layout } from './layout.ts'
import { publishReplacement } from './publication.ts'

// The holder has the lock before its note is on the disk: two syncs, of some milliseconds each.
const NOTE_LOOKS = 6
const NOTE_PAUSE_MS = 20

export interface WriterIdentity {
  readonly pid: number
  readonly command: string
}

export interface WriterLock extends Disposable {
  /** Throws `workspace_locked` when the lock's file is another by now: then somebody else may have locked that one. */
  requireHeld(): void
}

/** Throws `workspace_locked` naming the holder, at the latest after a tenth of a second. The folder `metadata` exists. */
export function lockForWriting(
  ports: { readonly files: Files; readonly lock: Lock; readonly clock: Clock; readonly ids: Ids },
  layout: Layout,
  writer: WriterIdentity,
): WriterLock {
  const held = acquired(ports, layout)
  const path = inWorkspace(layout, layout.lock)
  const inode = ports.files.stat(path)?.inode
  const note = { pid: writer.pid, command: writer.command, since: isoTime(ports.clock.now()) }
  try {
    publishReplacement(
      ports.files,
      ports.ids,
      layout,
      layout.lockHolder,
      new TextEncoder().encode(`${JSON.stringify(note)}\n`),
    )
  } catch (error) {
    held[Symbol.dispose]()
    throw error
  }
  return {
    requireHeld: () => {
      if (ports.files.stat(path)?.inode === inode) return
      throw new MemoryError(
        'workspace_locked',
        `${path} was removed or replaced during this run, so that others may write here by now; run it again`,
      )
    },
    [Symbol.dispose]: () => held[Symbol.dispose](),
  }
}

/** Who holds the lock, or held it last, by the note; null when there is none. Takes no lock and opens none. */
export function lastWriter(files: Files, layout: Layout): WriterIdentity | null {
  return parsedNote(files.read(inWorkspace(layout, layout.lockHolder)))
}

/**
 * Tries again while there is no note, or one of a process that has ended: the holder's own may be on its way, or the lock
 * free by now.
 */
function acquired(ports: { readonly files: Files; readonly lock: Lock }, layout: Layout): Disposable {
  for (let look = 1; ; look += 1) {
    const held = ports.lock.acquire(inWorkspace(layout, layout.lock))
    if (held !== null) return held
    const holder = lastWriter(ports.files, layout)
    // In the end it is believed: the holder may be one of another PID namespace.
    if (look === NOTE_LOOKS || (holder !== null && ports.lock.isRunning(holder.pid))) throw lockedBy(layout, holder)
    ports.lock.pause(NOTE_PAUSE_MS)
  }
}

function lockedBy(layout: Layout, holder: WriterIdentity | null): MemoryError {
  const words = holder === null ? 'another process' : `process ${holder.pid} (knowhow ${holder.command})`
  return new MemoryError('workspace_locked', `${layout.root} is being written by ${words}; try again when it has ended`)
}

function parsedNote(bytes: Uint8Array | null): WriterIdentity | null {
  if (bytes === null) return null
  try {
    const note: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isNote(note) ? note : null
  } catch {
    // A note that cannot be read costs the message its details, nothing else.
    return null
  }
}

function isNote(value: unknown): value is WriterIdentity {
  if (typeof value !== 'object' || value === null || !('pid' in value && 'command' in value)) return false
  return Number.isSafeInteger(value.pid) && typeof value.command === 'string'
}
