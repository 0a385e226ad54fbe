/** Peers that are no dependency of the project: npm puts them into the data folder when they are first asked for. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_TIME_MAX_MS = 120_000

export interface InstalledPeer<T> {
  readonly module: T
  readonly version: string
}

/** @returns null, with a notice on stderr, when the registry cannot be reached */
export async function installedPeer<T>(data: string, name: string, version: string): Promise<InstalledPeer<T> | null> {
  // A folder each: npm removes what it was not asked for.
  const folder = join(data, 'peers', name)
  const manifest = join(folder, 'node_modules', name, 'package.json')
  if (versionOf(manifest) !== version) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`]
    spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: INSTALL_TIME_MAX_MS })
  }
  if (versionOf(manifest) !== version) {
    console.error(`${name} ${version} cannot be installed here: left out`)
    return null
  }
  const entry = Bun.resolveSync(name, folder)
  return { module: (await import(entry)) as T, version }
}

function versionOf(manifest: string): string | null {
  if (!existsSync(manifest)) return null
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
}
