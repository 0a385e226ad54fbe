import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { KEY_BYTES, KeyTable } from '../../src/search/key-table.ts'

/** Few values in few places: most keys share their first bytes, many are equal. */
const key = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(KEY_BYTES - 1), fc.nat(3)).map(([first, fourth, place, value]) => {
  const bytes = new Uint8Array(KEY_BYTES)
  bytes[0] = first
  bytes[3] = fourth * 0x55
  bytes[place] = value
  return bytes
})

test('keys have the numbers that a map of their whole text gives', () => {
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 200 }),
      fc.array(key, { maxLength: 20 }),
      fc.nat(40),
      (added, asked, expected) => {
        const table = new KeyTable(expected)
        const numbers = new Map<string, number>()
        for (const each of added) {
          if (!numbers.has(each.join())) numbers.set(each.join(), numbers.size)
          expect(table.add(each)).toBe(numbers.get(each.join()) ?? -1)
        }
        expect(table.count).toBe(numbers.size)
        for (const each of [...added, ...asked]) expect(table.numberOf(each)).toBe(numbers.get(each.join()) ?? -1)
      },
    ),
  )
})
