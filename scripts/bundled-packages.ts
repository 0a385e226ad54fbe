/** Which npm packages the program is made of, as the bundler tells it. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')
const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/

export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Absolute. */
  readonly folder: string
}

/** Sorted by name; writes nothing. */
export async function bundledPackages(): Promise<readonly BundledPackage[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(ROOT, 'src', 'main.ts')],
    target: 'bun',
    splitting: true,
    metafile: true,
  })
  const folders = new Set(Object.keys(metafile?.inputs ?? {}).flatMap((path) => FOLDER.exec(path)?.[0] ?? []))
  const found = [...folders].map((folder) => packageIn(resolve(ROOT, folder)))
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

export function packageIn(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Omit<BundledPackage, 'folder'>
  return { name: manifest.name, version: manifest.version, license: manifest.license, folder }
}
