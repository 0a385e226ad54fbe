import { describe, expect, test } from 'bun:test'
import { tokenizer } from '@orama/orama/components'
import { analyzeDocument } from '../../src/search/analyzer.ts'
import { IRREGULAR_FORMS } from '../../src/search/irregular-forms.ts'
import { isStopWord } from '../../src/search/stop-words.ts'
import { TermCounter } from '../../src/search/term-counter.ts'
import { Vocabulary } from '../../src/search/vocabulary.ts'
import { TERM_UNITS_MAX } from '../../src/search/word-term.ts'

const { stemmer } = tokenizer.createTokenizer({ language: 'english', stemming: true })
const stemOf = (word: string) => stemmer?.(word) ?? ''
const pairs = [...IRREGULAR_FORMS]
const pairsWhere = (isSo: (form: string, word: string) => boolean) => pairs.filter(([form, word]) => isSo(form, word))

describe('the table of forms', () => {
  test('has no form that stemming brings to its word', () => {
    expect(pairsWhere((form, word) => stemOf(form) === stemOf(word))).toEqual([])
  })

  test('leads to words, not to other forms', () => {
    expect(pairsWhere((_, word) => IRREGULAR_FORMS.has(word))).toEqual([])
  })

  test('has no stop word, and makes none', () => {
    expect(pairsWhere((form, word) => [form, word, stemOf(word)].some(isStopWord))).toEqual([])
  })

  test('has plain words that the analyzer looks for there', () => {
    expect(pairsWhere((form, word) => !/^[a-z]+$/.test(form) || word.length > TERM_UNITS_MAX)).toEqual([])
  })
})

test('every form has the term of its word alone, by either way of analysis', () => {
  const vocabulary = new Vocabulary()
  const counter = new TermCounter(vocabulary)
  for (const [form, word] of pairs)
    for (const written of [form, form.toUpperCase(), word]) {
      expect([written, ...analyzeDocument(written).terms]).toEqual([written, stemOf(word)])
      counter.clear()
      counter.add(written)
      const ids = [...counter.ids.subarray(0, counter.distinctCount)]
      expect([written, ...ids.map((id) => vocabulary.terms.textAt(id))]).toEqual([written, stemOf(word)])
    }
})
