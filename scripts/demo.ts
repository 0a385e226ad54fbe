/** `npm run demo`: builds the binary, imports the example runs without a model, and finds what they taught. */
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ownEnvironment } from './own-environment.ts'

const ROOT = join(import.meta.dir, '..')
const BINARY = join(ROOT, 'dist', process.platform === 'win32' ? 'knowhow.exe' : 'knowhow')
const WORKSPACE = join(ROOT, 'dist', 'demo-workspace')

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: ROOT, env: ownEnvironment(), stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function knowhow(...args: readonly string[]): void {
  const shown = args.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`)).join(' ')
  console.log(`\n$ knowhow ${shown}`)
  run(BINARY, [...args, '--workspace', relative(ROOT, WORKSPACE)])
}

console.log('Building dist/knowhow …')
run(process.execPath, ['build.ts'])
rmSync(WORKSPACE, { recursive: true, force: true })

const logs = readdirSync(join(ROOT, 'examples', 'trajectories')).sort()
knowhow('import', ...logs.map((name) => `examples/trajectories/${name}`), '--extractor', 'offline')
knowhow('search', 'npm install fails because of a peer dependency', '--limit', '1')
console.log('\nThe situation of the experience that answers the next question shares no word with it:')
knowhow('search', 'PostgreSQL table blocked by another transaction', '--limit', '1')
knowhow('search', 'circular import', '--index', 'when_to_use_content', '--limit', '1')
const [first = ''] = readdirSync(join(WORKSPACE, 'procedures')).filter(
  (name) => name.includes('circular') || name.includes('cart'),
)
knowhow('read', `procedures/${first}`)
console.log(`\nThe experiences are plain files in ${relative(process.cwd(), join(WORKSPACE, 'procedures'))}`)
