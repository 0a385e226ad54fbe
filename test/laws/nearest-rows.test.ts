import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import { dotProduct, unitVector } from '../../src/model/unit-vector.ts'
import { nearestRows, type RowScore } from '../../src/search/nearest-rows.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { randomNumbers, randomUnitVector, vectorNear } from '../fakes/random-vectors.ts'
import { vectorRows } from '../fakes/vector-rows.ts'

const wasmKernel = new WasmKernel(plainKernel)

interface Scene {
  readonly vectors: readonly Float32Array[]
  readonly query: Float32Array
}

/** Every score, all sorted. A sum from the last to the first stands beside `dotProduct`, so that its errors would show. */
function naiveNearest({ vectors, query }: Scene, limit: number, rank = (row: number) => row): RowScore[] {
  return vectors
    .map((vector, row) => {
      const score = dotProduct(query, vector)
      const backwards = vector.reduceRight((sum, value, column) => sum + value * (query[column] ?? 0), 0)
      expect(Math.abs(backwards - score)).toBeLessThan(1e-12)
      return { row, score }
    })
    .sort((a, b) => b.score - a.score || rank(a.row) - rank(b.row))
    .slice(0, limit)
}

type SceneKind = 'random' | 'clustered' | 'duplicates' | 'one huge column' | 'opposite' | 'few values'

function sceneOf(kind: SceneKind, width: number, rowCount: number, seed: number): Scene {
  const random = randomNumbers(seed)
  const query = randomUnitVector(width, random)
  const vectorOf: Readonly<Record<SceneKind, (row: number) => Float32Array>> = {
    random: () => randomUnitVector(width, random),
    // Nearer to one another than the steps of 8 bits are.
    clustered: (row) => vectorNear(query, row % 2 === 0 ? 1e-3 : 0.3, random),
    duplicates: (row) => randomUnitVector(width, randomNumbers(seed + 1 + (row % 3))),
    'one huge column': (row) => {
      const values = Float64Array.from({ length: width }, () => (random() - 0.5) * 1e-3)
      values[row % width] = random() < 0.5 ? 1 : -1
      return unitVector(values, width)
    },
    opposite: () =>
      vectorNear(
        query.map((value) => -value),
        0.2,
        random,
      ),
    'few values': () =>
      unitVector(
        Float64Array.from({ length: width }, (_, column) => (column === 0 || random() < 0.5 ? 1 : -1)),
        width,
      ),
  }
  return { query, vectors: Array.from({ length: rowCount }, (_, row) => vectorOf[kind](row)) }
}

const kinds: readonly SceneKind[] = ['random', 'clustered', 'duplicates', 'one huge column', 'opposite', 'few values']
const widths = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(384, 768, 1536))

describe.each([
  ['plain', plainKernel],
  ['WASM', wasmKernel],
  ['WASM, in several matrices,', new WasmKernel(plainKernel, 20_000)],
] as const)('the nearest rows by the %s kernel', (_, kernel) => {
  test.each(kinds)('are those of computing every score, in its order, for %s vectors', (kind) => {
    fc.assert(
      fc.property(
        widths,
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 70 }),
        fc.nat(),
        (width, rowCount, limit, seed) => {
          const scene = sceneOf(kind, width, rowCount, seed)
          const { rows, readRow } = vectorRows(kernel, scene.vectors)
          using _matrix = rows.matrix
          if (rowCount === 0) return
          expect(nearestRows(scene.query, rows, { limit, readRow })).toEqual(naiveNearest(scene, limit))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('break ties in the order that the caller gives', () => {
    const scene = sceneOf('duplicates', 24, 50, 7)
    const { rows, readRow } = vectorRows(kernel, scene.vectors)
    using _matrix = rows.matrix
    const rank = (row: number) => (row * 37) % 50
    const found = nearestRows(scene.query, rows, { limit: 20, readRow, compareTied: (a, b) => rank(a) - rank(b) })
    expect(found).toEqual(naiveNearest(scene, 20, rank))
  })

  test('leave out what the caller leaves out', () => {
    const scene = sceneOf('clustered', 48, 80, 11)
    const { rows, readRow } = vectorRows(kernel, scene.vectors)
    using _matrix = rows.matrix
    const isLeftOut = (row: number) => row % 3 === 0
    const all = naiveNearest(scene, scene.vectors.length)
    expect(nearestRows(scene.query, rows, { limit: 10, readRow, isLeftOut })).toEqual(
      all.filter(({ row }) => !isLeftOut(row)).slice(0, 10),
    )
  })
})

describe('the nearest rows', () => {
  const scene = sceneOf('random', 384, 5000, 3)

  test('are few to read: the integers rule most rows out', () => {
    const shelf = vectorRows(wasmKernel, scene.vectors)
    using _matrix = shelf.rows.matrix
    expect(nearestRows(scene.query, shelf.rows, { limit: 10, readRow: shelf.readRow })).toEqual(naiveNearest(scene, 10))
    expect(shelf.readCount).toBeLessThan(30)
  })

  test('may be read into one buffer', () => {
    const { rows, readRow } = vectorRows(wasmKernel, scene.vectors)
    using _matrix = rows.matrix
    const buffer = new Float32Array(384)
    const intoBuffer = (row: number) => {
      buffer.set(readRow(row))
      return buffer
    }
    expect(nearestRows(scene.query, rows, { limit: 10, readRow: intoBuffer })).toEqual(naiveNearest(scene, 10))
  })

  test('are none for a limit of 0', () => {
    const { rows, readRow } = vectorRows(wasmKernel, scene.vectors)
    using _matrix = rows.matrix
    expect(nearestRows(scene.query, rows, { limit: 0, readRow })).toEqual([])
  })
})
