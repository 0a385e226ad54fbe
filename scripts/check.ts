/**
 * The one gate: `npm run check` runs every step and fails if one failed. `npm run check -- types lint` runs those two,
 * `npm run check -- --without tests` all but that.
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')
const BUN = process.execPath

type Command = readonly [program: string, ...args: string[]]

interface Step {
  readonly name: string
  readonly commands: readonly Command[]
}

/** A program of an npm package, run by Node as its `.bin` link would. */
const npm = (file: string, ...args: string[]): Command => ['node', join(ROOT, 'node_modules', file), ...args]

const STEPS: readonly Step[] = [
  { name: 'format', commands: [npm('@biomejs/biome/bin/biome', 'check', '--error-on-warnings')] },
  { name: 'types', commands: [npm('typescript/bin/tsc', '--noEmit')] },
  { name: 'lint', commands: [npm('oxlint/bin/oxlint')] },
  { name: 'rooms', commands: [[BUN, 'scripts/room-rules.ts']] },
  // The second run ignores the tests: what only they reach is dead as well.
  {
    name: 'unused',
    commands: [npm('knip/bin/knip.js'), npm('knip/bin/knip.js', '--production', '--include', 'files,dependencies')],
  },
  // The committed kernels are what their sources give, byte for byte.
  { name: 'wasm', commands: [[BUN, 'scripts/wasm.ts', '--check']] },
  // The committed list of licences is what the bundle holds.
  { name: 'licenses', commands: [[BUN, 'scripts/licenses.ts', '--check']] },
  // docs/help.md is what the program says.
  { name: 'help', commands: [[BUN, 'scripts/help.ts', '--check']] },
  { name: 'tests', commands: [[BUN, 'scripts/test.ts']] },
  {
    name: 'binary',
    commands: [
      [BUN, 'build.ts'],
      [BUN, 'scripts/smoke.ts', 'binary'],
    ],
  },
  { name: 'deno', commands: [[BUN, 'scripts/smoke.ts', 'deno']] },
]

function main(): number {
  const steps = chosenSteps(process.argv.slice(2))
  if (steps === null) {
    console.error(`usage: npm run check -- [--without] [STEP…], steps: ${STEPS.map(({ name }) => name).join(', ')}`)
    return 2
  }
  const results = steps.map(runStep)
  console.log(`\n${results.map(({ line }) => line).join('\n')}`)
  return results.every(({ isOk }) => isOk) ? 0 : 1
}

function chosenSteps(args: readonly string[]): readonly Step[] | null {
  const isWithout = args[0] === '--without'
  const names = isWithout ? args.slice(1) : args
  if (names.some((name) => !STEPS.some((step) => step.name === name))) return null
  if (names.length === 0) return isWithout ? null : STEPS
  return STEPS.filter((step) => names.includes(step.name) !== isWithout)
}

function runStep({ name, commands }: Step): { isOk: boolean; line: string } {
  console.log(`\n== ${name}`)
  const start = performance.now()
  const isOk = commands.every(([program, ...args]) => {
    const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
    if (error !== undefined) console.error(`${program} does not start: ${error.message}`)
    return status === 0
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const line = `${name.padEnd(8)} ${isOk ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s`
  console.log(line)
  return { isOk, line }
}

process.exitCode = main()
