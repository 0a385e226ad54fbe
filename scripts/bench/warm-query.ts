/**
 * How long does one keyword query take in a process that has everything in memory? `bun scripts/bench/warm-query.ts`;
 * `--slow` also asks stock Orama at more than 100,000.
 */
import { VIEW_NAMES, viewText } from '../../src/model/experience.ts'
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, milliseconds, ratio, type Verdict } from './bench-report.ts'
import { questionOptions } from './question-options.ts'
import {
  type EngineDocument,
  fts5,
  miniSearch,
  ownSearch,
  type RankingEngine,
  stockOrama,
  TermNames,
} from './ranking-engines.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'
import { syntheticExperiences, syntheticQueries } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED, syntheticWorkspace } from './synthetic-workspace.ts'

const options = questionOptions()
const HITS = 10
const QUERY_COUNT = 400
const WARM_UP_COUNT = 50
const ORAMA_COUNT_MAX = 100_000
const TARGET_COUNT_MIN = 100_000
const TARGET = 0.1

function* documents(count: number): Generator<EngineDocument> {
  for (const experience of syntheticExperiences(count, EXPERIENCE_SEED)) {
    const { name, ...texts } = experience
    yield { id: `procedures/${name}.json`, text: viewText(VIEW_NAMES[1], texts) }
  }
}

interface OpenedEngine extends RankingEngine {
  /** From the start to being ready for a query. */
  readonly openMs: number
}

/** The pair that the target is about, and then the others. */
function openings(count: number) {
  const names = new TermNames()
  const { root } = syntheticWorkspace(options.data, count)
  return {
    pair: [() => fts5(documents(count), names), () => ownSearch(root)],
    others: [
      () => miniSearch(options.data, documents(count), names),
      () => (options.slow || count <= ORAMA_COUNT_MAX ? stockOrama(documents(count), names) : null),
    ],
  }
}

type Opening = () => RankingEngine | null | Promise<RankingEngine | null>

async function opened(openers: readonly Opening[]): Promise<readonly OpenedEngine[]> {
  const engines: OpenedEngine[] = []
  for (const open of openers) {
    const startMs = performance.now()
    const engine = await open()
    if (engine !== null) engines.push({ ...engine, openMs: performance.now() - startMs })
  }
  return engines
}

interface Timed {
  readonly name: string
  readonly wallMs: number[]
  /** By query, the share of FTS5's hits that are among its own. */
  readonly agreement: number[]
}

/** Every engine gets every query, in turn. */
function timeQueries(engines: readonly RankingEngine[], count: number): readonly Timed[] {
  const timed = engines.map(({ name }) => ({ name, wallMs: [] as number[], agreement: [] as number[] }))
  const queries = [...syntheticQueries(WARM_UP_COUNT + QUERY_COUNT, EXPERIENCE_SEED, count)]
  Bun.gc(true)
  const startMs = performance.now()
  for (const [round, query] of queries.entries()) {
    if (round >= 2 * WARM_UP_COUNT && performance.now() - startMs > options.budgetMs) break
    const answers: (readonly string[])[] = []
    for (const turn of engines.keys()) {
      const at = (turn + round) % engines.length
      const start = performance.now()
      answers[at] = engines[at]?.rank(query, HITS) ?? []
      const ms = performance.now() - start
      if (round >= WARM_UP_COUNT) timed[at]?.wallMs.push(ms)
    }
    const [expected = []] = answers
    if (round < WARM_UP_COUNT || expected.length === 0) continue
    for (const [at, one] of timed.entries())
      one.agreement.push((answers[at] ?? []).filter((id) => expected.includes(id)).length / expected.length)
  }
  return timed
}

function queriesTable(label: string, timed: readonly Timed[]): BenchTable {
  const [peer] = timed
  return {
    title: `${label}, ${peer?.wallMs.length ?? 0} queries, ${HITS} hits`,
    columns: ['engine', 'median ms', '95 % below ms', 'to FTS5', 'quartiles', 'hits shared with FTS5'],
    rows: timed.map(({ name, wallMs, agreement }) => {
      const ratios = pairwiseRatios(wallMs, peer?.wallMs ?? [])
      const shared = agreement.reduce((sum, share) => sum + share, 0) / agreement.length
      return [
        name,
        median(wallMs).toFixed(3),
        milliseconds(quantile(wallMs, 0.95)),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
        `${Math.round(shared * 100)} %`,
      ]
    }),
  }
}

async function measure(): Promise<BenchReport> {
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  const notes: string[] = []
  for (const count of options.counts) {
    const label = `${count.toLocaleString('en')} experiences`
    const { pair, others } = openings(count)
    const two = await opened(pair)
    const [fts5Alone, ownAlone] = timeQueries(two, count)
    const engines = [...two, ...(await opened(others))]
    const timed = timeQueries(engines, count)
    const times = engines.map(({ name, openMs }) => `${name} ${(openMs / 1000).toFixed(1)} s`)
    notes.push(`Opened with ${label}: ${times.join(', ')}; the product from its index, the others from texts.`)
    if (count > ORAMA_COUNT_MAX && !options.slow)
      notes.push(`${label}: stock Orama, which takes minutes to fill, is measured with --slow only.`)
    const alone = [fts5Alone, ownAlone].filter((one) => one !== undefined)
    tables.push(queriesTable(`${label}, these two alone`, alone), queriesTable(label, timed))
    groups.push(ratioGroup(label, timed, { base: 0, target: count >= TARGET_COUNT_MIN ? TARGET : null }))
    if (count >= TARGET_COUNT_MIN)
      verdicts.push({
        what: `warm keyword query, ${label}, to FTS5`,
        value: median(pairwiseRatios(ownAlone?.wallMs ?? [], fts5Alone?.wallMs ?? [])),
        reach: TARGET,
      })
  }
  return {
    question: 'Warm keyword query',
    method:
      'One process holds the content view of the same experiences in every engine and asks each the same questions in turn. The product searches an opened workspace without looking at its files again. The others are fed the terms of its own analyzer, so that only the engines differ; the target is about FTS5 and the product, which are asked before the others are opened: the heaps of those slow down whoever runs beside them. The engines: FTS5 in memory through node:sqlite, optimized, prepared statement, any of the terms, bm25; MiniSearch with its defaults; Orama with its own index and score.',
    tables,
    verdicts,
    plot: { axis: 'time of a query, as a multiple of FTS5’s (logarithmic)', groups },
    notes: [
      ...notes,
      'Lengths of texts, which the score looks at, are not quite the same in all engines, and so are the last of the hits.',
    ],
  }
}

await answer(options, measure)
