/** Keys of one to three characters, which may be a word or a letter of any sentence. */
import { expect, test } from 'bun:test'
import { keyScrubber } from '../../src/adapters/key-scrubber.ts'

test.each([
  ['a', 'invalid Authorization: Bearer a', 'invalid Authorization: Bearer [key]'],
  ['a', 'got "bearer a".', 'got "bearer [key]".'],
  ['a', 'Incorrect API key "a" provided', 'Incorrect API key "[key]" provided'],
  ['ab', "unknown key 'ab'", "unknown key '[key]'"],
  ['a.*', 'the key `a.*` is unknown, not `abb`', 'the key `[key]` is unknown, not `abb`'],
  ['$&', 'no key "$&"', 'no key "[key]"'],
])('the key %p is taken out of %p', (key, text, clean) => {
  expect(keyScrubber(key)(text)).toBe(clean)
})

const KEY = 'sk-Secret/Key+1234"x'

test.each([
  ['in upper case', KEY.toUpperCase()],
  ['broken by a line end', KEY.replace('Key', 'Ke\ny')],
  ['broken by a space of no width', KEY.replace('Key', 'K\u200bey')],
  ['as in an address', encodeURIComponent(KEY).toLowerCase()],
  ['with its hyphen as in an address', KEY.replace('-', '%2D')],
  ['as in JSON', JSON.stringify(KEY).slice(1, -1).replace('/', '\\/')],
  ['as in JSON for a page', KEY.replace('+', '\\u002B')],
  ['as in HTML', KEY.replace('"', '&quot;').replace('/', '&#47;').replace('+', '&#x2B;')],
  ['in base64', Buffer.from(KEY).toString('base64')],
])('a key is taken out also %s', (_how, written) => {
  expect(keyScrubber(KEY)(`the key ${written} is wrong`)).toMatch(/^the key (?:\[key\])=* is wrong$/)
})

test.each([
  ['a', 'a bad answer: bearer auth is missing, set "api_key" to a value'],
  ['key', 'the key is wrong: check the "key_id"'],
])('the words of a sentence stay although the key is %p: %p', (key, text) => {
  expect(keyScrubber(key)(text)).toBe(text)
})
