import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LineSplitter } from '../../../src/surfaces/service/line-splitter.ts'

const MAX = 8

/** What comes of a text, cut at these places. */
function split(bytes: Uint8Array, cuts: readonly number[]): readonly string[] {
  const splitter = new LineSplitter(MAX)
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  const lines: (Uint8Array | 'too_long')[] = []
  let from = 0
  for (const place of places) {
    lines.push(...splitter.push(bytes.slice(from, place)))
    from = place
  }
  const last = splitter.end()
  return [...lines, ...(last === null ? [] : [last])].map((line) =>
    line === 'too_long' ? line : new TextDecoder().decode(line),
  )
}

describe('a stream of bytes', () => {
  test('gives the same lines however it is cut', () => {
    const text = fc.array(fc.constantFrom('a', 'bcd', '\n', '\r'), { maxLength: 30 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.array(fc.nat(100), { maxLength: 10 }), (whole, cuts) => {
        const naive = whole.split('\n').filter((line) => line !== '')
        expect(split(new TextEncoder().encode(whole), cuts)).toEqual(
          naive.map((line) => (line.length > MAX ? 'too_long' : line)),
        )
      }),
    )
  })

  test('tells of a line that is too long before it ends, and goes on with the next', () => {
    const splitter = new LineSplitter(MAX)
    const push = (text: string) => [...splitter.push(new TextEncoder().encode(text))]
    expect(push('123456789')).toEqual(['too_long'])
    for (let times = 0; times < 1000; times++) expect(push('x'.repeat(100))).toEqual([])
    expect(push('\n12345678\n')).toEqual([new TextEncoder().encode('12345678')])
  })

  test('keeps a line apart from the memory that it came in', () => {
    const splitter = new LineSplitter(MAX)
    const chunk = new TextEncoder().encode('ab')
    expect([...splitter.push(chunk)]).toEqual([])
    chunk.fill(120)
    expect(new TextDecoder().decode(splitter.end() ?? undefined)).toBe('ab')
  })
})
