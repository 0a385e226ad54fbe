import { describe, expect, test } from 'bun:test'
import { unitVector } from '../../src/model/unit-vector.ts'
import type { ReadFile } from '../../src/ports.ts'
import { FileDamage } from '../../src/search/checked-file.ts'
import { fileInMemory } from '../../src/search/derived-folder.ts'
import { KEY_BYTES, keyWords, NOT_FOUND } from '../../src/search/key-table.ts'
import { BLOCK_ROWS, packBytes, rowStride } from '../../src/search/pack-format.ts'
import { quantizeRow } from '../../src/search/quantized-vector.ts'
import { keyAt, keyHex, textKey } from '../../src/search/text-key.ts'
import { VectorPack } from '../../src/search/vector-pack.ts'
import { digest } from '../fakes/digest.ts'
import { randomNumbers, randomUnitVector } from '../fakes/random-vectors.ts'

function rowsOf(count: number, width: number) {
  const random = randomNumbers(count * 1000 + width)
  return Array.from({ length: count }, (_, row) => ({
    key: textKey(digest, `text ${row}`),
    vector: randomUnitVector(width, random),
  }))
}

function opened(bytes: Uint8Array<ArrayBuffer>): VectorPack {
  return new VectorPack(fileInMemory(bytes), digest)
}

function entryOf(pack: VectorPack, key: Uint8Array): number {
  const places = Int32Array.of(NOT_FOUND)
  pack.findAll(keyWords(key), places, 0)
  return places[0] ?? NOT_FOUND
}

/** Of every row, `rowStride` each; null where a block is damaged. */
function levelsOf(pack: VectorPack): readonly (Uint8Array | null)[] {
  return Array.from({ length: Math.ceil(pack.rowCount / BLOCK_ROWS) }, (_, at) => {
    const block = pack.blockOf(at * BLOCK_ROWS)
    const levels = new Uint8Array((block.end - block.start) * rowStride(pack.width))
    try {
      pack.readLevels(block, levels)
      return levels
    } catch (error) {
      expect(error).toBeInstanceOf(FileDamage)
      return null
    }
  })
}

/** The same bytes with other words in the footer, and all checksums right. */
function withFooter(bytes: Uint8Array<ArrayBuffer>, footer: string): Uint8Array<ArrayBuffer> {
  const body = bytes.subarray(0, bytes.length - 16 - footerLengthOf(bytes))
  const text = new TextEncoder().encode(footer)
  const file = new Uint8Array(body.length + text.length + 16)
  file.set(body)
  file.set(text, body.length)
  file.set(bytes.subarray(bytes.length - 16), body.length + text.length)
  const newTail = new DataView(file.buffer, body.length + text.length)
  newTail.setUint32(0, text.length, true)
  newTail.setUint32(4, digest.crc32(text), true)
  return file
}

function footerLengthOf(bytes: Uint8Array<ArrayBuffer>): number {
  return new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 16).getUint32(0, true)
}

function footerOf(bytes: Uint8Array<ArrayBuffer>): Record<string, unknown> {
  const length = footerLengthOf(bytes)
  return JSON.parse(new TextDecoder().decode(bytes.subarray(bytes.length - 16 - length, bytes.length - 16)))
}

describe('a pack', () => {
  test.each([
    [1, 1],
    [3, 5],
    [7, 16],
    [20, 33],
  ])('of %d rows of %d numbers gives back keys, exact vectors and their integers', (count, width) => {
    const rows = rowsOf(count, width)
    const pack = opened(packBytes(rows, digest))
    expect([pack.rowCount, pack.width]).toEqual([count, width])
    for (const [row, { key, vector }] of rows.entries()) {
      const levels = new Int8Array(width)
      const { scale, residual } = quantizeRow(vector, levels)
      expect(entryOf(pack, key)).toBe(row)
      expect(pack.vectorAt(row)).toEqual(vector)
      expect(pack.entryAt(row)).toEqual({ key, vector, quantized: { levels, scale, residual } })
      expect([pack.scales[row], pack.residuals[row]]).toEqual([scale, residual])
    }
  })

  test.each([0, 3])('of %d rows and refusals gives the refusals back too', (count) => {
    const refusals = ['too long', 'no “foxes”'].map((refused, number) => ({
      key: textKey(digest, `refused ${number}`),
      refused,
    }))
    const rows = rowsOf(count, 5)
    const pack = opened(packBytes([...refusals, ...rows], digest))
    expect([pack.rowCount, pack.width, pack.entryCount]).toEqual([count, count === 0 ? 0 : 5, count + 2])
    expect(pack.refusals).toEqual(['too long', 'no “foxes”'])
    for (const [at, refusal] of refusals.entries()) {
      expect(entryOf(pack, refusal.key)).toBe(count + at)
      expect(pack.entryAt(count + at)).toEqual(refusal)
    }
    for (const [row, { vector }] of rows.entries()) expect(pack.vectorAt(row)).toEqual(vector)
  })

  test('made of another pack’s rows is the same, byte for byte', () => {
    const bytes = packBytes(rowsOf(5, 12), digest)
    const pack = opened(bytes)
    expect(
      packBytes(
        [0, 1, 2, 3, 4].map((row) => pack.entryAt(row)),
        digest,
      ),
    ).toEqual(bytes)
  })

  test('takes a vector that lies within a larger buffer', () => {
    const [row] = rowsOf(1, 4)
    const buffer = new Float32Array(12)
    buffer.set(row?.vector ?? [], 5)
    const vector = buffer.subarray(5, 9)
    expect(opened(packBytes([{ key: textKey(digest, 'x'), vector }], digest)).vectorAt(0)).toEqual(vector.slice())
  })

  test('opens from bytes that begin in the middle of a buffer', () => {
    const bytes = packBytes(rowsOf(3, 4), digest)
    const file: ReadFile = {
      bytes: bytes.length,
      read: (position, length) => {
        const buffer = new Uint8Array(length + 8)
        buffer.set(bytes.subarray(position, position + length), 8)
        return buffer.subarray(8)
      },
      readInto: (position, target) => target.set(bytes.subarray(position, position + target.length)),
      [Symbol.dispose]: () => {},
    }
    const pack = new VectorPack(file, digest)
    for (const row of [0, 1, 2]) expect(pack.entryAt(row)).toEqual(opened(bytes).entryAt(row))
  })

  test('lies as docs/formats.md says', () => {
    const key = textKey(digest, 'x')
    const vector = unitVector([1, 0], 2)
    const bytes = packBytes([{ key, vector }], digest)
    const numbers = new DataView(bytes.buffer)
    expect([...bytes.subarray(0, 16)]).toEqual([...key])
    expect(keyHex(key)).toBe(digest.sha256(new TextEncoder().encode('x')).slice(0, 32))
    // The table has 16 slots; the key's is told by its first four bytes.
    const slots = Array.from({ length: 16 }, (_, slot) => numbers.getUint32(16 + slot * 4, true))
    expect(slots.indexOf(1)).toBe(numbers.getUint32(0, true) % 16)
    expect(slots.filter((slot) => slot === 0)).toHaveLength(15)
    expect(numbers.getFloat32(80, true)).toBe(Math.fround(1 / 127))
    expect(numbers.getFloat32(88, true)).toBeLessThan(1e-6)
    expect(numbers.getUint32(96, true)).toBe(digest.crc32(bytes.subarray(128, 136)))
    expect(numbers.getUint32(104, true)).toBe(digest.crc32(bytes.subarray(112, 128)))
    expect([...new Int8Array(bytes.buffer, 112, 16)]).toEqual([127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    expect([numbers.getFloat32(128, true), numbers.getFloat32(132, true)]).toEqual([1, 0])
    const crc = digest.crc32(bytes.subarray(0, 112))
    expect(footerOf(bytes)).toEqual({ format: 2, rows: 1, width: 2, refusals: 0, refusal_bytes: 0, crc })
    expect(new TextDecoder().decode(bytes.subarray(-8))).toBe('KNOWHOWV')
    const refused = packBytes([{ key, refused: 'no' }], digest)
    expect([...refused.subarray(0, 16)]).toEqual([...key])
    expect(new TextDecoder().decode(refused.subarray(80, 86))).toBe('["no"]')
    expect(footerOf(refused)).toMatchObject({ rows: 0, width: 0, refusals: 1, refusal_bytes: 6 })
  })
})

describe('a damaged pack', () => {
  const rows = rowsOf(6, 7)
  const bytes = packBytes([...rows, { key: textKey(digest, 'refused'), refused: 'too long' }], digest)
  const whole = opened(bytes)

  test('never gives a wrong vector: with any one byte changed it is refused, or a vector is, or a block of levels', () => {
    let refusedPacks = 0
    let refusedBlocks = 0
    let refusedVectors = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = bytes.slice()
      changed[at] = (changed[at] ?? 0) ^ 0x40
      let pack: VectorPack
      try {
        pack = opened(changed)
      } catch (error) {
        expect(error).toBeInstanceOf(FileDamage)
        refusedPacks += 1
        continue
      }
      const levels = levelsOf(pack)
      refusedBlocks += levels.filter((block) => block === null).length
      if (levels[0] !== null) expect(levels).toEqual(levelsOf(whole))
      expect(pack.refusals).toEqual(whole.refusals)
      for (let row = 0; row < rows.length; row += 1) {
        expect(keyAt(pack.keys, row)).toEqual(keyAt(whole.keys, row))
        try {
          expect(pack.vectorAt(row)).toEqual(whole.vectorAt(row))
        } catch (error) {
          expect(error).toBeInstanceOf(FileDamage)
          refusedVectors += 1
        }
      }
    }
    // Of seven levels a row is padded to sixteen.
    const [levelBytes, vectorBytes] = [rows.length * 16, rows.length * 7 * 4]
    expect([refusedPacks, refusedBlocks, refusedVectors]).toEqual([
      bytes.length - levelBytes - vectorBytes,
      levelBytes,
      vectorBytes,
    ])
  })

  test('is refused when it is cut anywhere, or when something follows', () => {
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => opened(bytes.slice(0, length))).toThrow(FileDamage)
    const longer = new Uint8Array(bytes.length + 8)
    longer.set(bytes)
    expect(() => opened(longer)).toThrow(FileDamage)
    expect(() => opened(new Uint8Array(bytes.length))).toThrow(FileDamage)
  })

  test('is refused when a search in its table of keys would never end', () => {
    const changed = bytes.slice()
    const table = Math.ceil(((rows.length + 1) * KEY_BYTES) / 8) * 8
    changed.fill(1, table, table + 16 * 4)
    const levels = changed.length - footerLengthOf(changed) - 16 - rows.length * 7 * 4 - rows.length * 16
    const crc = digest.crc32(changed.subarray(0, levels))
    expect(() => opened(withFooter(changed, JSON.stringify({ ...footerOf(changed), crc })))).toThrow('would not end')
  })

  test('is refused when its end was moved to another length', () => {
    const moved = new Uint8Array(bytes.length - 8)
    const at = bytes.length - 150
    moved.set(bytes.subarray(0, at))
    moved.set(bytes.subarray(at + 8), at)
    expect(() => opened(moved)).toThrow(FileDamage)
  })

  test.each([
    ['no JSON', 'rows: 6'],
    ['null', 'null'],
    ['another version', JSON.stringify({ ...footerOf(bytes), format: 3 })],
    ['the version before', JSON.stringify({ ...footerOf(bytes), format: 1 })],
    ['rows that are no count', JSON.stringify({ ...footerOf(bytes), rows: 1.5 })],
    ['more rows than there are', JSON.stringify({ ...footerOf(bytes), rows: 7 })],
    ['rows beyond any file', JSON.stringify({ ...footerOf(bytes), rows: Number.MAX_SAFE_INTEGER })],
    ['vectors without numbers', JSON.stringify({ ...footerOf(bytes), width: 0 })],
    ['more refusals than reasons', JSON.stringify({ ...footerOf(bytes), refusals: 2 })],
  ])('is refused when its footer is right but says %s', (_, footer) => {
    expect(() => opened(withFooter(bytes, footer))).toThrow(FileDamage)
  })
})
