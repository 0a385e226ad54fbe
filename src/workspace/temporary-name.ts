/** Names of files that are not whole yet. Knows names; touches no file. */
import type { Ids } from '../ports.ts'

const TEMPORARY = /^\.knowhow-[a-z0-9]+\.tmp$/
const OWNED_TEMPORARY = /^\.knowhow-(\d+)-[a-z0-9]+\.tmp$/

/** For a folder that a lock protects: what lies there without the lock being held is a leftover. */
export function temporaryName(ids: Ids): string {
  return `.knowhow-${ids.next()}.tmp`
}

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}

/** For a folder without a lock: tells the process. */
export function ownedTemporaryName(ids: Ids, pid: number): string {
  return `.knowhow-${pid}-${ids.next()}.tmp`
}

/** The process that made the file; null for a file that is no such temporary. */
export function ownerOfTemporary(name: string): number | null {
  const pid = OWNED_TEMPORARY.exec(name)?.[1]
  return pid === undefined ? null : Number(pid)
}
