import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { unitVector } from '../../src/model/unit-vector.ts'
import { errorBoundOf, type Quantization, quantizeQuery, quantizeRow } from '../../src/search/quantized-vector.ts'

const vectorOf = (width: number) =>
  fc
    .array(fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(0, 1e-30, 1e30, -1e6, 1e-3)), {
      minLength: width,
      maxLength: width,
    })
    .filter((values) => values.some((value) => value !== 0))
    .map((values) => unitVector(values, width))
const pair = fc.integer({ min: 1, max: 300 }).chain((width) => fc.tuple(vectorOf(width), vectorOf(width)))

/** Rows as embedders give them, rows of few numbers among zeros of both signs, and rows from the smallest f32 to 1. */
const anyRow = fc
  .tuple(
    fc.constantFrom(1, 2, 7, 384, 1536),
    fc.constantFrom<fc.Arbitrary<number>[]>(
      [fc.double({ min: -1, max: 1, noNaN: true })],
      [fc.constant(0), fc.constant(-0), fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true })],
      [fc.constantFrom(1, -1, 127, -127, 0.5, -0.5, 1.5, -63.5, 126.5, 2 ** -149, -(2 ** -126), 1e-20, 1e30)],
      [fc.double({ noNaN: true, noDefaultInfinity: true })],
    ),
  )
  .chain(([width, numbers]) => fc.array(fc.oneof(...numbers), { minLength: width, maxLength: width, size: 'max' }))
  .filter((values) => values.some((value) => value !== 0))
  .map((values) => unitVector(values, values.length))

/** The definition, a step at a time. */
function naiveRow(vector: Float32Array): Quantization & { readonly levels: number[] } {
  const values = [...vector]
  const scale = Math.fround(Math.max(...values.map(Math.abs)) / 127)
  const levels = values.map((value) => Math.round(value / scale) + 0)
  const squares = values.map((value, column) => (value - scale * (levels[column] ?? 0)) ** 2)
  const distance = Math.sqrt(squares.reduce((sum, square) => sum + square, 0))
  return { scale, residual: Math.fround(distance * (1 + 2 ** -22) + 2 ** -100), levels }
}

/** An f32 as a whole multiple of 2^-149, so that sums and products of such are exact. */
function wholeOf(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(4))
  bits.setFloat32(0, value)
  const word = bits.getUint32(0)
  const exponent = (word >>> 23) & 0xff
  const fraction = BigInt(word & 0x7fffff)
  const magnitude = exponent === 0 ? fraction : (fraction | 0x800000n) << BigInt(exponent - 1)
  return word >>> 31 === 1 ? -magnitude : magnitude
}

test('the whole numbers used here are right', () => {
  expect(wholeOf(2 ** -149)).toBe(1n)
  expect(wholeOf(-1)).toBe(-(1n << 149n))
  expect(wholeOf(1.5)).toBe(3n << 148n)
})

describe('a quantised row', () => {
  test('uses all levels, the nearest to each number', () => {
    const levels = new Int8Array(3)
    const { scale } = quantizeRow(unitVector([127, -64, 0.4], 3), levels)
    expect([...levels]).toEqual([127, -64, 0])
    expect(scale).toBeCloseTo(1 / Math.hypot(127, 64, 0.4), 8)
  })

  test('lies no farther from the vector than its residual says', () => {
    fc.assert(
      fc.property(pair, ([vector]) => {
        const levels = new Int8Array(vector.length)
        const { scale, residual } = quantizeRow(vector, levels)
        let squares = 0n
        for (const [column, value] of vector.entries())
          squares += (wholeOf(value) - wholeOf(scale) * BigInt(levels[column] ?? 0)) ** 2n
        expect(Math.fround(residual)).toBe(residual)
        expect(wholeOf(residual) ** 2n >= squares).toBe(true)
      }),
    )
  })

  test('has the bits that its definition gives, also for rows of zeros and of extremes', () => {
    fc.assert(
      fc.property(anyRow, (vector) => {
        const levels = new Int8Array(vector.length)
        const quantization = quantizeRow(vector, levels)
        expect({ ...quantization, levels: [...levels] }).toEqual(naiveRow(vector))
      }),
      { numRuns: 500 },
    )
  })

  test('is exact for one number alone', () => {
    const levels = new Int8Array(4)
    const { residual } = quantizeRow(Float32Array.of(0, -1, 0, 0), levels)
    expect([...levels]).toEqual([0, -127, 0, 0])
    // Only the rounding of the scale to 32 bits is left.
    expect(residual).toBeLessThan(2 ** -24)
  })

  test('must be of length 1', () => {
    expect(() => quantizeRow(Float32Array.of(1, 1), new Int8Array(2))).toThrow('length 1')
    expect(() => quantizeRow(Float32Array.of(0, 0), new Int8Array(2))).toThrow('length 1')
    expect(() => quantizeRow(Float32Array.of(1), new Int8Array(2))).toThrow('2 levels')
  })
})

test('a query is as fine as sums of 32 bits allow', () => {
  const even = (width: number) => quantizeQuery(unitVector(new Float64Array(width).fill(1), width)).levels[0] ?? 0
  expect(even(384)).toBe(32_767)
  expect(even(1536)).toBe(11_008)
  for (const width of [1536, 3072, 4096, 65_536]) expect(even(width) * 127 * width).toBeLessThan(2 ** 31)
})

test('the exact product of two vectors never leaves the bound around that of their images', () => {
  fc.assert(
    fc.property(pair, ([query, vector]) => {
      const levels = new Int8Array(vector.length)
      const row = quantizeRow(vector, levels)
      const { levels: queryLevels, ...quantized } = quantizeQuery(query)
      const { perResidual, constant } = errorBoundOf(quantized)
      let exact = 0n
      let dot = 0
      for (const [column, value] of vector.entries()) {
        exact += wholeOf(value) * wholeOf(query[column] ?? 0)
        dot += (levels[column] ?? 0) * (queryLevels[column] ?? 0)
      }
      // In units of 2^-298; the constant keeps its slack for the rounding of f64, which is not in here.
      const difference = exact - wholeOf(row.scale) * wholeOf(quantized.scale) * BigInt(dot)
      const bound = row.residual * perResidual + constant
      const inWholes = BigInt(Math.ceil(bound * 2 ** 60)) << (298n - 60n)
      expect((difference < 0n ? -difference : difference) <= inWholes).toBe(true)
    }),
  )
})
