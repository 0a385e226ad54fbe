/** How long does the program take to start? `bun scripts/bench/start-up.ts` */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, runsTable } from './bench-report.ts'
import { compiledPeer, measuredBinary } from './compiled-programs.ts'
import { AS_INSTALLED } from './embedder-choice.ts'
import { interleavedRuns } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'

const options = questionOptions()
const TOKENS_CPU_MS = 60

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  const empty = await compiledPeer(options, 'empty')
  const workspace = join(options.data, 'empty-workspace')
  rmSync(workspace, { recursive: true, force: true })
  mkdirSync(workspace, { recursive: true })
  const file = join(options.data, 'one-line.txt')
  writeFileSync(file, 'The index was rebuilt.\n')
  const runs = interleavedRuns(
    [
      { name: 'empty Bun binary', command: () => [empty] },
      { name: 'knowhow --version', command: () => [binary, '--version'] },
      {
        name: 'knowhow status --json',
        command: () => [binary, 'status', '--json', '--workspace', workspace],
        environment: AS_INSTALLED.environment,
        fault: (stdout) => (stdout.includes('"experiences":0') ? null : `it printed ${stdout}`),
      },
      {
        name: 'knowhow tokens --json, 23 bytes',
        command: () => [binary, 'tokens', file, '--json', '--workspace', workspace],
        fault: (stdout) => (stdout.includes('"tokens":5') ? null : `it printed ${stdout}`),
      },
    ],
    options,
  )
  const [floor, , status, tokens] = runs
  return {
    question: 'Start-up',
    method:
      'Process start to exit of fresh processes in turn, on an empty workspace, against a program without a line of its own that is compiled with the same settings.',
    tables: [runsTable('Start to exit', runs, 0)],
    verdicts: [
      {
        what: '`status --json` on an empty workspace, to an empty Bun binary',
        value: median(pairwiseRatios(status?.wallMs ?? [], floor?.wallMs ?? [])),
        reach: 1.5,
      },
      {
        what: '`tokens` on a small file, ms of CPU over an empty Bun binary',
        value: Math.round(median((tokens?.cpuMs ?? []).map((ms, round) => ms - (floor?.cpuMs[round] ?? Number.NaN)))),
        reach: TOKENS_CPU_MS,
        kind: 'count',
      },
    ],
    plot: {
      axis: 'time from start to exit, as a multiple of an empty binary’s (logarithmic)',
      groups: [ratioGroup('on an empty workspace', runs, { base: 0, target: 1.5 })],
    },
    notes: [],
  }
}

await answer(options, measure)
