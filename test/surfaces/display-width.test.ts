import { expect, test } from 'bun:test'
import { displayWidth } from '../../src/surfaces/display-width.ts'

test.each([
  ['', 0],
  ['plain', 5],
  ['中文', 4],
  ['ｆｕｌｌ', 8],
  ['e\u0301', 1],
  ['👍🏽', 2],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['❤\ufe0f', 2],
  ['a\u200bb', 2],
])('%j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

/** Parts of characters, which stand alone in no text, and three letters that Bun takes for marks. */
const PARTS = /[\u0980\u0c80\u0d3a\u1160-\u11ff\u3248-\u324f\ud7b0-\ud7ff]|\p{Regional_Indicator}/u

test('each letter, number and sign is as wide as the runtime of the tests says', () => {
  const wrong: string[] = []
  for (let code = 0x20; code < 0x40000; code += 1) {
    const sign = String.fromCodePoint(code)
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(sign) || PARTS.test(sign)) continue
    if (displayWidth(sign) !== Bun.stringWidth(sign)) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})
