/**
 * Starts the Bun or Deno that npm installed: `node scripts/run.mjs bun|deno [argument…]`. Passes standard streams, exit
 * code and signals through. Plain Node without dependencies, and independent of the two packages' install scripts,
 * which `npm install --ignore-scripts` skips.
 */
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const MODULES = new URL('../node_modules/', import.meta.url)
// Without its install script, the bun package holds a small text file in place of the executable.
const EXECUTABLE_BYTES_MIN = 1_000_000

const isWindows = process.platform === 'win32'
const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined

/** Paths inside node_modules, best first. */
function candidates(name) {
  if (name === 'bun') {
    const system = isWindows ? 'windows' : process.platform
    const machine = process.arch === 'arm64' ? 'aarch64' : process.arch
    const variants = isMusl ? ['-musl', '-musl-baseline'] : ['', '-baseline']
    const file = isWindows ? 'bun.exe' : 'bun'
    return ['bun/bin/bun.exe', ...variants.map((variant) => `@oven/bun-${system}-${machine}${variant}/bin/${file}`)]
  }
  if (name === 'deno') {
    const library = process.platform === 'linux' ? '-glibc' : ''
    const file = isWindows ? 'deno.exe' : 'deno'
    return [`deno/${file}`, `@deno/${process.platform}-${process.arch}${library}/${file}`]
  }
  return null
}

function isExecutable(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() && found.size >= EXECUTABLE_BYTES_MIN
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

const [name, ...args] = process.argv.slice(2)
const places = candidates(name) ?? fail('usage: node scripts/run.mjs bun|deno [argument…]')
const executable = places.map((place) => fileURLToPath(new URL(place, MODULES))).find(isExecutable)
if (executable === undefined)
  fail(
    `No ${name} for ${process.platform} ${process.arch} in node_modules: run "npm install" with optional dependencies.`,
  )

const child = spawn(executable, args, { stdio: 'inherit' })
child.on('error', (error) => fail(`${name} does not start: ${error.message}`))
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// A terminal sends Ctrl-C to the child as well; sending it again would look like a second one.
process.on('SIGINT', () => {})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
