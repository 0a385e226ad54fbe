/**
 * Compares programs by running them in turn, A B C A B C …, each time as a fresh process, so that whatever disturbs the
 * machine disturbs all of them. Times are from start to exit, with the page cache as the runs before left it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Contender {
  readonly name: string
  readonly command: (round: number) => readonly string[]
  /** As of `cleanEnvironment`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Before each run, not timed. */
  readonly prepare?: (round: number) => void
  /** What is wrong with what the run printed, or null: a benchmark of wrong answers is worth nothing. */
  readonly fault?: (stdout: string, round: number) => string | null
}

export interface Measured {
  readonly name: string
  /** By round, milliseconds from start to exit. */
  readonly wallMs: readonly number[]
  /** By round, milliseconds of user and system time over all threads. */
  readonly cpuMs: readonly number[]
  /** Largest resident set of one further run; null where the system does not tell it reliably. */
  readonly peakBytes: number | null
}

export interface RunBounds {
  readonly rounds: number
  /** No new round begins later than this; there are at least three. */
  readonly budgetMs: number
  /** Before each round, not timed. */
  readonly beforeRound?: (round: number) => void
}

const ROUNDS_MIN = 3
const OUTPUT_BYTES_MAX = 1 << 28

/** A warm-up round goes before, which checks the answers but does not count. */
export function interleavedRuns(contenders: readonly Contender[], bounds: RunBounds): readonly Measured[] {
  const measured = contenders.map(({ name }) => ({ name, wallMs: [] as number[], cpuMs: [] as number[] }))
  let start = performance.now()
  for (let round = -1; round < bounds.rounds; round += 1) {
    if (round >= ROUNDS_MIN && performance.now() - start > bounds.budgetMs) break
    bounds.beforeRound?.(round)
    for (const turn of contenders.keys()) {
      // Every round begins with another one: the first to run pays for what the preparation left behind.
      const at = (turn + Math.max(0, round)) % contenders.length
      const contender = contenders[at]
      if (contender === undefined) continue
      const { wallMs, cpuMs } = timedRun(contender, round)
      if (round < 0) continue
      measured[at]?.wallMs.push(wallMs)
      measured[at]?.cpuMs.push(cpuMs)
    }
    if (round < 0) start = performance.now()
  }
  return measured.map((one, at) => {
    const round = bounds.rounds + at
    bounds.beforeRound?.(round)
    contenders[at]?.prepare?.(round)
    return { ...one, peakBytes: peakBytesOf(contenders[at]?.command(round) ?? [], contenders[at]?.environment) }
  })
}

function timedRun(
  { name, command, environment, prepare, fault }: Contender,
  round: number,
): { wallMs: number; cpuMs: number } {
  prepare?.(round)
  const start = performance.now()
  const child = Bun.spawnSync([...command(round)], {
    env: cleanEnvironment(environment),
    stdout: 'pipe',
    stderr: 'pipe',
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  const wallMs = performance.now() - start
  if (child.exitCode !== 0)
    throw new Error(`${name} ended with ${child.exitCode}: ${child.stderr.toString().slice(0, 2000)}`)
  const wrong = fault?.(child.stdout.toString(), round) ?? null
  if (wrong !== null) throw new Error(`${name}, round ${round}: ${wrong}`)
  return { wallMs, cpuMs: Number(child.resourceUsage.cpuTime.total) / 1000 }
}

/**
 * Largest resident set of one run; null where the system does not tell it reliably, and when the run fails. A child's
 * own counts what its parent had before the child replaced itself. GNU time has next to nothing, so it goes between.
 */
export function peakBytesOf(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): number | null {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/time')) return null
  const note = join(tmpdir(), `knowhow-bench-peak-${process.pid}`)
  const { status } = spawnSync('/usr/bin/time', ['-f', '%M', '-o', note, ...command], {
    env: cleanEnvironment(environment),
    stdio: 'ignore',
  })
  if (status !== 0) return null
  const kibibytes = Number(readFileSync(note, 'utf8').trim())
  rmSync(note)
  return kibibytes * 1024
}

/** Nobody's settings or keys: the product reads them from the environment. Without an embedder unless `own` has one. */
export function cleanEnvironment(own: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', EMBEDDING_BACKEND: 'none', ...own }
}
