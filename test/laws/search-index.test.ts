import { expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenizer } from '@orama/orama/components'
import fc from 'fast-check'
import { VIEW_NAMES, type ViewName } from '../../src/model/experience.ts'
import { type Analysis, analyzeDocument } from '../../src/search/analyzer.ts'
import { IndexBuilder, type IndexColumns } from '../../src/search/index-builder.ts'
import { stemInPlace } from '../../src/search/porter-stemmer.ts'
import { TermCounter } from '../../src/search/term-counter.ts'
import { Vocabulary } from '../../src/search/vocabulary.ts'
import { noticeWithout, retrievalSetsFolder } from '../fakes/shared-folder.ts'

const sets = retrievalSetsFolder()
if (sets === null) noticeWithout('eval')

const piece = fc.constantFrom(
  ...[
    'foo',
    'Foo',
    'URLs',
    'HTTPServer',
    'fooBar2',
    'v1',
    '0x1F',
    '_',
    '__',
    '-',
    '--',
    '---',
    '.',
    '/',
    '\\',
    ':',
    '::',
    '+',
  ],
  ...[
    '++',
    '#',
    "'",
    "'s",
    '’s',
    "n't",
    ' ',
    ' ',
    ' ',
    '\n',
    '\n\n',
    '\t',
    '"',
    '(',
    '=',
    '検索',
    'が',
    'ー',
    'データ',
    '검색',
    'ไทย',
  ],
  ...[
    '\u0301',
    '\u200d',
    '\u00ad',
    '\ud83d',
    '\udc00',
    '\u{20000}',
    '\u{10330}',
    '🙂',
    'ﬁ',
    'é',
    'ß',
    'Łódź',
    'ς',
    'İ',
    'ё',
    '\u1100',
  ],
  ...['\u001b', '\u001b[31m', '\u001b[', '\u001b]8;;', '\u0007', '\u001b\\', '\u001b(B'],
  ...[
    'running',
    'the',
    'because',
    'constructor',
    'nationalities',
    'yes',
    'built',
    'Went',
    'indices',
    'C',
    'x'.repeat(30),
    'Ab1'.repeat(5),
    'aGVsbG8'.repeat(30),
  ],
)
const text = fc.oneof(
  fc
    .array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 24 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)

function countsOf({ terms }: Pick<Analysis, 'terms'>): Record<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return Object.fromEntries([...counts].map(([term, count]) => [`:${term}`, count]))
}

function counted(counter: TermCounter, vocabulary: Vocabulary, texts: readonly string[]) {
  counter.clear()
  for (const one of texts) counter.add(one)
  const ids = [...counter.ids.subarray(0, counter.distinctCount)]
  const counts = Object.fromEntries(ids.map((id) => [`:${vocabulary.terms.textAt(id)}`, counter.frequencies[id]]))
  return { counts, length: counter.length }
}

test('a counter finds the terms, frequencies and length that the analyzer finds, at first sight and from memory', () => {
  const vocabulary = new Vocabulary()
  const counter = new TermCounter(vocabulary)
  fc.assert(
    fc.property(text, (content) => {
      const plain = analyzeDocument(content)
      const expected = { counts: countsOf(plain), length: plain.length }
      expect(counted(counter, vocabulary, [content])).toEqual(expected)
      expect(counted(counter, vocabulary, [content])).toEqual(expected)
    }),
    { numRuns: 2000 },
  )
})

test('a blank line parts the analysis: two texts around it have the terms of both', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const whole = analyzeDocument(`${first}\n\n${second}`)
      const [one, other] = [analyzeDocument(first), analyzeDocument(second)]
      expect(whole.terms).toEqual([...one.terms, ...other.terms])
      expect(whole.length).toBe(one.length + other.length)
    }),
    { numRuns: 1000 },
  )
})

test('an escape sequence of a terminal parts words and is nothing else', () => {
  const sequence = fc.constantFrom(
    '\u001b[0m',
    '\u001b[38;5;1m',
    '\u001b]0;a title\u0007',
    '\u001b]8;;x\u001b\\',
    '\u001b(B',
  )
  const words = fc.array(fc.tuple(fc.stringMatching(/^[\w .\n'é検-]{0,8}$/), sequence), { maxLength: 12 })
  fc.assert(
    fc.property(words, (parts) => {
      const coloured = analyzeDocument(parts.map((part) => part.join('')).join(''))
      const plain = analyzeDocument(parts.map(([shown]) => `${shown} `).join(''))
      expect({ ...coloured }).toEqual({ ...plain })
    }),
  )
})

test.skipIf(sets === null)('a counter and the analyzer agree on every text of the retrieval sets', () => {
  const vocabulary = new Vocabulary()
  const counter = new TermCounter(vocabulary)
  for (const file of globSync('*.jsonl', { cwd: sets ?? '' }))
    for (const line of readFileSync(join(sets ?? '', file), 'utf8').split('\n')) {
      const content = line === '' ? '' : String(JSON.parse(line).text ?? '')
      // The line itself is a text of another kind.
      for (const one of [content, line]) {
        const plain = analyzeDocument(one)
        expect(counted(counter, vocabulary, [one])).toEqual({ counts: countsOf(plain), length: plain.length })
      }
    }
})

/** Documents' terms and frequencies, read back from the columns. */
function documentsOf({ terms, documentCount, views }: IndexColumns, view: ViewName): Record<string, number>[] {
  const { starts, documents, frequencies } = views[view]
  const found = Array.from({ length: documentCount }, (): Record<string, number> => ({}))
  for (const [position, term] of [...terms].entries()) {
    const own = documents.subarray(starts[position], starts[position + 1])
    expect([...own]).toEqual([...new Set(own)].sort((a, b) => a - b))
    for (const [at, document] of own.entries()) {
      const counts = found[document]
      if (counts !== undefined) counts[`:${term}`] = frequencies[(starts[position] ?? 0) + at] ?? 0
    }
  }
  return found
}

test('the columns of an index hold what a plain analysis of each view’s text finds, each term once', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 12 }), (experiences) => {
      const builder = new IndexBuilder()
      for (const [whenToUse, content] of experiences) builder.add(whenToUse, content)
      const index = builder.finish()
      expect(new Set(index.terms).size).toBe(index.terms.length)
      for (const view of VIEW_NAMES) {
        const plain = experiences.map(([whenToUse, content]) =>
          analyzeDocument(view === 'when_to_use' ? whenToUse : `${whenToUse}\n\n${content}`),
        )
        const lengths = plain.map(({ length }) => length)
        expect(documentsOf(index, view)).toEqual(plain.map(countsOf))
        expect([...index.views[view].lengths]).toEqual(lengths)
        expect(index.views[view].lengthTotal).toBe(lengths.reduce((sum, length) => sum + length, 0))
      }
    }),
    { numRuns: 300 },
  )
})

test('the stemmer in place is Orama’s', () => {
  const { stemmer } = tokenizer.createTokenizer({ language: 'english', stemming: true })
  const endings =
    's es ies sses eed ed ing y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness ' +
    'fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ' +
    'ement ment ent ou ism ate iti ous ive ize sion tion e ll ee yy at bl iz'
  const letters = fc.string({ unit: fc.constantFrom(...'a e i o u y b c d l s t w x z'.split(' ')), maxLength: 6 })
  const ending = fc.constantFrom('', ...endings.split(' '))
  fc.assert(
    fc.property(letters, ending, ending, (...parts) => {
      const word = parts.join('')
      fc.pre(word !== '')
      const units = Uint16Array.from(word, (letter) => letter.charCodeAt(0))
      const stem = String.fromCharCode(...units.subarray(0, stemInPlace(units, word.length)))
      expect(stem).toBe(stemmer?.(word) ?? '')
    }),
    { numRuns: 5000 },
  )
})
