import { expect, test } from 'bun:test'
import { openIds, systemClock } from '../../src/adapters/clock-and-ids.ts'
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

test('the clock gives whole milliseconds', () => {
  expect(Number.isInteger(systemClock.now())).toBe(true)
})
