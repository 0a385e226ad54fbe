/**
 * How much memory does a process with both views open take, and how much does building them take at most?
 * `bun scripts/bench/memory.ts`
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PlotRow } from './bench-plot.ts'
import {
  answer,
  type BenchReport,
  type BenchTable,
  mebibytes,
  milliseconds,
  ratio,
  type Verdict,
} from './bench-report.ts'
import { measuredBinary } from './compiled-programs.ts'
import { KEYWORDS_ALONE } from './embedder-choice.ts'
import { prepareIndex } from './indexed-workspace.ts'
import { peakBytesOf } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import type { ServingMemory } from './serving-process.ts'
import { median } from './statistics.ts'
import { type SyntheticWorkspace, syntheticWorkspace } from './synthetic-workspace.ts'
import { openVectorSource, VECTOR_WIDTH, type VectorSource } from './vector-source.ts'

const options = questionOptions()
const RUNS = Math.min(3, options.rounds)
const VIEW_COUNT = 2
const FLOAT_BYTES = 4
const TARGET_COUNT_MIN = 100_000
const TARGET = 3

/** A workspace with or without vectors. */
interface Corpus {
  readonly label: string
  readonly workspace: SyntheticWorkspace
  /** Null for keywords alone. */
  readonly source: VectorSource | null
  /** Texts once, and a vector of 32-bit floats a document of each view. */
  readonly bytes: number
}

function corpusOf(count: number, source: VectorSource | null): Corpus {
  const workspace = syntheticWorkspace(options.data, count, source === null ? 'search' : 'vectors')
  const vectorBytes = source === null ? 0 : VIEW_COUNT * count * VECTOR_WIDTH * FLOAT_BYTES
  const label = `${count.toLocaleString('en')} experiences${source === null ? '' : `, vectors of ${VECTOR_WIDTH}`}`
  return { label, workspace, source, bytes: workspace.textBytes + vectorBytes }
}

interface FirstBuild {
  readonly ms: number
  readonly peakBytes: number | null
}

/** Leaves an index that has settled. */
function firstBuild(binary: string, { workspace: { root }, source }: Corpus): FirstBuild {
  rmSync(join(root, 'metadata', 'index'), { recursive: true, force: true })
  const embedder = source?.choice ?? KEYWORDS_ALONE
  const startMs = performance.now()
  const peakBytes = peakBytesOf(
    [binary, 'reindex', '--json', '--workspace', root, ...embedder.options],
    embedder.environment,
  )
  const ms = performance.now() - startMs
  prepareIndex(binary, root, embedder)
  return { ms, peakBytes }
}

function serve({ workspace: { root, count }, source }: Corpus): ServingMemory {
  const program = join(import.meta.dir, 'serving-process.ts')
  const server = source === null ? [] : [source.address, source.model]
  const child = Bun.spawnSync([process.execPath, program, root, String(count), ...server], { stderr: 'inherit' })
  if (child.exitCode !== 0) throw new Error(`the serving process ended with ${child.exitCode}`)
  const memory = JSON.parse(child.stdout.toString()) as ServingMemory
  if (memory.hits === 0) throw new Error('the serving process found nothing')
  if (source !== null && memory.keywordCount > 0) throw new Error(`${memory.keywordCount} answers had no vectors`)
  return memory
}

const size = (bytes: number | null) => (bytes === null || Number.isNaN(bytes) ? '–' : mebibytes(bytes))

interface PlotRows {
  readonly serving: PlotRow[]
  readonly building: PlotRow[]
}

const openPlotRows = (): PlotRows => ({ serving: [], building: [] })

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  using source = await openVectorSource(options)
  const serving: string[][] = []
  const building: string[][] = []
  const verdicts: Verdict[] = []
  const plots = { keywords: openPlotRows(), vectors: openPlotRows() }
  for (const corpus of options.counts.flatMap((count) => [corpusOf(count, null), corpusOf(count, source)])) {
    const { label, bytes, workspace } = corpus
    const { ms, peakBytes } = firstBuild(binary, corpus)
    const runs = Array.from({ length: RUNS }, () => serve(corpus))
    const medianOf = (number: (memory: ServingMemory) => number | null) =>
      median(runs.map((memory) => number(memory) ?? Number.NaN))
    const rss = medianOf(({ rssBytes }) => rssBytes)
    const [pss, peak, first] = [
      medianOf(({ pssBytes }) => pssBytes),
      medianOf((memory) => memory.peakBytes),
      medianOf(({ firstMs }) => firstMs),
    ]
    serving.push([label, size(bytes), size(rss), size(pss), size(peak), ratio(rss / bytes), milliseconds(first)])
    const peakRatio = peakBytes === null ? '–' : ratio(peakBytes / bytes)
    building.push([label, size(bytes), size(peakBytes), peakRatio, milliseconds(ms)])
    if (corpus.source !== null && workspace.count >= TARGET_COUNT_MIN)
      verdicts.push({ what: `RSS, ${label}, to bytes of texts and vectors`, value: rss / bytes, reach: TARGET })
    const name = `knowhow, ${workspace.count.toLocaleString('en')} experiences`
    const pictured = corpus.source === null ? plots.keywords : plots.vectors
    pictured.serving.push({ name, values: runs.map(({ rssBytes }) => rssBytes / bytes) })
    if (peakBytes !== null) pictured.building.push({ name, values: [peakBytes / bytes] })
  }
  return {
    question: 'Memory',
    method: `A fresh process under Bun opens the workspace, answers 20 questions in each of the two views, and looks at its own memory after a garbage collection; median of ${RUNS}. The runtime itself is part of it. Vectors come from an OpenAI-compatible server on the loopback interface, a process of its own. Measured against the texts, and with vectors those of both views as 32-bit floats. The build is one \`knowhow reindex\` in a workspace without an index.`,
    tables: [servingTable(serving), buildingTable(building)],
    verdicts,
    plot: {
      axis: 'memory, as a multiple of the bytes of texts and vectors (logarithmic)',
      groups: [
        { label: 'both views open, keywords alone', target: null, rows: plots.keywords.serving },
        { label: 'both views open, with vectors', target: TARGET, rows: plots.vectors.serving },
        { label: 'first build at most, keywords alone', target: null, rows: plots.keywords.building },
        { label: 'first build at most, with vectors', target: null, rows: plots.vectors.building },
      ].filter(({ rows }) => rows.length > 0),
    },
    notes: [],
  }
}

function servingTable(rows: readonly (readonly string[])[]): BenchTable {
  const columns = ['corpus', 'data MiB', 'RSS MiB', 'PSS MiB', 'peak RSS MiB', 'RSS to data', 'first answers ms']
  return { title: 'Both views open', columns, rows }
}

function buildingTable(rows: readonly (readonly string[])[]): BenchTable {
  return { title: 'First build (one run)', columns: ['corpus', 'data MiB', 'peak RSS MiB', 'peak to data', 'ms'], rows }
}

await answer(options, measure)
