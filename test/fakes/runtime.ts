/** The runtimes that the sources run on. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const LAUNCHER = join(import.meta.dir, '..', '..', 'scripts', 'run.mjs')

/** Arguments of `node` that run what follows them; null, with a notice, where the runtime is not installed. */
export function runtimeArguments(runtime: 'bun' | 'deno'): readonly string[] | null {
  const { status } = spawnSync('node', [LAUNCHER, runtime, '--version'], { stdio: 'ignore' })
  if (status === 0) return [LAUNCHER, runtime, ...(runtime === 'deno' ? ['run', '-A', '--quiet'] : ['run'])]
  console.warn(`notice: there is no ${runtime} here, so the tests that need it are skipped`)
  return null
}
