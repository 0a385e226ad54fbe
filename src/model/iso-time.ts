/** Moments as they stand in files. */

/** @param ms epoch milliseconds */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
