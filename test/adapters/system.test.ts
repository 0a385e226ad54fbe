import { expect, test } from 'bun:test'
import { openIds, systemClock, systemDigest } from '../../src/adapters/system.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'

test('ids made one after another sort in that order, within one millisecond and when the clock steps back', () => {
  const clock = new FixedClock()
  const ids = openIds(clock)
  const made: string[] = []
  for (let count = 0; count < 500; count++) {
    if (count === 200) clock.advance(-60_000)
    if (count === 400) clock.advance(120_000)
    made.push(ids.next())
  }
  expect(made.toSorted()).toEqual(made)
  expect(new Set(made).size).toBe(500)
  for (const id of made) expect(id).toMatch(/^[0-9a-z]{20}$/)
})

test('the digest is SHA-256', () => {
  // FIPS 180-2, appendix B.1.
  expect(systemDigest.sha256(new TextEncoder().encode('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('the clock gives whole milliseconds', () => {
  expect(Number.isInteger(systemClock.now())).toBe(true)
})
