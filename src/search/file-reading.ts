/**
 * When a file was read, and whether it can have changed since without showing it: the racy rule. Knows times and
 * signatures; touches no file.
 */
import type { FileStat } from '../ports.ts'
import type { Signature } from './base-manifest.ts'

/**
 * A file system may give two writes in a row the same time. What was written this close to being read is therefore
 * read again, as git does with its "racily clean" entries; FAT keeps times in steps of 2 s.
 */
export const RACY_MS = 2_000
/** Where the clock of the file system cannot be asked, it is taken to be off from ours by no more than this. */
const CLOCK_SKEW_MS_MAX = 24 * 60 * 60 * 1000

/** A file as it was read, and when. Times are epoch milliseconds by our clock. */
export interface FileReading {
  readonly stat: FileStat
  /** When the file was first found with this signature. */
  readonly firstMs: number
  readonly readMs: number
}

/**
 * Whether the file is still what was read. Between two times by the same clock it does not matter how far that clock is
 * off: what looked the same for longer than the steps of the file system's time was not written again in between.
 */
export function isSettled(reading: FileReading | null, stat: FileStat): boolean {
  if (reading === null || !isSameFile(reading.stat, stat)) return false
  return isSeenLong(reading) || lastChange(stat) < reading.readMs - CLOCK_SKEW_MS_MAX
}

function isSeenLong({ firstMs, readMs }: FileReading): boolean {
  return readMs - firstMs >= RACY_MS
}

/** Null where the file could have been written again, unnoticed, after it was read. */
export function signatureOf(reading: FileReading, skewMs: number | null): Signature | null {
  const { bytes, mtimeMs, ctimeMs, inode } = reading.stat
  return isRacy(reading, skewMs) ? null : [bytes, mtimeMs, ctimeMs, inode]
}

function isRacy(reading: FileReading, skewMs: number | null): boolean {
  const { stat, readMs } = reading
  if (skewMs === null) return !isSettled(reading, stat)
  return !isSeenLong(reading) && isNear(stat, readMs + skewMs)
}

/** Whether it was changed about then. A time in the future was set by hand: the next write changes it. */
export function isNear({ mtimeMs, ctimeMs }: FileStat, timeMs: number): boolean {
  return Math.abs(mtimeMs - timeMs) <= RACY_MS || Math.abs(ctimeMs - timeMs) <= RACY_MS
}

export function lastChange(stat: FileStat): number {
  return Math.max(stat.mtimeMs, stat.ctimeMs)
}

export function isSameFile(a: FileStat, b: FileStat): boolean {
  return (
    a.kind === b.kind &&
    a.bytes === b.bytes &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.inode === b.inode
  )
}
