import { describe, expect, test } from 'bun:test'
import { TypedKeys } from '../../../src/surfaces/repl/typed-keys.ts'

const paste = (text: string) => `\u001b[200~${text}\u001b[201~`
const take = (...pieces: readonly string[]) => {
  const keys = new TypedKeys()
  return pieces.flatMap((piece) => keys.take(piece))
}

describe('what is typed', () => {
  test('is keys as they come', () => {
    expect(take('ab\r', '\u001b[A')).toEqual([
      { kind: 'keys', text: 'ab\r' },
      { kind: 'keys', text: '\u001b[A' },
    ])
  })

  test('a single escape is a key at once', () => {
    expect(take('\u001b')).toEqual([{ kind: 'keys', text: '\u001b' }])
  })
})

describe('what is pasted', () => {
  test('is one line, whatever lines it has', () => {
    expect(take(paste(' one\r\n\r\n\ttwo  \n/quit\n'))).toEqual([{ kind: 'paste', text: 'one two /quit' }])
  })

  test('steers nothing', () => {
    expect(take(paste('a\u001b[31m\u0003b'))).toEqual([{ kind: 'paste', text: 'a<U+001B>[31m<U+0003>b' }])
  })

  test('that has no end is over at Ctrl-C, and nothing of it is left', () => {
    expect(take('\u001b[200~abc', 'd\u0003stale\r')).toEqual([{ kind: 'keys', text: '\u0003stale\r' }])
  })

  test('is told from keys before and behind it', () => {
    expect(take(`x${paste('p')}\r`).map(({ text }) => text)).toEqual(['x', 'p', '\r'])
  })

  test('is found wherever its marks are cut, but behind the first sign of the first', () => {
    const whole = `x${paste('some text')}y`
    const first = whole.indexOf('\u001b') + 1
    for (let at = 0; at <= whole.length; at += 1)
      if (at !== first)
        expect(take(whole.slice(0, at), whole.slice(at)).filter(({ kind }) => kind === 'paste')).toEqual([
          { kind: 'paste', text: 'some text' },
        ])
  })
})
