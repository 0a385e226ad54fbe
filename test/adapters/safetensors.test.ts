import { describe, expect, test } from 'bun:test'
import { Safetensors } from '../../src/adapters/safetensors.ts'
import { float32, int64, matrix, type RawTensor, safetensorsOf } from '../fakes/static-model.ts'

const PATH = '/models/small/model.safetensors'

const opened = (tensors: Readonly<Record<string, RawTensor>>) => new Safetensors(safetensorsOf(tensors), PATH)
const tensor = (dtype: string, shape: readonly number[], data: ArrayLike<number>): RawTensor => ({
  dtype,
  shape,
  data: Uint8Array.from(data),
})

/** 16-bit patterns as a file holds them. */
const halves = (patterns: readonly number[]) => patterns.flatMap((bits) => [bits & 0xff, bits >> 8])

describe('floats', () => {
  test('of 32 bits are as they were written, wherever they lie', () => {
    const numbers = [0, 1, -1.5, 2 ** -149, 3.4028234663852886e38]
    for (const paddingBytes of [0, 1, 2, 3]) {
      const file = opened({ a: tensor('U8', [paddingBytes], new Uint8Array(paddingBytes)), b: float32([5], numbers) })
      expect([...file.floats('b')]).toEqual(numbers)
    }
  })

  test('of 16 bits are those of IEEE 754 binary16', () => {
    // The examples that the standard's encyclopedia articles give for the format.
    const known: readonly (readonly [number, number])[] = [
      [0x0000, 0],
      [0x0001, 2 ** -24],
      [0x03ff, 2 ** -14 * (1023 / 1024)],
      [0x0400, 2 ** -14],
      [0x3555, 0.333251953125],
      [0x3bff, 0.99951171875],
      [0x3c00, 1],
      [0x3c01, 1.0009765625],
      [0x7bff, 65_504],
      [0xc000, -2],
      [0xfbff, -65_504],
    ]
    const file = opened({ h: tensor('F16', [known.length], halves(known.map(([bits]) => bits))) })
    expect([...file.floats('h')]).toEqual(known.map(([, value]) => value))
  })

  test('of 16 bits of the brain kind are the upper halves of 32', () => {
    const known: readonly (readonly [number, number])[] = [
      [0x0000, 0],
      [0x3f80, 1],
      [0xc000, -2],
      [0x4049, 3.140625],
      [0x3eab, 0.333984375],
      [0x7f7f, 3.3895313892515355e38],
      [0x0080, 2 ** -126],
      [0x0001, 2 ** -133],
    ]
    const file = opened({ h: tensor('BF16', [known.length], halves(known.map(([bits]) => bits))) })
    expect([...file.floats('h')]).toEqual(known.map(([, value]) => value))
  })

  test('of 64 bits are rounded to 32', () => {
    const data = new Uint8Array(new Float64Array([0.1, -3, 1e-50]).buffer)
    expect([...opened({ d: { dtype: 'F64', shape: [3], data } }).floats('d')]).toEqual([Math.fround(0.1), -3, 0])
  })

  test('of 8 bits are the integers, for the format has no scale', () => {
    const file = opened({ q: tensor('I8', [5], [0, 1, 127, 128, 255]) })
    expect([...file.floats('q')]).toEqual([0, 1, 127, -128, -1])
  })

  test.each([
    ['NaN', float32([2], [1, Number.NaN])],
    ['an infinity', float32([2], [1, Number.NEGATIVE_INFINITY])],
    ['NaN of 16 bits', tensor('F16', [2], halves([0x3c00, 0x7e01]))],
    ['an infinity of 16 bits', tensor('F16', [2], halves([0x3c00, 0xfc00]))],
    ['an infinity of the brain kind', tensor('BF16', [2], halves([0x3f80, 0x7f80]))],
    [
      'what is too large for 32 bits',
      { dtype: 'F64', shape: [2], data: new Uint8Array(new Float64Array([1, 1e300]).buffer) },
    ],
  ])('that are %s are refused, by their place', (_, bad) => {
    const sentence = `${PATH} holds a number that is NaN or infinite: number 2 of its tensor x`
    expect(() => opened({ x: bad }).floats('x')).toThrow(sentence)
  })
})

describe('indices', () => {
  test('of 64 and of 32 bits are as they were written, wherever they lie', () => {
    const numbers = [0, 1, 65_536, 2 ** 31 - 1]
    for (const paddingBytes of [0, 1, 4]) {
      const padding = tensor('U8', [paddingBytes], new Uint8Array(paddingBytes))
      const narrow = { dtype: 'I32', shape: [4], data: new Uint8Array(new Int32Array(numbers).buffer) }
      const file = opened({ padding, wide: int64(numbers), narrow })
      expect([...file.indices('wide')]).toEqual(numbers)
      expect([...file.indices('narrow')]).toEqual(numbers)
    }
  })

  test.each([-1, 2 ** 31, 2 ** 32, -(2 ** 40)])('of which one is %d are refused, by its place', (bad) => {
    const sentence = `${PATH} holds a number that is no index: number 3 of its tensor x`
    expect(() => opened({ x: int64([5, 0, bad]) }).indices('x')).toThrow(sentence)
  })
})

test('a tensor of a type that is not read hinders none beside it', () => {
  const file = opened({ a: tensor('F8_E4M3', [3], [1, 2, 3]), b: float32([1], [4]) })
  expect([...file.floats('b')]).toEqual([4])
  expect(() => file.floats('a')).toThrow('in a type other than')
  expect(() => file.indices('b')).toThrow('in a type other than')
})

test('a tensor that is not asked for may hold anything', () => {
  const file = opened({ bad: float32([1], [Number.NaN]), good: float32([1], [4]) })
  expect([...file.floats('good')]).toEqual([4])
})

test('notes in the header are passed over', () => {
  const header = '{"__metadata__":{"format":"np","dtype":"x"},"x":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}}'
  const file = new Safetensors(safetensorsOf({ x: tensor('I8', [2], [7, 8]) }, header), PATH)
  expect(file.shapeOf('x')).toEqual([2])
  expect(file.shapeOf('__metadata__')).toBeNull()
})

test('an empty tensor has a shape and no numbers', () => {
  const file = opened({ none: float32([0, 4], []), one: float32([], [9]) })
  expect(file.shapeOf('none')).toEqual([0, 4])
  expect([...file.floats('none')]).toEqual([])
  expect([...file.floats('one')]).toEqual([9])
})

describe('a file is refused, by name and fault,', () => {
  const GOOD = safetensorsOf({
    embeddings: matrix([
      [1, 2],
      [3, 4],
    ]),
  })
  const one = (entry: string) => safetensorsOf({ x: tensor('I8', [4], [1, 2, 3, 4]) }, entry)
  const withLength = (length: bigint) => {
    const file = Uint8Array.from(GOOD)
    new DataView(file.buffer).setBigUint64(0, length, true)
    return file
  }

  test.each<[string, Uint8Array, string]>([
    ['that is empty', new Uint8Array(), 'has 0 bytes, too few'],
    ['of 7 bytes', GOOD.subarray(0, 7), 'has 7 bytes, too few'],
    ['cut within its header', GOOD.subarray(0, 20), 'is cut off: it ends after 20 bytes, within its header of'],
    ['cut within its tensors', GOOD.subarray(0, -1), 'is cut off: it has'],
    ['whose header is huge', withLength(100_000_001n), 'more than 100000000'],
    ['whose header is as long as numbers go', withLength(2n ** 64n - 1n), 'would have 18446744073709551615 bytes'],
    ['that is something else', new TextEncoder().encode('<!DOCTYPE html><html></html>'), 'is no safetensors file'],
    ['whose header is no JSON', one('{"x":'), 'its header is not valid JSON'],
    ['whose header is no UTF-8', withByte(GOOD, 10, 0xff), 'its header is not valid JSON'],
    ['whose header is a list', one('[]'), 'is not one JSON object'],
    [
      'that names a tensor twice',
      one('{"x":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"\\u0078":{}}'),
      'names one thing twice',
    ],
    [
      'that gives a place twice',
      one('{"x":{"dtype":"I8","shape":[4],"data_offsets":[0,4],"shape":[1]}}'),
      'names one thing twice',
    ],
    ['with a tensor that is null', one('{"x":null}'), 'without type, shape or place'],
    ['with a tensor without type', one('{"x":{"shape":[4],"data_offsets":[0,4]}}'), 'without type, shape or place'],
    [
      'with a negative shape',
      one('{"x":{"dtype":"I8","shape":[-4],"data_offsets":[0,4]}}'),
      'without type, shape or place',
    ],
    [
      'with half a number in a shape',
      one('{"x":{"dtype":"I8","shape":[4.5],"data_offsets":[0,4]}}'),
      'without type, shape or place',
    ],
    ['with one offset', one('{"x":{"dtype":"I8","shape":[4],"data_offsets":[0]}}'), 'without type, shape or place'],
    [
      'with a tensor that ends first',
      one('{"x":{"dtype":"I8","shape":[4],"data_offsets":[4,0]}}'),
      'ends before it starts',
    ],
    [
      'with a tensor behind its end',
      one('{"x":{"dtype":"I8","shape":[5],"data_offsets":[0,5]}}'),
      'a tensor ends at byte',
    ],
    [
      'with a shape of more bytes',
      one('{"x":{"dtype":"I8","shape":[5],"data_offsets":[0,4]}}'),
      'a tensor of 5 bytes by its shape has 4',
    ],
    [
      'with a shape of fewer bytes',
      one('{"x":{"dtype":"F32","shape":[0],"data_offsets":[0,4]}}'),
      'a tensor of 0 bytes by its shape has 4',
    ],
    [
      'with a shape beyond all numbers',
      one(`{"x":{"dtype":"I8","shape":[${'9007199254740991,'.repeat(30)}4],"data_offsets":[0,4]}}`),
      'by its shape has 4',
    ],
    ['with bytes at its end', Buffer.concat([GOOD, new Uint8Array(3)]), '3 bytes at its end belong to no tensor'],
    [
      'with bytes between tensors',
      one('{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"I8","shape":[1],"data_offsets":[3,4]}}'),
      'belongs to no tensor',
    ],
    [
      'whose tensors overlap',
      one('{"x":{"dtype":"I8","shape":[3],"data_offsets":[0,3]},"y":{"dtype":"I8","shape":[2],"data_offsets":[2,4]}}'),
      'two of its tensors overlap',
    ],
  ])('%s', (_, bytes, fault) => {
    const open = () => new Safetensors(bytes, PATH)
    expect(open).toThrow(`static embedding model: ${PATH} `)
    expect(open).toThrow(fault)
    expect(open).toThrow('set EMBEDDING_MODEL_NAME to')
  })

  test('when it is asked for a tensor that it does not hold', () => {
    expect(() => opened({}).floats('embeddings')).toThrow(`${PATH} holds no tensor embeddings`)
  })

  test('whatever single byte of its header is changed, or it reads the same or other numbers', () => {
    const headerEnd = GOOD.length - 16
    for (let at = 0; at < headerEnd; at += 1)
      for (const bit of [1, 4, 16, 64, 128]) {
        const file = withByte(GOOD, at, (GOOD[at] ?? 0) ^ bit)
        try {
          const read = new Safetensors(file, PATH)
          if (read.shapeOf('embeddings') !== null) expect(read.floats('embeddings').length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toMatchObject({ code: 'embedder_unavailable' })
        }
      }
  })
})

function withByte(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[at] = value
  return changed
}
