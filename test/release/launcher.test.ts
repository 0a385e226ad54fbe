import { afterEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const LAUNCHER = new URL('../../scripts/run.mjs', import.meta.url).pathname
const EXECUTABLE_BYTES = 1_000_001
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A checkout whose node_modules holds these shell scripts, each as long as an executable. */
function checkoutWith(scripts: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'knowhow-launcher-'))
  folders.push(root)
  mkdirSync(join(root, 'scripts'))
  copyFileSync(LAUNCHER, join(root, 'scripts/run.mjs'))
  for (const [path, script] of Object.entries(scripts)) {
    const file = join(root, 'node_modules', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, script)
    chmodSync(file, 0o755)
  }
  return root
}

const executable = (script: string): string => `#!/bin/sh\n${script}\nexit 0\n${'#'.repeat(EXECUTABLE_BYTES)}\n`

function launch(root: string, ...args: string[]) {
  return spawnSync('node', [join(root, 'scripts/run.mjs'), ...args], { encoding: 'utf8' })
}

const machine = process.arch === 'arm64' ? 'aarch64' : process.arch

// Shell scripts stand in for the executables.
describe.skipIf(process.platform === 'win32')('the launcher', () => {
  test('hands arguments and exit code through', () => {
    const root = checkoutWith({ 'bun/bin/bun.exe': executable('echo "$@"; exit 7') })
    expect(launch(root, 'bun', 'a b', '--c')).toMatchObject({ stdout: 'a b --c\n', status: 7 })
  })

  test('passes over the placeholder that an install without scripts leaves', () => {
    const root = checkoutWith({
      'bun/bin/bun.exe': '#!/bin/sh\necho placeholder\n',
      [`@oven/bun-${process.platform}-${machine}/bin/bun`]: executable('echo real'),
      [`@oven/bun-${process.platform}-${machine}-musl/bin/bun`]: executable('echo real'),
    })
    expect(launch(root, 'bun').stdout).toBe('real\n')
  })

  test('starts Deno', () => {
    const root = checkoutWith({ 'deno/deno': executable('echo deno "$@"') })
    expect(launch(root, 'deno', 'run').stdout).toBe('deno run\n')
  })

  test('ends by the signal that ended its child', () => {
    const root = checkoutWith({ 'bun/bin/bun.exe': executable('kill -TERM $$') })
    expect(launch(root, 'bun')).toMatchObject({ status: null, signal: 'SIGTERM' })
  })

  test('says what to do when nothing is installed', () => {
    const { status, stderr } = launch(checkoutWith({}), 'bun')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^No bun for .* run "npm install"[^\n]*\n$/)
  })

  test('says how to call it', () => {
    expect(launch(checkoutWith({}), 'node')).toMatchObject({ status: 1, stderr: expect.stringContaining('usage') })
  })
})
