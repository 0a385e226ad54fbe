/** Temporary files of processes that were killed. */
import { lstatSync, readdirSync, rmSync } from 'node:fs'

/** Those of running processes are younger. */
const AGE_MS = 60 * 60 * 1000

/** @param names of temporary files, as whole names. Throws an errno. */
export function removeLeftovers(folder: string, names: RegExp, nowMs: number): void {
  for (const name of readdirSync(folder)) {
    if (!names.test(name)) continue
    const path = `${folder}/${name}`
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isDirectory()) continue
    if (nowMs - found.mtimeMs > AGE_MS) rmSync(path, { force: true })
  }
}
