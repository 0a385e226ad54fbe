/**
 * How long does one search by words and vectors take, from process start to exit, the embedder's answer included?
 * `bun scripts/bench/hybrid-search.ts`
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
import { AS_INSTALLED } from './embedder-choice.ts'
import { buildFts5, hitsFault, hybridFault, prepareIndex } from './indexed-workspace.ts'
import { interleavedRuns, type Measured } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'
import { syntheticQueries } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED, syntheticWorkspace } from './synthetic-workspace.ts'
import { openVectorSource, VECTOR_WIDTH, type VectorSource } from './vector-source.ts'

const options = questionOptions()
const QUERY_COUNT = 64
/** The target is for a workspace of this size; larger ones are measured too. */
const TARGET_COUNT_MAX = 10_000

interface Programs {
  readonly binary: string
  readonly fts5: string
  readonly request: string
  readonly empty: string
}

/** In the order of the table. */
function compare(programs: Programs, source: VectorSource, count: number): readonly Measured[] {
  const workspace = syntheticWorkspace(options.data, count, 'vectors')
  const { root, procedures } = workspace
  const database = buildFts5(programs.fts5, options, workspace)
  const installed = syntheticWorkspace(options.data, count, 'builtin')
  prepareIndex(programs.binary, root, source.choice)
  prepareIndex(programs.binary, installed.root, AS_INSTALLED)
  const queries = [...syntheticQueries(QUERY_COUNT, EXPERIENCE_SEED, count)]
  const query = (round: number) => queries[(round + 1) % QUERY_COUNT] ?? ''
  const search = (folder: string, round: number) => [
    programs.binary,
    'search',
    query(round),
    ...['--index', 'when_to_use_content', '--json', '--workspace', folder],
  ]
  return interleavedRuns(
    [
      {
        name: 'knowhow search, hybrid',
        command: (round) => [...search(root, round), ...source.choice.options],
        environment: source.choice.environment,
        fault: hybridFault,
      },
      {
        name: 'FTS5',
        command: (round) => [programs.fts5, 'search', database, procedures, query(round)],
        fault: hitsFault,
      },
      { name: 'knowhow search, keywords alone', command: (round) => search(root, round), fault: hitsFault },
      {
        name: 'request for one vector alone',
        command: (round) => [programs.request, source.address, source.model, query(round)],
        fault: (stdout) => (stdout.trim() === String(VECTOR_WIDTH) ? null : `it printed ${stdout}`),
      },
      { name: 'empty Bun binary', command: () => [programs.empty] },
      {
        name: 'knowhow search as installed, with the built-in embedder',
        command: (round) => search(installed.root, round),
        environment: AS_INSTALLED.environment,
        fault: hitsFault,
      },
    ],
    options,
  )
}

/** What a request costs any program, with the server's work on it, and what is left of the search without it. */
function requestTable(runs: readonly Measured[]): BenchTable {
  const [hybrid = [], fts5 = [], , request = [], empty = []] = runs.map(({ wallMs }) => wallMs)
  const requestMs = request.map((value, round) => value - (empty[round] ?? 0))
  const restMs = hybrid.map((value, round) => value - (requestMs[round] ?? 0))
  return {
    title: 'Without the request (its time over that of an empty binary subtracted, pair by pair)',
    columns: ['program', 'median ms', 'to FTS5'],
    rows: [
      ['knowhow search, hybrid', milliseconds(median(restMs)), ratio(median(pairwiseRatios(restMs, fts5)))],
      ['request', milliseconds(median(requestMs)), ratio(median(pairwiseRatios(requestMs, fts5)))],
    ],
  }
}

async function measure(): Promise<BenchReport> {
  const programs = {
    binary: measuredBinary(options),
    fts5: await compiledPeer(options, 'fts5-search'),
    request: await compiledPeer(options, 'embedding-request'),
    empty: await compiledPeer(options, 'empty'),
  }
  using source = await openVectorSource(options)
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  for (const count of options.counts) {
    const runs = compare(programs, source, count)
    const label = `${count.toLocaleString('en')} experiences`
    tables.push(runsTable(label, runs, 1), requestTable(runs))
    groups.push(ratioGroup(label, runs, { base: 1, target: count <= TARGET_COUNT_MAX ? 1.6 : null }))
    const [served, fts5, , , , installed] = runs
    if (count > TARGET_COUNT_MAX) continue
    for (const [what, ours] of [
      ['hybrid one-shot search', served],
      ['the same with the built-in embedder', installed],
    ] as const) {
      const value = median(pairwiseRatios(ours?.wallMs ?? [], fts5?.wallMs ?? []))
      verdicts.push({ what: `${what}, ${label}, to FTS5`, value, reach: 1.6 })
    }
  }
  return {
    question: 'Hybrid one-shot search',
    method: `As the one-shot search, but the product ranks by words and by vectors of ${VECTOR_WIDTH} numbers, and asks an OpenAI-compatible server on the loopback interface for the query’s. The server is a process of its own whose vectors are computed from the words of a text in well under a millisecond; its answer is part of the time. All vectors of the experiences were made beforehand by one \`knowhow reindex\`. The peer is the same FTS5 program as in the one-shot search, with words only. The row of the built-in embedder is the product without any setting: vectors of 256 numbers, computed in the process, fused by score.`,
    tables,
    verdicts,
    plot: { axis: 'time from start to exit, as a multiple of FTS5’s (logarithmic)', groups },
    notes: [],
  }
}

await answer(options, measure)
