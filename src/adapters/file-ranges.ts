/** Reads pieces of a file that belongs to the program, perhaps of one inside its own executable. Nobody changes it meanwhile. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ReadRange } from '../ports.ts'

interface BunFiles {
  file(path: string): { slice(start: number, end?: number): { bytes(): Promise<Uint8Array<ArrayBuffer>> } }
}

const { Bun: bun } = globalThis as { readonly Bun?: BunFiles }

/** What lies in a compiled program has no descriptor: there Bun's own files read it, and only what is asked for. */
export function fileRanges(path: string): ReadRange {
  if (bun !== undefined) return (start, end) => bun.file(path).slice(start, end).bytes()
  return async (start, end) => readRange(path, start, end)
}

function readRange(path: string, start: number, end?: number): Uint8Array<ArrayBuffer> {
  const descriptor = openSync(path, 'r')
  try {
    const data = new Uint8Array((end ?? fstatSync(descriptor).size) - start)
    let filled = 0
    while (filled < data.length) {
      const count = readSync(descriptor, data, filled, data.length - filled, start + filled)
      if (count === 0) break
      filled += count
    }
    return data.subarray(0, filled)
  } finally {
    closeSync(descriptor)
  }
}
