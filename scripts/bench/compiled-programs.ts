/** The programs that a benchmark starts: the product as it was built, and peers compiled in the same way. */
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compileSettings } from '../compile-settings.ts'
import type { QuestionOptions } from './question-options.ts'

const SUFFIX = process.platform === 'win32' ? '.exe' : ''

export type PeerName = 'empty' | 'folder-scan' | 'fts5-search' | 'embedding-request' | 'hello-service'

/** With the settings of the product, so that only the programs differ. */
export async function compiledPeer(options: QuestionOptions, name: PeerName): Promise<string> {
  const folder = join(options.data, 'programs')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${name}${SUFFIX}`)
  await Bun.build({ entrypoints: [join(import.meta.dir, 'peers', `${name}.ts`)], ...compileSettings(outfile) })
  return outfile
}

/** A copy, which a build in the meantime does not replace. */
export function measuredBinary({ data, binary }: QuestionOptions): string {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run "npm run build" first`)
  const folder = join(data, 'programs')
  mkdirSync(folder, { recursive: true })
  const copy = join(folder, basename(binary))
  const isSame =
    existsSync(copy) &&
    statSync(copy).mtimeMs > statSync(binary).mtimeMs &&
    statSync(copy).size === statSync(binary).size
  if (!isSame) copyFileSync(binary, copy)
  return copy
}
