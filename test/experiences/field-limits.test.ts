import { expect, test } from 'bun:test'
import { requireFieldsFit } from '../../src/experiences/field-limits.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'

/** Every character costs two tokens, so only what is counted can be refused. */
function doubling(isByteLevel: boolean) {
  const counted: string[] = []
  const count = (text: string) => {
    counted.push(text)
    return text.length * 2
  }
  return { counted, tokenizer: { id: 'test:doubling', engine: 'js' as const, isByteLevel, addsUp: false, count } }
}

const limits = { ...TOKEN_LIMITS, description: 10 }
const LONGEST = 'x'.repeat(11)

test('a text of no more ASCII characters than the ceiling has tokens is not counted where that proves it', () => {
  const { counted, tokenizer } = doubling(true)
  requireFieldsFit({ description: LONGEST }, tokenizer, limits)
  expect(counted).toEqual([])
})

test.each([
  ['one character longer', `${LONGEST}x`, true],
  ['with a character beyond ASCII', 'xxxxxxxxxxé', true],
  ['of a tokenizer that may put more in', LONGEST, false],
])('a text %s is counted exactly', (_what, text, isByteLevel) => {
  const { counted, tokenizer } = doubling(isByteLevel)
  expect(() => requireFieldsFit({ description: text }, tokenizer, limits)).toThrow(
    expect.objectContaining({
      code: 'field_too_long',
      details: { fields: [{ field: 'description', tokens: text.length * 2, target: 10 }] },
    }),
  )
  expect(counted).toEqual([text])
})
