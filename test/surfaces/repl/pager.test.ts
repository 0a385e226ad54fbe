import { describe, expect, test } from 'bun:test'
import { isLong, Pager } from '../../../src/surfaces/repl/pager.ts'

const TEN = Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join('\n')
const CLEARED = '\u001b[2J\u001b[H'

function pagerOf(text: string, size = { columns: 80, rows: 5 }) {
  let out = ''
  const pager = new Pager(text, {
    size: () => size,
    out: (part) => {
      out += part
    },
    colour: false,
  })
  const take = (keys: string) => {
    out = ''
    return { rest: pager.take(keys), shown: numbersIn(out), state: /(\d+) of/.exec(out)?.[1] ?? null, out }
  }
  return { pager, take, first: numbersIn(out), size }
}

const numbersIn = (out: string) => [...out.matchAll(/line (\d+)/g)].map(([, number]) => Number(number))

describe('a long text', () => {
  test('is shown up to the last row but one, which tells how far that is', () => {
    const { first, pager } = pagerOf(TEN)
    expect(first).toEqual([1, 2, 3, 4])
    expect(pager.isOver).toBe(false)
  })

  test('goes on by pages and lines, and is over at its end', () => {
    const { take, pager } = pagerOf(TEN)
    expect(take(' ')).toMatchObject({ shown: [5, 6, 7, 8], state: '8' })
    expect(take('\r')).toMatchObject({ shown: [9], state: '9' })
    expect(take('j')).toMatchObject({ shown: [10], state: null })
    expect(pager.isOver).toBe(true)
  })

  test('goes back by a page, on a screen of its own', () => {
    const { take } = pagerOf(TEN)
    take(' ')
    expect(take('b')).toMatchObject({ shown: [1, 2, 3, 4], state: '4', out: expect.stringContaining(CLEARED) })
    expect(take('b')).toMatchObject({ shown: [1, 2, 3, 4] })
  })

  test.each(['q', '\u0003', '\u0004'])('is left by %j, and what is typed behind it is for others', (key) => {
    const { take, pager } = pagerOf(TEN)
    expect(take(`${key}next`).rest).toBe('next')
    expect(pager.isOver).toBe(true)
  })

  test('is left by Escape alone, not by a key that begins with its sign', () => {
    const { take, pager } = pagerOf(TEN)
    take('\u001b[C\u001bOP')
    expect(pager.isOver).toBe(false)
    take('\u001b')
    expect(pager.isOver).toBe(true)
  })

  test('minds no other key that writes nothing', () => {
    const { take, pager } = pagerOf(TEN)
    expect(take('\u0001\u001b[C\t')).toMatchObject({ shown: [], rest: '' })
    expect(pager.isOver).toBe(false)
  })

  test.each(['/read 1\r', 'npm', '日本', '🗂'])('is left for the line that begins with %j', (line) => {
    const { take, pager } = pagerOf(TEN)
    expect(take(line).rest).toBe(line)
    expect(pager.isOver).toBe(true)
  })

  test('is laid out anew for a screen of another size', () => {
    const { pager, size, take } = pagerOf(TEN)
    Object.assign(size, { columns: 80, rows: 8 })
    pager.resize()
    expect(take(' ')).toMatchObject({ shown: [8, 9, 10] })
  })

  test('gives a line that is longer than the screen all the same', () => {
    const { take } = pagerOf(`${'x'.repeat(300)}\nline 2\nline 3`)
    expect(take(' ').shown).toEqual([2, 3])
  })
})

test.each([
  [4, false],
  [5, true],
])('%i lines on five rows are long: %p', (count, long) => {
  expect(
    isLong(
      Array.from({ length: count }, () => 'x'),
      { columns: 10, rows: 5 },
    ),
  ).toBe(long)
})
