/** How this program is started once more, compiled or from its sources. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const MAIN = new URL('../main.ts', import.meta.url)

/** Modules of a compiled program lie in a file system that only it sees. */
const isCompiled = /(?:\$bunfs|~BUN)/.test(MAIN.href)

/** Executable and arguments; what is appended are arguments of `main`. */
export function ownProgram(): readonly [string, ...string[]] {
  if (isCompiled) return [process.execPath]
  const main = fileURLToPath(MAIN)
  return 'Deno' in globalThis ? [process.execPath, 'run', '-A', '--quiet', main] : [process.execPath, main]
}
