/** Standard input, output and error, at once: the runtime's streams cost a command a third of its start. */
import { readSync, writeSync } from 'node:fs'
import { MemoryError } from '../model/memory-error.ts'
import { errnoOf, fileFault } from './file-fault.ts'

const PAUSE_MS = 1
const READ_BYTES = 65_536

/** Whether a descriptor is a terminal: 0 input, 1 output, 2 error. */
export async function isTerminal(descriptor: number): Promise<boolean> {
  // Imported only when somebody asks: it takes as long to load as the program's own modules.
  const { isatty } = await import('node:tty')
  return isatty(descriptor)
}

/** All that comes until its end. Throws `file_too_large`, and faults of what is read. */
export function readAll(descriptor: number, bytesMax: number): Uint8Array {
  const parts: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const part = readPart(descriptor)
    if (part === null) {
      pause()
      continue
    }
    if (part.length === 0) return joined(parts, bytes)
    parts.push(part)
    bytes += part.length
    if (bytes > bytesMax)
      throw new MemoryError('file_too_large', `standard input holds more than ${bytesMax} bytes; give less`)
  }
}

/** Empty at the end; null when there is nothing yet. */
function readPart(descriptor: number): Uint8Array | null {
  const buffer = new Uint8Array(READ_BYTES)
  try {
    return buffer.subarray(0, readSync(descriptor, buffer, 0, READ_BYTES, null))
  } catch (error) {
    switch (errnoOf(error)) {
      case 'EAGAIN':
        return null
      // Of a pipe whose writer has gone, on Windows.
      case 'EOF':
        return new Uint8Array()
      default:
        throw fileFault('read', 'standard input', error)
    }
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
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
      pause()
    }
  }
  return null
}
