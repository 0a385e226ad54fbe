/** Names, sizes and times of the files of a folder: what a one-shot search must look at to notice edits. */
import { lstatSync, readdirSync } from 'node:fs'

export interface ScannedFolder {
  /** In the order of the folder. */
  readonly names: readonly string[]
  readonly sizes: Float64Array<ArrayBuffer>
  /** Epoch milliseconds with fractions. */
  readonly times: Float64Array<ArrayBuffer>
}

/** Goes into the folder, since relative paths are the fastest to look at. */
export function scanFolder(folder: string): ScannedFolder {
  process.chdir(folder)
  const names = readdirSync('.')
  const sizes = new Float64Array(names.length)
  const times = new Float64Array(names.length)
  for (const [at, name] of names.entries()) {
    const { size, mtimeMs } = lstatSync(name)
    sizes[at] = size
    times[at] = mtimeMs
  }
  return { names, sizes, times }
}
