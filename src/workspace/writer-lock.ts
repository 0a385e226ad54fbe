/** One writer a workspace. The operating system frees the lock; the note beside it only serves the message. */
import { isoTime } from '../model/iso-time.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, Files, Ids, Lock } from '../ports.ts'
import { inWorkspace, type Layout } from './layout.ts'
import { publishReplacement } from './publication.ts'

export interface WriterIdentity {
  readonly pid: number
  readonly command: string
}

/** Throws `workspace_locked` naming the holder. The folder `metadata` exists. */
export function lockForWriting(
  ports: { readonly files: Files; readonly lock: Lock; readonly clock: Clock; readonly ids: Ids },
  layout: Layout,
  writer: WriterIdentity,
): Disposable {
  const held = ports.lock.acquire(inWorkspace(layout, layout.lock))
  if (held === null) throw lockedBy(ports.files, layout)
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
  return held
}

function lockedBy(files: Files, layout: Layout): MemoryError {
  let holder = 'another process'
  const bytes = files.read(inWorkspace(layout, layout.lockHolder))
  try {
    const note: { pid?: unknown; command?: unknown } = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()))
    holder = `process ${String(note.pid)} (knowhow ${String(note.command)})`
  } catch {
    // A note that cannot be read costs the message its details, nothing else.
  }
  return new MemoryError(
    'workspace_locked',
    `${layout.root} is being written by ${holder}; try again when it has ended`,
  )
}
