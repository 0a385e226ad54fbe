import { expect, test } from 'bun:test'
import { ByteSink } from '../../src/search/posting-codec.ts'
import { stringHash } from '../../src/search/string-hash.ts'
import { Vocabulary } from '../../src/search/vocabulary.ts'

const TERMS = ['a', 'fox', 'ёж', '漢字', '🙂', 'x'.repeat(5_000), `café${'y'.repeat(300)}`]

test('terms read, hash and are written as the strings they were', () => {
  const vocabulary = new Vocabulary()
  for (const term of TERMS) vocabulary.idOfText(term)
  const { terms } = vocabulary
  expect([...terms]).toEqual(TERMS)
  for (const [position, term] of TERMS.entries()) {
    const sink = new ByteSink(1)
    terms.write(position, sink)
    expect(new TextDecoder().decode(sink.written)).toBe(term)
    expect([terms.textAt(position), terms.hashAt(position)]).toEqual([term, stringHash(term)])
  }
})

test('terms stay what they are while others come', () => {
  const vocabulary = new Vocabulary()
  vocabulary.idOfText('first')
  const { terms } = vocabulary
  for (let number = 0; number < 20_000; number += 1) vocabulary.idOfText(`term ${number}`)
  expect([...terms]).toEqual(['first'])
  expect([vocabulary.terms.textAt(0), vocabulary.terms.textAt(19_999), vocabulary.terms.length]).toEqual([
    'first',
    'term 19998',
    20_001,
  ])
})
