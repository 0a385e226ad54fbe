/**
 * How long does one vector query take, warm and in a fresh process, and is its answer exact?
 * `bun scripts/bench/vector-query.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import { nearestRows } from '../../src/search/nearest-rows.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, milliseconds, ratio, type Verdict } from './bench-report.ts'
import { type ColdAnswer, type ColdKind, writeVectorFiles } from './cold-vectors.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'
import {
  corpusOf,
  ownSearch,
  plainSearch,
  quantized,
  SPREADS,
  type Spread,
  stockOrama,
  usearch,
  type VectorCorpus,
  type VectorEngine,
} from './vector-engines.ts'
import { VECTOR_WIDTH } from './vector-source.ts'

const options = questionOptions()
const LIMITS = [10, 200] as const
/** Queries that an engine answers in a row before the next has its turn. */
const BURST_QUERIES = 4
const ROUNDS_MIN = 3
const TARGET_COUNT_MIN = 100_000
const TARGET = 1 / 20

interface Measured {
  readonly name: string
  /** By round and query: the first of a burst found the processor's caches full of others' numbers. */
  readonly firstMs: number[]
  readonly wallMs: number[]
  /** Of the same queries, all threads, the collector's and the compiler's too. */
  readonly cpuMs: number[]
  readonly recalls: number[]
}

async function openEngines(corpus: VectorCorpus): Promise<readonly VectorEngine[]> {
  const engines = [
    await stockOrama(corpus),
    ownSearch('knowhow', corpus, new WasmKernel(plainKernel)),
    ownSearch('knowhow without WASM', corpus, plainKernel),
    { name: 'plain f32 loop', search: (query: Float32Array, limit: number) => plainSearch(corpus, query, limit) },
    await usearch(options.data, corpus),
  ]
  return engines.filter((engine) => engine !== null)
}

async function timeQueries(corpus: VectorCorpus, engines: readonly VectorEngine[], limit: number): Promise<Measured[]> {
  const { queries } = corpus
  const truths = queries.map((query) => new Set(plainSearch(corpus, query, limit)))
  const measured = engines.map(({ name }): Measured => ({ name, firstMs: [], wallMs: [], cpuMs: [], recalls: [] }))
  const startMs = performance.now()
  for (let round = 0; round < options.rounds; round += 1) {
    if (round >= ROUNDS_MIN && performance.now() - startMs > options.budgetMs) break
    for (const turn of engines.keys()) {
      const at = (turn + round) % engines.length
      const [engine, one] = [engines[at], measured[at]]
      for (let index = 0; index < BURST_QUERIES; index += 1) {
        const number = (round + index) % queries.length
        const [query, truth] = [queries[number], truths[number]]
        if (engine === undefined || query === undefined || truth === undefined) continue
        const [start, cpuStart] = [performance.now(), process.cpuUsage()]
        const found = await engine.search(query, limit)
        const [wall, cpu] = [performance.now() - start, process.cpuUsage(cpuStart)]
        one?.recalls.push(found.filter((row) => truth.has(row)).length / truth.size)
        if (index === 0) one?.firstMs.push(wall)
        else {
          one?.wallMs.push(wall)
          one?.cpuMs.push((cpu.user + cpu.system) / 1000)
        }
      }
    }
  }
  return measured
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function queriesTable(title: string, measured: readonly Measured[]): BenchTable {
  const [orama] = measured
  return {
    title,
    columns: ['engine', 'median ms', 'CPU ms', 'first after others ms', 'to Orama', 'quartiles', 'recall'],
    rows: measured.map(({ name, firstMs, wallMs, cpuMs, recalls }) => {
      const ratios = pairwiseRatios(wallMs, orama?.wallMs ?? [])
      return [
        name,
        milliseconds(median(wallMs)),
        milliseconds(median(cpuMs)),
        milliseconds(median(firstMs)),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
        mean(recalls).toFixed(4),
      ]
    }),
  }
}

/** How many f32 vectors an answer takes beside the integers. */
function readsTable(label: string, count: number): BenchTable {
  const rows: string[][] = []
  for (const spread of Object.keys(SPREADS) as Spread[]) {
    const corpus = corpusOf(spread, count, VECTOR_WIDTH)
    const shelf = quantized(corpus, new WasmKernel(plainKernel))
    using _matrix = shelf.rows.matrix
    for (const limit of LIMITS) {
      const reads = corpus.queries.map((query) => {
        const before = shelf.readCount
        nearestRows(query, shelf.rows, { limit, readRow: shelf.readRow })
        return shelf.readCount - before
      })
      rows.push([`${spread}, best ${limit}`, String(median(reads)), String(Math.max(...reads))])
    }
  }
  return { title: `f32 vectors read for one answer, ${label}`, columns: ['vectors', 'median', 'most'], rows }
}

function coldTable(label: string, corpus: VectorCorpus): BenchTable {
  const folder = mkdtempSync(join(options.data, 'vectors-'))
  const times: Record<ColdKind, number[]> = { integers: [], floats: [] }
  const program = join(import.meta.dir, 'cold-vectors.ts')
  try {
    writeVectorFiles(folder, corpus)
    for (let round = 0; round < options.rounds; round += 1) {
      const answers = (['integers', 'floats'] as const).map((kind) => {
        const args = [kind, folder, String(corpus.count), String(corpus.width)]
        const { exitCode, stdout } = Bun.spawnSync([process.execPath, program, ...args], { stderr: 'inherit' })
        if (exitCode !== 0) throw new Error(`${kind} ended with ${exitCode}`)
        const { ms, found } = JSON.parse(stdout.toString()) as ColdAnswer
        times[kind].push(ms)
        return found.join()
      })
      if (answers[0] !== answers[1]) throw new Error(`cold answers differ: ${answers.join(' and ')}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const ratios = pairwiseRatios(times.integers, times.floats)
  return {
    title: `In a fresh process, from opening the files to the best 10, ${label}`,
    columns: ['way', 'median ms', 'to all f32'],
    rows: [
      ['integers, then f32 vectors by position', milliseconds(median(times.integers)), ratio(median(ratios))],
      ['all f32 vectors, plain loop', milliseconds(median(times.floats)), ratio(1)],
    ],
  }
}

async function measure(): Promise<BenchReport> {
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  for (const count of options.counts) {
    const corpus = corpusOf('random', count, VECTOR_WIDTH)
    const label = `${count.toLocaleString('en')} × ${VECTOR_WIDTH}`
    const engines = await openEngines(corpus)
    for (const limit of LIMITS) {
      const what = `${label}, best ${limit}`
      const measured = await timeQueries(corpus, engines, limit)
      const target = count >= TARGET_COUNT_MIN && limit === LIMITS[0] ? TARGET : null
      tables.push(queriesTable(`${what} (${measured[0]?.wallMs.length ?? 0} queries)`, measured))
      groups.push(ratioGroup(what, measured, { base: 0, target }))
      const [orama, ours] = measured
      if (target === null) continue
      const value = median(pairwiseRatios(ours?.wallMs ?? [], orama?.wallMs ?? []))
      verdicts.push({ what: `warm vector query, ${what}, to Orama`, value, reach: target })
      verdicts.push({ what: `recall of it, ${what}`, value: mean(ours?.recalls ?? []), reach: 1, kind: 'score' })
    }
    tables.push(coldTable(label, corpus), readsTable(label, count))
  }
  return {
    question: 'Vector query',
    method: `Random unit vectors of ${VECTOR_WIDTH} numbers in one process, the same for every engine, ${BURST_QUERIES} queries a turn, another engine first each round; the first of a turn is told apart. The product scans integers in WASM, and then looks at the f32 vectors of what can be among the best; Orama has its own vector search, usearch its exact search with one thread. Recall is against a plain loop in 64 bits.`,
    tables,
    verdicts,
    plot: { axis: 'time of a query, as a multiple of Orama’s (logarithmic)', groups },
    notes: [],
  }
}

await answer(options, measure)
