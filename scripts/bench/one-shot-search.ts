/**
 * How long does one search take, from process start to exit, among 10,000 and 100,000 experience files?
 * `bun scripts/bench/one-shot-search.ts`
 */
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import {
  answer,
  type BenchReport,
  type BenchTable,
  milliseconds,
  ratio,
  runsTable,
  type Verdict,
} from './bench-report.ts'
import { compiledPeer, measuredBinary } from './compiled-programs.ts'
import { buildFts5, hitsFault, prepareIndex } from './indexed-workspace.ts'
import { interleavedRuns, type Measured } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'
import { syntheticQueries } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED, type SyntheticWorkspace, syntheticWorkspace } from './synthetic-workspace.ts'

const options = questionOptions()
const QUERY_COUNT = 64

interface Programs {
  readonly binary: string
  readonly fts5: string
  readonly scan: string
  readonly empty: string
}

/** In the order of the table. */
function compare(programs: Programs, workspace: SyntheticWorkspace): readonly Measured[] {
  const { root, procedures, count } = workspace
  const database = buildFts5(programs.fts5, options, workspace)
  prepareIndex(programs.binary, root)
  const queries = [...syntheticQueries(QUERY_COUNT, EXPERIENCE_SEED, count)]
  const query = (round: number) => queries[(round + 1) % QUERY_COUNT] ?? ''
  const ours = (round: number) => [
    programs.binary,
    'search',
    query(round),
    ...['--index', 'when_to_use_content', '--json', '--workspace', root],
  ]
  return interleavedRuns(
    [
      { name: 'knowhow search', command: ours, fault: hitsFault },
      {
        name: 'FTS5',
        command: (round) => [programs.fts5, 'search', database, procedures, query(round)],
        fault: hitsFault,
      },
      {
        name: 'FTS5 without looking at files',
        command: (round) => [programs.fts5, 'trust', database, procedures, query(round)],
        fault: hitsFault,
      },
      { name: 'readdir and lstat alone', command: () => [programs.scan, procedures] },
      { name: 'empty Bun binary', command: () => [programs.empty] },
    ],
    options,
  )
}

/** What is left of each without the look at the files, which both do alike. */
function withoutFilesTable(runs: readonly Measured[]): { table: BenchTable; share: number } {
  const [ours, , trusting, scan, empty] = runs.map(({ wallMs }) => wallMs)
  const scanMs = (scan ?? []).map((value, round) => value - (empty?.[round] ?? 0))
  const oursMs = (ours ?? []).map((value, round) => value - (scanMs[round] ?? 0))
  const value = median(pairwiseRatios(oursMs, trusting ?? []))
  return {
    share: value,
    table: {
      title: 'Without readdir and lstat (knowhow: their time subtracted, pair by pair)',
      columns: ['program', 'median ms', 'to FTS5'],
      rows: [
        ['knowhow search', milliseconds(median(oursMs)), ratio(value)],
        ['FTS5', milliseconds(median(trusting ?? [])), ratio(1)],
        ['readdir and lstat', milliseconds(median(scanMs)), '–'],
      ],
    },
  }
}

async function measure(): Promise<BenchReport> {
  const programs = {
    binary: measuredBinary(options),
    fts5: await compiledPeer(options, 'fts5-search'),
    scan: await compiledPeer(options, 'folder-scan'),
    empty: await compiledPeer(options, 'empty'),
  }
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  const notes: string[] = []
  for (const count of options.counts) {
    const workspace = syntheticWorkspace(options.data, count)
    const runs = compare(programs, workspace)
    const label = `${count.toLocaleString('en')} experiences`
    const { table, share } = withoutFilesTable(runs)
    tables.push(runsTable(label, runs, 1), table)
    groups.push(ratioGroup(label, runs, { base: 1, target: 1.2 }))
    const [ours, fts5] = runs
    const value = median(pairwiseRatios(ours?.wallMs ?? [], fts5?.wallMs ?? []))
    verdicts.push({ what: `one-shot search, ${label}, to FTS5`, value, reach: 1.2 })
    notes.push(
      `${label}: files of ${workspace.fileBytes.toLocaleString('en')} bytes altogether; without looking at files ${ratio(share)}.`,
    )
  }
  return {
    question: 'One-shot search',
    method:
      'Keyword search of the content view (`when-to-use` and content), five results, another question each round, fresh processes in turn, page cache warm. The peer is a program of the same make around SQLite FTS5 (porter unicode61, contentless, bm25, built beforehand): it lists the folder, looks at every file and compares size and time with what it recorded, asks for any of the words that are no stop words, reads the five best files and prints them as JSON.',
    tables,
    verdicts,
    plot: { axis: 'time from start to exit, as a multiple of FTS5’s (logarithmic)', groups },
    notes,
  }
}

await answer(options, measure)
