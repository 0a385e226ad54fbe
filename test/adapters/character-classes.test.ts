import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ASSET, assetText, classOf } from '../../scripts/character-classes.ts'
import { CHARACTER_CLASS, characterClasses } from '../../src/adapters/character-classes.ts'

test('the embedded table is what its generator writes under this Bun', () => {
  expect(readFileSync(ASSET, 'utf8') === assetText()).toBe(true)
})

test('it has the class of every code point', () => {
  const { blockOf, classes } = characterClasses()
  const found = Array.from({ length: 0x110000 }, (_, at) => classes[((blockOf[at >> 7] ?? 0) << 7) + (at & 0x7f)] ?? 0)
  expect(found.findIndex((bits, codePoint) => bits !== classOf(codePoint))).toBe(-1)
})

test('what NFC may change is unsettled: no text of other characters is changed, nor is one that they are put behind', () => {
  const settled: string[] = []
  for (let at = 0; at < 0x110000; at += 1) {
    if (at >= 0xd800 && at < 0xe000) continue
    if ((classOf(at) & CHARACTER_CLASS.unsettled) === 0) settled.push(String.fromCodePoint(at))
  }
  const text = settled.join('')
  expect(text.normalize('NFC') === text).toBe(true)
  const behindEach = settled.map((character) => `e${character}ᄀ${character}가${character}`).join('')
  expect(behindEach.normalize('NFC') === behindEach).toBe(true)
})
