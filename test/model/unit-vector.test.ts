import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dotProduct, isUnitVector, unitVector } from '../../src/model/unit-vector.ts'

describe('a unit vector', () => {
  test('has the direction of what it is made from, and length 1', () => {
    expect([...unitVector([3, 0, -4], 3)]).toEqual([0.6, 0, -0.8].map(Math.fround))
    expect([...unitVector([-7], 1)]).toEqual([-1])
  })

  test.each([
    [[1e200, 1e200], 'squares that overflow'],
    [[1e-200, 1e-200], 'squares that vanish'],
    [[5e-324, 5e-324], 'the smallest numbers there are'],
  ])('of %p is right in spite of %s', (values) => {
    expect([...unitVector(values, 2)]).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)])
  })

  test('is taken for one, whatever its width', () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 2000 }), (values) => {
        fc.pre(values.some((one) => one !== 0))
        expect(isUnitVector(unitVector(values, values.length))).toBe(true)
      }),
    )
    expect(isUnitVector(Float32Array.of(0.6, 0.7))).toBe(false)
    expect(isUnitVector(Float32Array.of(0.6, 0.79))).toBe(false)
    expect(isUnitVector(Float32Array.of(Number.NaN))).toBe(false)
  })

  test.each([
    [[1, 2], 'a vector of 2 numbers, expected 3'],
    [[], 'a vector of 0 numbers, expected 3'],
    [[1, Number.NaN, 3], 'NaN as number 2 of 3'],
    [[1, 2, Number.NEGATIVE_INFINITY], '-Infinity as number 3 of 3'],
    [[0, -0, 0], '3 zeros'],
  ])('is refused from %p, with the reason', (values, reason) => {
    expect(() => unitVector(values, 3)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(reason) }),
    )
  })
})

describe('the product of two vectors', () => {
  test.each([
    [[2], [3], 6],
    [[1, 2, 3], [4, 5, 6], 32],
    [[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1], 56],
  ])('%p and %p is %d', (a, b, product) => {
    expect(dotProduct(Float32Array.from(a), Float32Array.from(b))).toBe(product)
  })

  test('loses nothing that f32 would lose', () => {
    expect(dotProduct(Float32Array.of(1, 2 ** -20), Float32Array.of(1, 2 ** -20))).toBe(1 + 2 ** -40)
  })

  test('is refused for vectors of different widths', () => {
    expect(() => dotProduct(Float32Array.of(1), Float32Array.of(1, 0))).toThrow('1 and 2')
  })
})
