import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fillKeyTable, KEY_BYTES, KeyTable, keyTableBytes, keyWords, NOT_FOUND } from '../../src/search/key-table.ts'

/** Few values in few places: most keys share their first bytes, and differ in one of the others. */
const key = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(KEY_BYTES - 1), fc.nat(3)).map(([first, fourth, place, value]) => {
  const bytes = new Uint8Array(KEY_BYTES)
  bytes[0] = first
  bytes[3] = fourth * 0x55
  bytes[place] = value
  return bytes
})

/** One behind the other; `offset` bytes into a buffer. */
function joined(keys: readonly Uint8Array[], offset = 0): Uint8Array {
  const bytes = new Uint8Array(keys.length * KEY_BYTES + offset).subarray(offset)
  for (const [at, each] of keys.entries()) bytes.set(each, at * KEY_BYTES)
  return bytes
}

test('of many keys at once those that are there have their places, counted from where the caller says', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 200, selector: (each) => each.join() }),
      fc.array(key, { maxLength: 40 }),
      fc.nat(3),
      fc.nat(1000),
      (added, asked, offset, first) => {
        const keys = keyWords(joined(added))
        const slots = new Uint32Array(keyTableBytes(added.length) / 4)
        fillKeyTable(slots, keys)
        const all = [...added, ...asked]
        const numbers = new Int32Array(all.length).fill(NOT_FOUND)
        new KeyTable(keys, slots).findAll(keyWords(joined(all, offset)), numbers, first)
        const known = new Map(added.map((each, number) => [each.join(), first + number]))
        expect([...numbers]).toEqual(all.map((each) => known.get(each.join()) ?? NOT_FOUND))
      },
    ),
  )
})

test('a key whose number is known already is not looked for', () => {
  const keys = keyWords(joined([new Uint8Array(KEY_BYTES).fill(7)]))
  const slots = new Uint32Array(keyTableBytes(1) / 4)
  fillKeyTable(slots, keys)
  const numbers = Int32Array.of(5)
  new KeyTable(keys, slots).findAll(keys, numbers, 100)
  expect([...numbers]).toEqual([5])
})

test('of a Buffer at an odd address are its keys', () => {
  const bytes = Buffer.from(joined([new Uint8Array(KEY_BYTES).fill(7)], 1).buffer).subarray(1)
  expect([...new Uint8Array(keyWords(bytes).buffer, 0, KEY_BYTES)]).toEqual(Array(KEY_BYTES).fill(7))
})
