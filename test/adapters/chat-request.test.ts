import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { requestBody } from '../../src/adapters/chat-request.ts'

/** The arguments that a server is sent for a call whose arguments the model wrote as `written`. */
function sentFor(written: string): string {
  const toolCalls = [{ id: 'a', name: 'look', arguments: written }]
  const [message] = requestBody('model', [{ role: 'assistant', content: '', toolCalls }], []).messages
  if (message?.role !== 'assistant' || message.tool_calls?.[0]?.type !== 'function') throw new Error('no call was sent')
  return message.tool_calls[0].function.arguments
}

/** What servers demand: text without lone surrogates, a JSON object, no lone surrogates in it either. */
function parsedAsServersDo(sent: string): Record<string, unknown> {
  expect(sent.isWellFormed()).toBe(true)
  const value: unknown = JSON.parse(sent, (key, inner: unknown) => {
    expect(`${key}${typeof inner === 'string' ? inner : ''}`.isWellFormed()).toBe(true)
    return inner
  })
  expect(Object.prototype.toString.call(value)).toBe('[object Object]')
  return value as Record<string, unknown>
}

describe('earlier arguments', () => {
  test.each([
    ['{"at":"x"}', '{"at":"x"}'],
    [' {"b":1,"a":2,"a":3}\n', '{"b":1,"a":2,"a":3}'],
    ['{"n":12345678901234567890,"f":1.0}', '{"n":12345678901234567890,"f":1.0}'],
    ['{"at":"\\ud83d\\ude00 \\\\ud83d"}', '{"at":"\\ud83d\\ude00 \\\\ud83d"}'],
    ['', '{}'],
    [' \n', '{}'],
  ])('that are an object or nothing: %p is sent as %p', (written, sent) => {
    expect(sentFor(written)).toBe(sent)
  })

  test.each([
    ['{"at":"\\ud83d"}', '{"at":"\ufffd"}'],
    ['{"\\udc00":1}', '{"\ufffd":1}'],
    ['{"at":"\ud83d","n":12345678901234567890}', '{"at":"\ufffd","n":12345678901234567890}'],
    ['{"at":"\\uD83D\\\\uDE00"}', '{"at":"\ufffd\\\\uDE00"}'],
    ['{"at":"\\\\\\ud83d"}', '{"at":"\\\\\ufffd"}'],
  ])('with half a surrogate pair: %p is sent as %p', (written, sent) => {
    expect(sentFor(written)).toBe(sent)
  })

  test.each([
    ['{"at":"x', '{"not_json":"{\\"at\\":\\"x"}'],
    ["{'at': 'x'}", '{"not_json":"{\'at\': \'x\'}"}'],
    ['look at x', '{"not_json":"look at x"}'],
    ['{"a":1}{"b":2}', '{"not_json":"{\\"a\\":1}{\\"b\\":2}"}'],
    ['NaN', '{"not_json":"NaN"}'],
    ['{"at":"\ud83d', '{"not_json":"{\\"at\\":\\"\ufffd"}'],
    ['[1, 12345678901234567890]', '{"not_an_object":[1, 12345678901234567890]}'],
    ['7', '{"not_an_object":7}'],
    ['null', '{"not_an_object":null}'],
    ['"{\\"at\\":\\"x\\"}"', '{"not_an_object":"{\\"at\\":\\"x\\"}"}'],
    ['["\\ud83d"]', '{"not_an_object":["\ufffd"]}'],
  ])('that are no object: %p is wrapped as %p, to be read again by the model', (written, sent) => {
    expect(sentFor(written)).toBe(sent)
  })

  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\\',
    '\\ud83d',
    '\\udc00',
    '\ud83d',
    '\udc00',
    'a',
    '1',
  )
  const anyText = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
    fc.json({ stringUnit: 'binary' }),
  )
  test('of any kind are an object without lone surrogates when they are sent', () => {
    fc.assert(
      fc.property(anyText, (written) => {
        parsedAsServersDo(sentFor(written))
      }),
      { numRuns: 2_000 },
    )
  })

  test('that are broken can be read back whole', () => {
    fc.assert(
      fc.property(anyText, (written) => {
        const sent = parsedAsServersDo(sentFor(`${written}!`))
        expect(sent).toEqual({ not_json: `${written}!`.toWellFormed() })
      }),
    )
  })
})
