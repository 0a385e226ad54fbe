import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Not to be had where the lock was made: npm wants them named all the same, and takes them by their version alone. */
const ENGINES_ELSEWHERE = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'win32-x64']

describe('the package', () => {
  test('pins every dependency to one version', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })

  test('is locked to checksums and to no registry', () => {
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, object> }
    const entries = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(entries.filter(([, entry]) => 'resolved' in entry)).toEqual([])
    const unchecked = entries.filter(([, entry]) => !('integrity' in entry)).map(([path]) => path)
    expect(unchecked).toEqual(ENGINES_ELSEWHERE.map((platform) => `node_modules/@ladybugdb/core-${platform}`))
  })

  test('starts Bun through the launcher, which needs no install script', () => {
    const started = Object.values(manifest.scripts).filter((script) => /\bbun\b/.test(script))
    expect(started.filter((script) => !script.startsWith('node scripts/run.mjs bun '))).toEqual([])
  })
})
