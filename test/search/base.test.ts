import { describe, expect, test } from 'bun:test'
import { VIEW_NAMES } from '../../src/model/experience.ts'
import type { ReadFile } from '../../src/ports.ts'
import { Base } from '../../src/search/base.ts'
import { type BaseChange, baseParts } from '../../src/search/base-builder.ts'
import type { AddedFile, Listing } from '../../src/search/base-manifest.ts'
import { SectionWriter } from '../../src/search/base-sections.ts'
import { fileInMemory } from '../../src/search/derived-folder.ts'
import { IndexBuilder } from '../../src/search/index-builder.ts'
import { KEY_BYTES } from '../../src/search/key-table.ts'
import { ByteSink, decodePostings, encodePostings, newPostingRun } from '../../src/search/posting-codec.ts'
import { stringHash, tableSlots } from '../../src/search/string-hash.ts'
import { keyAt, keyHex, textKeysOf } from '../../src/search/text-key.ts'
import { digest } from '../fakes/digest.ts'
import { versionOf } from '../fakes/searched-workspace.ts'

interface Document {
  readonly name: string
  readonly when: string
  readonly content: string
  readonly fault?: string
}

function fileOf({ when, content, fault }: Document, index: number): AddedFile {
  return {
    signature: index % 3 === 0 ? null : [when.length, 1_767_323_045_000.25 + index, 2_000 + index, 2 ** 53 - index],
    version: versionOf(when + content),
    textKeys: fault === undefined ? textKeysOf({ description: '', 'when-to-use': when, content }, digest) : null,
    fault: fault ?? null,
  }
}

/** What the files hold one behind the other. */
function bytesOf(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}

interface Step {
  readonly before?: Base
  readonly dead?: readonly number[]
  readonly documents: readonly Document[]
  readonly lookedAt?: BaseChange['lookedAt']
}

/** A folder that lists a file of no interest, then the new files, then those that were there. */
function listingOf(before: Base | undefined, dead: Uint8Array, documents: readonly Document[]): Listing {
  const kept = [...dead.keys()].filter((document) => dead[document] === 0)
  return {
    names: [
      'README.md',
      ...documents.map(({ name }) => `${name}.json`),
      ...kept.map((at) => `${before?.fileNameOf(at)}`),
    ],
    slots: Int32Array.from([-1, ...documents.map((_, at) => dead.length + at), ...kept]),
    folder: null,
  }
}

/** Of a document, as far as it was kept. */
function signatureIn(base: Base, document: number): readonly number[] {
  const place = base.listed.indexOf(document)
  return [...base.signatures.subarray(place * 4, place * 4 + 4)]
}

const NO_SIGNATURE = [Number.NaN, Number.NaN, Number.NaN, Number.NaN]

function built({ before, dead = [], documents, lookedAt = new Map() }: Step): Base {
  const builder = new IndexBuilder()
  for (const { when, content, fault } of documents)
    if (fault === undefined) builder.add(when, content)
    else builder.add('', '')
  const marks = new Uint8Array(before?.documentCount ?? 0).map((_, at) => (before?.isGap(at) === true ? 1 : 0))
  for (const document of dead) marks[document] = 1
  const change = {
    before: before ?? null,
    dead: marks,
    listing: listingOf(before, marks, documents),
    lookedAt,
    added: documents.map(fileOf),
    columns: builder.finish(),
    takenMs: 12,
  }
  return new Base(fileInMemory(bytesOf(baseParts(change, digest))), digest)
}

function postingsIn(base: Base, view: (typeof VIEW_NAMES)[number], term: string): [number, number][] {
  const run = newPostingRun(0)
  const dead = base.flags.map((_, document) => (base.isGap(document) ? 1 : 0))
  base.addPostings(view, term, dead, run)
  return Array.from({ length: run.count }, (_, at) => [run.documents[at] ?? -1, run.frequencies[at] ?? -1])
}

/** Everything that a base must tell, by name. */
function told(base: Base, names: readonly string[], terms: readonly string[]) {
  return {
    documents: names.map((name) => {
      const document = base.documentOf(`${name}.json`)
      if (document === -1) return null
      return [
        base.fileNameOf(document),
        base.versionOf(document),
        base.isInvalid(document),
        base.faults[document] ?? null,
        signatureIn(base, document),
        ...VIEW_NAMES.map((view) => base.lengths(view)[document]),
        ...VIEW_NAMES.map((view) => keyHex(keyAt(base.textKeys(view), document))),
      ]
    }),
    postings: terms.map((term) =>
      VIEW_NAMES.map((view) =>
        postingsIn(base, view, term)
          .map(([document, frequency]) => `${base.fileNameOf(document)}:${frequency}`)
          .sort(),
      ),
    ),
    views: base.footer.views,
  }
}

const HUNDRED_BYTES = 'n'.repeat(100)
const DOCUMENTS: readonly Document[] = [
  { name: 'a', when: 'red red blue', content: 'green' },
  { name: HUNDRED_BYTES, when: 'red', content: 'red 数据库 naïve' },
  { name: 'bad', when: 'x', content: 'y', fault: 'the file is not valid JSON' },
  { name: 'silent', when: '...', content: '?!' },
  { name: 'b-2', when: 'blue', content: 'foo_bar --flag constructor __proto__' },
]
const NAMES = [...DOCUMENTS.map(({ name }) => name), 'none', '', 'constructor']
const TERMS = ['red', 'blue', 'green', '数据', '库', 'naiv', 'foo_bar', 'bar', 'constructor', '__proto__', 'absent']

test('a base tells every name, signature, version, fault, length and posting that was put in', () => {
  const base = built({ documents: DOCUMENTS })
  expect(base.footer).toMatchObject({
    documents: 5,
    gaps: 0,
    taken_ms: 12,
    // 3 words, 1, none for the invalid and the silent, 1; and the contents' 1, 5 (three Chinese characters), 7.
    views: { when_to_use: { documents: 4, length_total: 5 } },
  })
  expect(DOCUMENTS.map(({ name }) => base.documentOf(`${name}.json`))).toEqual([0, 1, 2, 3, 4])
  expect(['none', '', 'constructor', 'A', 'naï'].map((name) => base.documentOf(`${name}.json`))).toEqual([
    -1, -1, -1, -1, -1,
  ])
  for (const [document, row] of DOCUMENTS.map(fileOf).entries()) {
    expect(base.fileNameOf(document)).toBe(`${DOCUMENTS[document]?.name}.json`)
    expect(base.versionOf(document)).toBe(row.version)
    expect(signatureIn(base, document)).toEqual([...(row.signature ?? NO_SIGNATURE)])
    expect(base.isInvalid(document)).toBe(row.fault !== null)
  }
  expect(base.faults).toEqual({ 2: 'the file is not valid JSON' })
  expect(base.listing).toBe(`README.md/a.json/${HUNDRED_BYTES}.json/bad.json/silent.json/b-2.json`)
  expect([...base.listed]).toEqual([-1, 0, 1, 2, 3, 4])
  expect([...base.lengths('when_to_use')]).toEqual([3, 1, 0, 0, 1])
  expect(postingsIn(base, 'when_to_use', 'red')).toEqual([
    [0, 2],
    [1, 1],
  ])
  expect(postingsIn(base, 'when_to_use_content', 'red')).toEqual([
    [0, 2],
    [1, 2],
  ])
  expect(postingsIn(base, 'when_to_use', 'constructor')).toEqual([])
  expect(postingsIn(base, 'when_to_use_content', 'constructor')).toEqual([[4, 1]])
  expect(postingsIn(base, 'when_to_use_content', 'absent')).toEqual([])
})

test('a wrong guess of a place changes nothing', () => {
  const base = built({ documents: DOCUMENTS })
  for (let guess = -2; guess < 8; guess += 1)
    expect(NAMES.map((name) => base.placeOf(`${name}.json`, guess))).toEqual([1, 2, 3, 4, 5, -1, -1, -1])
})

describe('a base that follows another', () => {
  /** Enough that one dead document stays a gap. */
  const crowd = Array.from({ length: 40 }, (_, n) => ({ name: `c-${n}`, when: `red ${n}`, content: 'crowd blue' }))
  const late = { name: 'late', when: 'x', content: 'y', fault: 'broken before' }
  const names = [...NAMES, ...crowd.map(({ name }) => name), 'late', 'new']
  const added: readonly Document[] = [
    { name: 'new', when: 'red fresh', content: 'blue blue unheard' },
    { name: 'bad', when: 'mended red', content: 'green' },
    { name: 'c-7', when: 'x', content: 'y', fault: 'broken now' },
  ]
  const terms = [...TERMS, 'fresh', 'unheard', 'mend', 'crowd', '7', '39']

  test.each([
    ['with gaps', [2, 12], 2],
    ['with so many gaps that all is written anew', [2, 12, 20, 21, 22, 23, 24, 25], 0],
  ])('%s tells what one built of all the files tells', (_how, dead, gaps) => {
    const before = built({ documents: [...DOCUMENTS, ...crowd, late] })
    const after = built({ before, dead, documents: added })
    const live = [...DOCUMENTS, ...crowd, late].filter((_, document) => !dead.includes(document))
    expect(after.footer.gaps).toBe(gaps)
    for (const gap of gaps === 0 ? [] : dead)
      for (const view of VIEW_NAMES) expect(keyAt(after.textKeys(view), gap)).toEqual(new Uint8Array(KEY_BYTES))
    const expected = told(built({ documents: [...live, ...added] }), names, terms)
    const signatureless = ({ documents, ...rest }: ReturnType<typeof told>) => ({
      ...rest,
      documents: documents.map((row) => row?.filter((_, at) => at !== 4) ?? null),
    })
    expect(signatureless(told(after, names, terms))).toEqual(signatureless(expected))
    // And so does the one after that, whose gaps are those of both.
    const third = built({ before: after, dead: [after.documentOf('c-0.json')], documents: [] })
    expect(third.footer.gaps).toBe(gaps + 1)
    expect(third.documentOf('c-0.json')).toBe(-1)
    expect(third.footer.views.when_to_use.documents).toBe(after.footer.views.when_to_use.documents - 1)
    expect(postingsIn(third, 'when_to_use', 'fresh')).toHaveLength(1)
  })

  test('knows the files that were looked at again as they are now', () => {
    const before = built({ documents: DOCUMENTS })
    const lookedAt = new Map([
      [0, [9, 8, 7, 6] as const],
      [1, null],
    ])
    const after = built({ before, documents: [], lookedAt })
    expect([0, 1, 2].map((document) => signatureIn(after, document))).toEqual([
      [9, 8, 7, 6],
      NO_SIGNATURE,
      [...signatureIn(before, 2)],
    ])
  })

  test('drops the words of removed documents that no other has', () => {
    const before = built({ documents: [{ name: 'a', when: 'old', content: 'words' }] })
    const after = built({ before, dead: [0], documents: [{ name: 'b', when: 'new', content: 'words' }] })
    expect([before.footer.terms, after.footer.terms]).toEqual([2, 2])
    expect(postingsIn(after, 'when_to_use_content', 'word')).toEqual([[0, 1]])
  })

  test('of none leaves an empty one, and an empty one can be followed', () => {
    const empty = built({ before: built({ documents: DOCUMENTS }), dead: [0, 1, 2, 3, 4], documents: [] })
    expect([empty.footer.documents, empty.footer.terms]).toEqual([0, 0])
    expect(postingsIn(empty, 'when_to_use', 'red')).toEqual([])
    expect(told(built({ before: empty, documents: DOCUMENTS }), NAMES, TERMS)).toEqual(
      told(built({ documents: DOCUMENTS }), NAMES, TERMS),
    )
  })
})

describe('tables', () => {
  test('find every one of more than 2^16 terms, and no other', () => {
    const words = Array.from({ length: 70_000 }, (_, n) => `w${n}`)
    const base = built({ documents: [{ name: 'a', when: words.join(' '), content: '.' }] })
    expect(base.footer.terms).toBeGreaterThan(2 ** 16)
    for (let n = 0; n < 70_000; n += 37) expect(postingsIn(base, 'when_to_use', `w${n}`)).toEqual([[0, 1]])
    expect(postingsIn(base, 'when_to_use', 'w70000')).toEqual([])
  })

  /** So many strings that all begin at the last slot of a table of 64. */
  const crowded = (prefix: string, suffix: string) =>
    Array.from({ length: 4_000 }, (_, n) => `${prefix}${n}`).filter((text) => (stringHash(text + suffix) & 63) === 63)

  test('find names and terms that all begin at one slot, past the end of the table too', () => {
    const names = crowded('n', '.json').slice(0, 25)
    const terms = crowded('t', '').slice(0, 25)
    expect([names.length, terms.length, tableSlots(25)]).toEqual([25, 25, 64])
    const base = built({ documents: names.map((name, n) => ({ name, when: terms[n] ?? '', content: '.' })) })
    expect(names.map((name) => base.documentOf(`${name}.json`))).toEqual(names.map((_, n) => n))
    for (const [n, term] of terms.entries()) expect(postingsIn(base, 'when_to_use', term)).toEqual([[n, 1]])
    for (const name of crowded('m', '.json')) expect(base.documentOf(`${name}.json`)).toBe(-1)
    for (const term of crowded('m', '')) expect(postingsIn(base, 'when_to_use', term)).toEqual([])
  })

  test('tell apart terms and names of the same 32-bit hash', () => {
    const [first, second] = sameHash()
    const documents = [first, second].map((name) => ({ name, when: name, content: '.' }))
    const base = built({ documents: documents.slice(0, 1) })
    expect([first, second].map((name) => base.documentOf(`${name}.json`))).toEqual([0, -1])
    expect(postingsIn(base, 'when_to_use', second)).toEqual([])
    const both = built({ before: base, documents: documents.slice(1) })
    expect([first, second].map((name) => both.documentOf(`${name}.json`))).toEqual([0, 1])
    expect([first, second].map((name) => postingsIn(both, 'when_to_use', name))).toEqual([[[0, 1]], [[1, 1]]])
    expect(stringHash(first)).toBe(stringHash(second))
  })
})

/** Two words with one hash: by the birthday paradox there are some among a few hundred thousand. */
function sameHash(): [string, string] {
  const seen = new Map<number, string>()
  for (let n = 0; ; n += 1) {
    const word = `k${n}`
    const hash = stringHash(word)
    const other = seen.get(hash)
    if (other !== undefined) return [other, word]
    seen.set(hash, word)
  }
}

describe('posting lists', () => {
  test.each([
    [[0], [1]],
    [
      [0, 127, 128, 129, 16_511, 2_113_663, 2 ** 31 - 1, 2 ** 32 - 2],
      [1, 127, 128, 16_383, 16_384, 2 ** 28, 2 ** 31, 2 ** 32 - 1],
    ],
    [
      [2 ** 31, 2 ** 32 - 2],
      [2 ** 32 - 1, 1],
    ],
  ])('of documents %j come back as they were', (documents, frequencies) => {
    const run = {
      documents: Uint32Array.from(documents),
      frequencies: Uint32Array.from(frequencies),
      start: 0,
      end: documents.length,
      offset: 0,
    }
    const sink = new ByteSink(1)
    encodePostings(run, -1, sink)
    const decoded = newPostingRun(0)
    decodePostings(sink.written, run.end, null, decoded)
    expect([...decoded.documents.subarray(0, decoded.count)]).toEqual(documents)
    expect([...decoded.frequencies.subarray(0, decoded.count)]).toEqual(frequencies)
  })
})

test('a section that one read could not take in is refused', () => {
  // Never touched, so it takes up no memory.
  const file = new SectionWriter(digest)
  expect(() => file.add('terms', new Uint8Array(2 ** 31))).toThrow(expect.objectContaining({ code: 'file_too_large' }))
})

test('an opened base reads no more than little of its file for a query', () => {
  const documents = Array.from({ length: 2_000 }, (_, n) => ({ name: `n-${n}`, when: `red w${n} v${n}`, content: 'u' }))
  const builder = new IndexBuilder()
  for (const { when, content } of documents) builder.add(when, content)
  const dead = new Uint8Array()
  const listing = listingOf(undefined, dead, documents)
  const change = { before: null, dead, listing, lookedAt: new Map(), added: documents.map(fileOf) }
  const whole = fileInMemory(bytesOf(baseParts({ ...change, columns: builder.finish(), takenMs: 0 }, digest)))
  let read = 0
  const counted: ReadFile = {
    ...whole,
    read: (position, length) => {
      read += length
      return whole.read(position, length)
    },
  }
  const base = new Base(counted, digest)
  read = 0
  expect(postingsIn(base, 'when_to_use', 'w77')).toEqual([[77, 1]])
  expect(read).toBeLessThanOrEqual(8 * 4096)
})
