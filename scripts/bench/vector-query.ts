/**
 * How long does one warm vector query take, and is its answer exact? Ours (integers in WASM, then f32), the same in plain
 * TypeScript, plain f32 loops, Orama's own vector search and usearch's exact search, interleaved, on the same vectors.
 * And cold: a fresh process that reads the integers from a file, against one that reads the f32 vectors.
 *
 *     bun scripts/bench/vector-query.ts [--counts 10000,100000] [--width 384] [--rounds 31] [--usearch DIR]
 *
 * DIR is a folder where `npm install usearch` was run; without it usearch is not measured.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { create, insertMultiple, search } from '@orama/orama'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import type { Kernel } from '../../src/ports.ts'
import { nearestRows } from '../../src/search/nearest-rows.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { RowMatrix } from '../../src/search/row-matrix.ts'
import { randomNumbers, randomUnitVector, vectorNear } from '../../test/fakes/random-vectors.ts'
import { type VectorRows, vectorRows } from '../../test/fakes/vector-rows.ts'

const LIMITS = [10, 200] as const
const QUERY_COUNT = 16
/** Queries that an engine answers in a row before the next has its turn. */
const BURST_QUERIES = 4
const CLUSTER_ROWS = 50
const ORAMA_BATCH = 1000
const OURS = 'ours, WASM'

interface Corpus {
  readonly count: number
  readonly width: number
  /** Row-major, in a buffer of its own: usearch takes no part of one. */
  readonly vectors: Float32Array<ArrayBuffer>
  readonly queries: readonly Float32Array<ArrayBuffer>[]
}

type Spread = 'random' | 'clusters' | 'near-duplicates'

/** Distance of a row from the centre of its 50; null for rows that have none. */
const SPREADS: Readonly<Record<Spread, number | null>> = { random: null, clusters: 0.7, 'near-duplicates': 0.02 }

function corpusOf(spread: Spread, count: number, width: number): Corpus {
  const random = randomNumbers(count + width)
  const vectors = new Float32Array(count * width)
  const distance = SPREADS[spread]
  let centre = randomUnitVector(width, random)
  for (let row = 0; row < count; row += 1) {
    if (row % CLUSTER_ROWS === 0) centre = randomUnitVector(width, random)
    vectors.set(distance === null ? randomUnitVector(width, random) : vectorNear(centre, distance, random), row * width)
  }
  const queries = Array.from({ length: QUERY_COUNT }, () => {
    const row = Math.floor(random() * count)
    return vectorNear(vectors.subarray(row * width, (row + 1) * width), 0.8, random)
  })
  return { count, width, vectors, queries }
}

const rowOf = ({ vectors, width }: Corpus, row: number) => vectors.subarray(row * width, (row + 1) * width)

const quantized = (corpus: Corpus, kernel: Kernel): VectorRows =>
  vectorRows(
    kernel,
    Array.from({ length: corpus.count }, (_, row) => rowOf(corpus, row)),
  )

/** Rows, best first. */
type Search = (query: Float32Array<ArrayBuffer>, limit: number) => readonly number[] | Promise<readonly number[]>

interface Engine {
  readonly name: string
  readonly search: Search
}

function oursBy(name: string, corpus: Corpus, kernel: Kernel): Engine {
  const { rows, readRow } = quantized(corpus, kernel)
  return { name, search: (query, limit) => nearestRows(query, rows, { limit, readRow }).map(({ row }) => row) }
}

/** What one would write without thinking of bits: f32 products in f64, every score kept, then sorted. */
function plainFloats({ count, width, vectors }: Corpus): Engine {
  const scores = new Float64Array(count)
  const search: Search = (query, limit) => {
    for (let row = 0; row < count; row += 1) {
      const start = row * width
      let sum = 0
      for (let column = 0; column < width; column += 1) sum += (vectors[start + column] ?? 0) * (query[column] ?? 0)
      scores[row] = sum
    }
    const threshold = scores.toSorted()[count - limit] ?? Number.NEGATIVE_INFINITY
    const found: number[] = []
    for (let row = 0; row < count; row += 1) if ((scores[row] ?? 0) >= threshold) found.push(row)
    return found.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, limit)
  }
  return { name: 'plain f32', search }
}

async function oramaSearch(corpus: Corpus): Promise<Engine> {
  const database = create({ schema: { embedding: `vector[${corpus.width}]` } as const })
  for (let start = 0; start < corpus.count; start += ORAMA_BATCH) {
    const length = Math.min(ORAMA_BATCH, corpus.count - start)
    const batch = Array.from({ length }, (_, index) => ({
      id: String(start + index),
      embedding: [...rowOf(corpus, start + index)],
    }))
    await insertMultiple(database, batch, ORAMA_BATCH)
  }
  return {
    name: 'Orama',
    search: async (query, limit) => {
      const vector = { value: [...query], property: 'embedding' }
      const { hits } = await search(database, { mode: 'vector', vector, similarity: -1, limit })
      return hits.map(({ id }) => Number(id))
    },
  }
}

interface Usearch {
  readonly MetricKind: { readonly IP: string }
  exactSearch(
    rows: Float32Array,
    query: Float32Array,
    width: number,
    limit: number,
    metric: string,
    threads: number,
  ): { readonly keys: BigUint64Array }
}

function usearchEngine({ vectors, width }: Corpus, folder: string): Engine {
  const usearch = createRequire(join(resolve(folder), 'package.json'))('usearch') as Usearch
  return {
    name: 'usearch',
    search: (query, limit) =>
      Array.from(usearch.exactSearch(vectors, query, width, limit, usearch.MetricKind.IP, 1).keys, (key) =>
        Number(key),
      ),
  }
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN
const milliseconds = (ms: number): string => ms.toFixed(2).padStart(9)

/** Milliseconds and recalls of one engine. */
interface Measured {
  /** The first query after the other engines had the processor's caches to themselves. */
  readonly afterOthers: number[]
  readonly warm: number[]
  /** Of the warm ones, all threads, the collector's and the compiler's too; steadier than the clock on a busy machine. */
  readonly warmCpu: number[]
  readonly recalls: number[]
}

async function measureWarm(corpus: Corpus, engines: readonly Engine[], limit: number, rounds: number): Promise<void> {
  const measured = new Map<string, Measured>()
  for (const { name } of engines) measured.set(name, { afterOthers: [], warm: [], warmCpu: [], recalls: [] })
  for (let round = 0; round < rounds; round += 1) {
    const queries = Array.from(
      { length: BURST_QUERIES },
      (_, index) => corpus.queries[(round + index) % corpus.queries.length] ?? new Float32Array(0),
    )
    // The plain f32 loop computes every score in f64 and comes first.
    const expected: ReadonlySet<number>[] = []
    for (const { name, search } of engines) {
      const one = measured.get(name)
      for (const [index, query] of queries.entries()) {
        const [start, cpuStart] = [performance.now(), process.cpuUsage()]
        const found = await search(query, limit)
        const [wall, cpu] = [performance.now() - start, process.cpuUsage(cpuStart)]
        if (index === 0) one?.afterOthers.push(wall)
        else {
          one?.warm.push(wall)
          one?.warmCpu.push((cpu.user + cpu.system) / 1000)
        }
        const truth = expected[index] ?? new Set(found)
        expected[index] = truth
        one?.recalls.push(found.filter((row) => truth.has(row)).length / truth.size)
      }
    }
  }
  console.log(`\n${corpus.count} x ${corpus.width}, top ${limit}: medians of ${rounds} rounds in ms, and times ours`)
  console.log('                      warm              warm, cpu     first after others   recall')
  const ours = measured.get(OURS)
  for (const [name, { warm, warmCpu, afterOthers, recalls }] of measured) {
    const against = (times: readonly number[], base: readonly number[] = []) =>
      `${milliseconds(median(times))} ${(median(times) / median(base)).toFixed(1).padStart(6)} x`
    const columns = [
      against(warm, ours?.warm),
      against(warmCpu, ours?.warmCpu),
      against(afterOthers, ours?.afterOthers),
    ]
    const recall = recalls.reduce((sum, one) => sum + one, 0) / recalls.length
    console.log(`  ${name.padEnd(12)} ${columns.join('  ')}   ${recall.toFixed(4)}`)
  }
}

/** How many f32 rows the answer took. */
function measureReads(count: number, width: number): void {
  console.log(`\nf32 rows read per query, ${count} x ${width}: median and most of ${QUERY_COUNT} queries, time in all`)
  for (const spread of Object.keys(SPREADS) as Spread[]) {
    const corpus = corpusOf(spread, count, width)
    const shelf = quantized(corpus, new WasmKernel(plainKernel))
    using _matrix = shelf.rows.matrix
    for (const limit of LIMITS) {
      const reads: number[] = []
      const times: number[] = []
      for (const query of corpus.queries) {
        const [start, before] = [performance.now(), shelf.readCount]
        nearestRows(query, shelf.rows, { limit, readRow: shelf.readRow })
        times.push(performance.now() - start)
        reads.push(shelf.readCount - before)
      }
      const counts = `${String(median(reads)).padStart(6)} ${String(Math.max(...reads)).padStart(6)}`
      console.log(`  ${spread.padEnd(16)} top ${String(limit).padEnd(4)} ${counts} ${milliseconds(median(times))} ms`)
    }
  }
}

/** Integers and f32 rows in files of their own; the two numbers of each row in a third. */
const filesIn = (folder: string) => ({
  integers: join(folder, 'integers'),
  floats: join(folder, 'floats'),
  numbers: join(folder, 'numbers'),
})

function writeFiles(folder: string, corpus: Corpus): void {
  const { integers, floats, numbers } = filesIn(folder)
  const { matrix, scales, residuals } = quantized(corpus, plainKernel).rows
  writeFileSync(
    integers,
    Buffer.concat(
      matrix.blocks.map(({ rows: { buffer, byteOffset, length } }) => Buffer.from(buffer, byteOffset, length)),
    ),
  )
  writeFileSync(floats, corpus.vectors)
  writeFileSync(numbers, Buffer.concat([Buffer.from(scales.buffer), Buffer.from(residuals.buffer)]))
}

/** In the fresh process: everything from opening the files to the answer. */
function coldQuery(kind: 'integers' | 'floats', folder: string, count: number, width: number): readonly number[] {
  const query = randomUnitVector(width, randomNumbers(5))
  const { integers, floats, numbers } = filesIn(folder)
  if (kind === 'floats') {
    const bytes = readFileSync(floats)
    const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, count * width)
    return plainFloats({ count, width, vectors, queries: [] }).search(query, 10) as number[]
  }
  const matrix = new RowMatrix(new WasmKernel(plainKernel), count, width)
  const file = openSync(integers, 'r')
  for (const { rows } of matrix.blocks) readSync(file, rows)
  closeSync(file)
  const both = readFileSync(numbers)
  const [scales, residuals] = [0, 1].map(
    (half) => new Float32Array(both.buffer, both.byteOffset + half * 4 * count, count),
  )
  const rowsFile = openSync(floats, 'r')
  const vector = new Float32Array(width)
  const readRow = (row: number) => {
    readSync(rowsFile, vector, 0, vector.byteLength, row * vector.byteLength)
    return vector
  }
  const rows = { matrix, scales: scales ?? vector, residuals: residuals ?? vector }
  return nearestRows(query, rows, { limit: 10, readRow }).map(({ row }) => row)
}

function measureCold(corpus: Corpus, rounds: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-vectors-'))
  try {
    writeFiles(folder, corpus)
    const times = { integers: [] as number[], floats: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      const answers = (['integers', 'floats'] as const).map((kind) => {
        const args = [import.meta.path, '--cold', kind, '--folder', folder]
        args.push('--counts', String(corpus.count), '--width', String(corpus.width))
        const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
        const { ms, found } = JSON.parse(stdout) as { ms: number; found: number[] }
        times[kind].push(ms)
        return found.join()
      })
      if (answers[0] !== answers[1]) throw new Error(`cold answers differ: ${answers.join(' and ')}`)
    }
    console.log(
      `\ncold, ${corpus.count} x ${corpus.width}, top 10, files in the page cache, opening to answer: medians`,
    )
    console.log(`  integers, then f32 rows by position ${milliseconds(median(times.integers))} ms`)
    console.log(`  all f32 rows, plain loop            ${milliseconds(median(times.floats))} ms`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '10000,100000' },
    width: { type: 'string', default: '384' },
    rounds: { type: 'string', default: '31' },
    usearch: { type: 'string' },
    cold: { type: 'string' },
    folder: { type: 'string', default: '' },
  },
})
const counts = values.counts.split(',').map(Number)
const width = Number(values.width)

if (values.cold !== undefined) {
  const start = performance.now()
  const found = coldQuery(values.cold === 'floats' ? 'floats' : 'integers', values.folder, counts[0] ?? 0, width)
  console.log(JSON.stringify({ ms: performance.now() - start, found }))
} else {
  console.log(`Bun ${Bun.version}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpus()[0]?.model}`)
  for (const count of counts) {
    const corpus = corpusOf('random', count, width)
    const engines = [
      plainFloats(corpus),
      oursBy(OURS, corpus, new WasmKernel(plainKernel)),
      oursBy('ours, plain', corpus, plainKernel),
      await oramaSearch(corpus),
    ]
    if (values.usearch === undefined) console.log('usearch: not measured, no folder given')
    else engines.push(usearchEngine(corpus, values.usearch))
    for (const limit of LIMITS) await measureWarm(corpus, engines, limit, Number(values.rounds))
    measureCold(corpus, Number(values.rounds))
    measureReads(count, width)
  }
}
