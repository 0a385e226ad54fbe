/** What every `Kernel` promises; run on the plain one and on WASM. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Int8Matrix, Kernel } from '../../src/ports.ts'

function fill(matrix: Int8Matrix, levelOf: (row: number, column: number) => number): void {
  for (let row = 0; row < matrix.rowCount; row += 1)
    for (let column = 0; column < matrix.width; column += 1)
      matrix.rows[row * matrix.stride + column] = levelOf(row, column)
}

/** In whole numbers of any size, cut to 32 bits at the end. */
function naiveDots({ rowCount, width, stride, rows }: Int8Matrix, query: Int16Array): number[] {
  return Array.from({ length: rowCount }, (_, row) => {
    let sum = 0n
    for (let column = 0; column < width; column += 1)
      sum += BigInt(rows[row * stride + column] ?? 0) * BigInt(query[column] ?? 0)
    return Number(BigInt.asIntN(32, sum))
  })
}

export function kernelContract(name: string, kernel: Kernel): void {
  describe(`Kernel: ${name}`, () => {
    test('sums the products of each row with the query', () => {
      using matrix = kernel.openInt8Matrix(2, 3)
      fill(matrix, (row, column) => [1, -2, 3, 127, 0, -127][row * 3 + column] ?? 0)
      expect([...matrix.dots(Int16Array.of(10, 20, 30))]).toEqual([10 - 40 + 90, 1270 - 3810])
    })

    test('agrees with whole numbers of any size, for any shape and the largest values', () => {
      const level = fc.oneof(fc.integer({ min: -128, max: 127 }), fc.constantFrom(-128, 127))
      const part = fc.oneof(fc.integer({ min: -32_768, max: 32_767 }), fc.constantFrom(-32_768, 32_767))
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 40 }),
          fc.integer({ min: 1, max: 70 }),
          fc.array(level, { minLength: 1, maxLength: 97 }),
          fc.array(part, { minLength: 1, maxLength: 71 }),
          (rowCount, width, levels, parts) => {
            using matrix = kernel.openInt8Matrix(rowCount, width)
            fill(matrix, (row, column) => levels[(row * width + column) % levels.length] ?? 0)
            const query = Int16Array.from({ length: width }, (_, column) => parts[column % parts.length] ?? 0)
            expect([...matrix.dots(query)]).toEqual(naiveDots(matrix, query))
          },
        ),
      )
    })

    test('wraps sums over 32 bits', () => {
      using matrix = kernel.openInt8Matrix(9, 4096)
      fill(matrix, () => -128)
      const query = new Int16Array(4096).fill(-32_768)
      expect(naiveDots(matrix, query)[0]).toBe(0)
      expect([...matrix.dots(query)]).toEqual(naiveDots(matrix, query))
      query.fill(32_767)
      expect([...matrix.dots(query)]).toEqual(naiveDots(matrix, query))
    })

    test('does not count what lies behind the width', () => {
      using matrix = kernel.openInt8Matrix(17, 5)
      expect(matrix.stride).toBe(16)
      matrix.rows.fill(7)
      expect([...matrix.dots(Int16Array.of(1, 1, 1, 1, 1))]).toEqual(Array(17).fill(35))
      expect([...matrix.dots(Int16Array.of(1, 0, 0, 0, 0))]).toEqual(Array(17).fill(7))
    })

    test('answers for no rows', () => {
      using matrix = kernel.openInt8Matrix(0, 384)
      expect([...matrix.dots(new Int16Array(384))]).toEqual([])
    })

    test('opens matrices of zeros that leave one another alone, whatever was opened and disposed before', () => {
      const kept = kernel.openInt8Matrix(100, 384)
      kept.rows.fill(1)
      for (const rowCount of [3, 5000, 4000, 6000, 1, 9000]) {
        using matrix = kernel.openInt8Matrix(rowCount, 384)
        expect(matrix.rows.every((level) => level === 0)).toBe(true)
        matrix.rows.fill(-1)
        expect(matrix.dots(new Int16Array(384).fill(2)).every((sum) => sum === -768)).toBe(true)
      }
      expect([...kept.dots(new Int16Array(384).fill(2))]).toEqual(Array(100).fill(768))
      kept[Symbol.dispose]()
    })

    test('gives a disposed matrix no rows, and disposing twice is fine', () => {
      const matrix = kernel.openInt8Matrix(4, 4)
      matrix[Symbol.dispose]()
      matrix[Symbol.dispose]()
      expect(matrix.rows).toHaveLength(0)
      expect(() => matrix.dots(new Int16Array(4))).toThrow('disposed')
      using first = kernel.openInt8Matrix(4, 4)
      using second = kernel.openInt8Matrix(4, 4)
      expect(first.rows.buffer).not.toBe(second.rows.buffer)
    })

    test('is told by an invariant that a query has another width', () => {
      using matrix = kernel.openInt8Matrix(4, 4)
      expect(() => matrix.dots(new Int16Array(5))).toThrow('5 columns')
      expect(() => kernel.openInt8Matrix(4, 0)).toThrow('0 columns')
      expect(() => kernel.openInt8Matrix(-1, 4)).toThrow('-1 rows')
    })
  })
}
