/**
 * Builds the WASM kernels and embeds each as base64: `node scripts/run.mjs bun scripts/wasm.ts`. With `--check` it writes
 * nothing and fails where the committed asset is not what the source gives.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')
const COMPILER = 'node_modules/assemblyscript/bin/asc.js'
// The memory comes from the host; a kernel has no heap, no start function and no data of its own.
const OPTIONS =
  '-O3 --runtime stub --importMemory --noExportMemory --enable simd,bulk-memory --noAssert --use abort='.split(' ')
const LINE_CHARACTERS = 120

/** Source and asset, relative to the root. */
const KERNELS = [
  { source: 'wasm/vector-kernel.ts', asset: 'src/adapters/assets/vector-kernel.txt' },
  { source: 'wasm/token-counter.ts', asset: 'src/adapters/assets/token-counter.txt' },
] as const

function compiled(source: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-wasm-'))
  try {
    const output = join(folder, 'kernel.wasm')
    const args = ['--bun', COMPILER, source, '--outFile', output, ...OPTIONS]
    const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
    if (status !== 0) throw new Error(`${source} does not compile`, { cause: error })
    return readFileSync(output)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function assetOf(source: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? []
  return `# ${source} compiled by scripts/wasm.ts; do not edit. Interface: wasm/README.md. Below: base64.\n${lines.join('\n')}\n`
}

const isCheck = process.argv[2] === '--check'
for (const { source, asset } of KERNELS) {
  const path = join(ROOT, asset)
  const bytes = compiled(source)
  const text = assetOf(source, bytes)
  if (!isCheck) {
    writeFileSync(path, text)
    console.log(`${asset}: ${bytes.length} bytes of WASM`)
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${asset} is not what ${source} gives: run "node scripts/run.mjs bun scripts/wasm.ts"`)
    process.exitCode = 1
  }
}
