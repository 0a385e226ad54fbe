/** Standard output and error, written at once: the runtime's streams cost a command a third of its start. */
import { writeSync } from 'node:fs'
import { errnoOf } from './file-fault.ts'

const PAUSE_MS = 1

/** Whether a descriptor is a terminal: 0 input, 1 output, 2 error. */
export async function isTerminal(descriptor: number): Promise<boolean> {
  // Imported only when somebody asks: it takes as long to load as the program's own modules.
  const { isatty } = await import('node:tty')
  return isatty(descriptor)
}

/** Writes all of it, waiting for a reader that is slow. @returns null, or the errno: EPIPE when nobody reads it */
export function writeAll(descriptor: number, text: string): string | null {
  const bytes = new TextEncoder().encode(text)
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written, bytes.length - written)
    } catch (error) {
      const errno = errnoOf(error)
      if (errno !== 'EAGAIN') return errno
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
  return null
}
