import { expect, test } from 'bun:test'
import { astralKind, HAN, KINDS, LETTER, learnAllKinds, SEPARATOR } from '../../src/search/character-class.ts'

test('every letter, mark and digit of the basic plane that Bun knows belongs to words, and nothing else does', () => {
  learnAllKinds()
  const wrong: string[] = []
  for (let unit = 0x80; unit < 0x10000; unit += 1) {
    if (unit >= 0xd800 && unit < 0xe000) continue
    const isWord = /^[\p{L}\p{M}\p{N}]$/u.test(String.fromCharCode(unit))
    if (isWord !== (KINDS[unit] !== SEPARATOR)) wrong.push(unit.toString(16))
  }
  expect(wrong).toEqual([])
})

test('rare ideographs and ancient scripts belong to words, emoji and musical signs do not', () => {
  expect(astralKind(0x20bb7)).toBe(HAN)
  expect(astralKind(0x10330)).toBe(LETTER)
  expect(astralKind(0x1e900)).toBe(LETTER)
  expect(astralKind(0x1f600)).toBe(SEPARATOR)
  expect(astralKind(0x1d11e)).toBe(SEPARATOR)
})
