/** How long does building both views from all files take? `bun scripts/bench/rebuild.ts` */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, runsTable, type Verdict } from './bench-report.ts'
import { compiledPeer, measuredBinary } from './compiled-programs.ts'
import { interleavedRuns } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'
import { syntheticWorkspace } from './synthetic-workspace.ts'

const options = questionOptions()

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  const fts5 = await compiledPeer(options, 'fts5-search')
  const database = join(options.data, 'fts5-rebuilt.db')
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  for (const count of options.counts) {
    const { root, procedures } = syntheticWorkspace(options.data, count)
    const runs = interleavedRuns(
      [
        {
          name: 'knowhow reindex',
          command: () => [binary, 'reindex', '--json', '--workspace', root],
          fault: (stdout) => (stdout.includes(`"indexed":${count}`) ? null : `it printed ${stdout}`),
        },
        { name: 'FTS5', command: () => [fts5, 'build', database, procedures] },
      ],
      options,
    )
    const [ours, peer] = runs
    const label = `${count.toLocaleString('en')} experiences`
    tables.push(runsTable(label, runs, 1))
    groups.push(ratioGroup(label, runs, { base: 1, target: 3 }))
    const value = median(pairwiseRatios(ours?.wallMs ?? [], peer?.wallMs ?? []))
    verdicts.push({ what: `rebuild of both views, ${label}, to FTS5`, value, reach: 3 })
  }
  rmSync(database, { force: true })
  return {
    question: 'Rebuild',
    method:
      'Fresh processes in turn read all experience files and build both views anew. The peer writes a new database without a journal, syncs it once and puts it in the place of the old.',
    tables,
    verdicts,
    plot: { axis: 'time from start to exit, as a multiple of FTS5’s (logarithmic)', groups },
    notes: ['No embedder.'],
  }
}

await answer(options, measure)
