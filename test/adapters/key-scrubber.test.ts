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

test.each([
  ['a', 'a bad answer: bearer auth is missing, set "api_key" to a value'],
  ['key', 'the key is wrong: check the "key_id"'],
])('the words of a sentence stay although the key is %p: %p', (key, text) => {
  expect(keyScrubber(key)(text)).toBe(text)
})
