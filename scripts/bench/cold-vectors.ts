/**
 * `cold-vectors integers|floats FOLDER COUNT WIDTH`: one vector query in a fresh process, by integers and then the f32
 * vectors of what can be among the best, or by all f32 vectors. Prints how long it took from opening the files.
 */
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import { nearestRows } from '../../src/search/nearest-rows.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { RowMatrix } from '../../src/search/row-matrix.ts'
import { randomNumbers, randomUnitVector } from '../../test/fakes/random-vectors.ts'
import { plainSearch, quantized, type VectorCorpus } from './vector-engines.ts'

const LIMIT = 10
const QUERY_SEED = 5

export type ColdKind = 'integers' | 'floats'

export interface ColdAnswer {
  readonly ms: number
  /** Rows, best first. */
  readonly found: readonly number[]
}

/** Integers and f32 rows in files of their own; the two numbers of each row in a third. */
const filesIn = (folder: string) => ({
  integers: join(folder, 'integers'),
  floats: join(folder, 'floats'),
  numbers: join(folder, 'numbers'),
})

export function writeVectorFiles(folder: string, corpus: VectorCorpus): void {
  const { integers, floats, numbers } = filesIn(folder)
  const { matrix, scales, residuals } = quantized(corpus, plainKernel).rows
  writeFileSync(
    integers,
    Buffer.concat(matrix.blocks.map(({ rows }) => Buffer.from(rows.buffer, rows.byteOffset, rows.length))),
  )
  writeFileSync(floats, corpus.vectors)
  writeFileSync(numbers, Buffer.concat([Buffer.from(scales.buffer), Buffer.from(residuals.buffer)]))
}

function byFloats(folder: string, count: number, width: number): readonly number[] {
  const bytes = readFileSync(filesIn(folder).floats)
  const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, count * width)
  return plainSearch({ count, width, vectors, queries: [] }, queryOf(width), LIMIT)
}

function byIntegers(folder: string, count: number, width: number): readonly number[] {
  const { integers, floats, numbers } = filesIn(folder)
  const matrix = new RowMatrix(new WasmKernel(plainKernel), count, width)
  const file = openSync(integers, 'r')
  for (const { rows } of matrix.blocks) readSync(file, rows)
  closeSync(file)
  const both = readFileSync(numbers)
  const numbersFrom = (start: number) => new Float32Array(both.buffer, both.byteOffset + 4 * start, count)
  const rows = { matrix, scales: numbersFrom(0), residuals: numbersFrom(count) }
  const rowsFile = openSync(floats, 'r')
  const vector = new Float32Array(width)
  const readRow = (row: number) => {
    readSync(rowsFile, vector, 0, vector.byteLength, row * vector.byteLength)
    return vector
  }
  return nearestRows(queryOf(width), rows, { limit: LIMIT, readRow }).map(({ row }) => row)
}

const queryOf = (width: number) => randomUnitVector(width, randomNumbers(QUERY_SEED))

if (import.meta.main) {
  const [kind, folder = '', count, width] = process.argv.slice(2)
  const start = performance.now()
  const found = (kind === 'floats' ? byFloats : byIntegers)(folder, Number(count), Number(width))
  const answer: ColdAnswer = { ms: performance.now() - start, found }
  console.log(JSON.stringify(answer))
}
