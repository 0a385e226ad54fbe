import { describe, expect, test } from 'bun:test'
import { TokenMemo, UNKNOWN } from '../../src/search/token-memo.ts'

describe('a memo of tokens', () => {
  test('tells tokens apart that have one hash', () => {
    const memo = new TokenMemo()
    memo.add('cat', 0, 3, 7, 1)
    memo.add('dog', 0, 3, 7, 2)
    expect([memo.find('a dog', 2, 5, 7), memo.find('a cat', 2, 5, 7)]).toEqual([2, 1])
    expect(memo.find('cow', 0, 3, 7)).toBe(UNKNOWN)
    expect(memo.find('ca', 0, 2, 7)).toBe(UNKNOWN)
  })

  test('keeps all it knows while it grows', () => {
    const memo = new TokenMemo()
    for (let number = 0; number < 5000; number += 1) memo.add(String(number), 0, String(number).length, number, number)
    for (let number = 0; number < 5000; number += 1)
      expect(memo.find(String(number), 0, String(number).length, number)).toBe(number)
  })

  test('is full at its bound, and empty when cleared', () => {
    const memo = new TokenMemo(2)
    memo.add('a', 0, 1, 1, 1)
    expect(memo.isFull).toBe(false)
    memo.add('b', 0, 1, 2, 2)
    expect(memo.isFull).toBe(true)
    memo.clear()
    expect([memo.isFull, memo.find('a', 0, 1, 1)]).toEqual([false, UNKNOWN])
  })
})
