/** How much memory does a process with both views open take? `bun scripts/bench/memory.ts` */
import { join } from 'node:path'
import { answer, type BenchReport, mebibytes, ratio, type Verdict } from './bench-report.ts'
import { measuredBinary } from './compiled-programs.ts'
import { prepareIndex } from './indexed-workspace.ts'
import { questionOptions } from './question-options.ts'
import type { ServingMemory } from './serving-process.ts'
import { median } from './statistics.ts'
import { syntheticWorkspace } from './synthetic-workspace.ts'

const options = questionOptions()
const RUNS = Math.min(3, options.rounds)

function serve(root: string, count: number): ServingMemory {
  const program = join(import.meta.dir, 'serving-process.ts')
  const child = Bun.spawnSync([process.execPath, program, root, String(count)], { stderr: 'inherit' })
  if (child.exitCode !== 0) throw new Error(`the serving process ended with ${child.exitCode}`)
  const memory = JSON.parse(child.stdout.toString()) as ServingMemory
  if (memory.hits === 0) throw new Error('the serving process found nothing')
  return memory
}

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  const rows: string[][] = []
  const verdicts: Verdict[] = []
  for (const count of options.counts) {
    const { root, textBytes } = syntheticWorkspace(options.data, count)
    prepareIndex(binary, root)
    const runs = Array.from({ length: RUNS }, () => serve(root, count))
    const rss = median(runs.map(({ rssBytes }) => rssBytes))
    const pss = median(runs.map(({ pssBytes }) => pssBytes ?? Number.NaN))
    const label = `${count.toLocaleString('en')} experiences`
    rows.push([
      label,
      mebibytes(textBytes),
      mebibytes(rss),
      Number.isNaN(pss) ? '–' : mebibytes(pss),
      ratio(rss / textBytes),
    ])
    if (count >= 100_000) verdicts.push({ what: `RSS, ${label}, to bytes of texts`, value: rss / textBytes, reach: 3 })
  }
  return {
    question: 'Memory',
    method: `A fresh process under Bun opens the workspace, answers 20 questions in each of the two views, and looks at its own memory after a garbage collection; median of ${RUNS}. The runtime itself is part of it.`,
    tables: [
      { title: 'Both views open', columns: ['corpus', 'texts MiB', 'RSS MiB', 'PSS MiB', 'RSS to texts'], rows },
    ],
    verdicts,
    notes: ['Keyword views only: no vectors.'],
  }
}

await answer(options, measure)
