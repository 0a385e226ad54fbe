/**
 * The terms of the training texts, by the analyzer of the product itself, so that training and use never differ.
 * `bun scripts/embedder/analyze-texts.ts --out FOLDER RECORDS.tsv…` reads what the gatherers wrote and writes arrays of
 * little-endian 32-bit numbers for the trainer: see `Arrays`. Each distinct text is analyzed once.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ANALYZER_VERSION } from '../../src/search/analyzer-version.ts'
import { embeddedTerms } from './reference-embedder.ts'

/** Terms of fewer texts get no number: no row is ever trained for them. */
const TEXTS_MIN = 5
/** Of a longer text only so many terms are kept. */
const TERMS_MAX = 120

const LINE_FEED = 0x0a
const PIECE_BYTES = 1 << 22

/** Grows as needed. */
class Numbers {
  #values = new Int32Array(1 << 16)
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const longer = new Int32Array(this.length * 2)
      longer.set(this.#values)
      this.#values = longer
    }
    this.#values[this.length] = value
    this.length += 1
  }

  get values(): Int32Array {
    return this.#values.subarray(0, this.length)
  }
}

/** One text is one number, and one term, kind or group as well. */
class Numbering {
  readonly #numbers = new Map<string, number>()

  /** @returns the number, and whether it is new */
  of(text: string): readonly [number, boolean] {
    const known = this.#numbers.get(text)
    if (known !== undefined) return [known, false]
    this.#numbers.set(text, this.#numbers.size)
    return [this.#numbers.size - 1, true]
  }

  get texts(): readonly string[] {
    return [...this.#numbers.keys()]
  }
}

/** Written under these names, with `.i32` behind them. */
interface Arrays {
  /** Terms of text `n`: `terms[starts[n]]` to `terms[starts[n + 1]]`, in text order with repeats. */
  readonly starts: Numbers
  readonly terms: Numbers
  /** Four numbers a record: kind, group, left text, right text or -1. */
  readonly records: Numbers
}

class Corpus implements Arrays {
  readonly starts = new Numbers()
  readonly terms = new Numbers()
  readonly records = new Numbers()
  readonly kinds = new Numbering()
  readonly groups = new Numbering()
  readonly vocabulary = new Numbering()
  readonly #texts = new Numbering()

  constructor() {
    this.starts.push(0)
  }

  add(line: string): void {
    const [kind = '', group = '', left = '', right = ''] = line.split('\t')
    for (const number of [this.kinds.of(kind)[0], this.groups.of(group)[0], this.#textOf(left)])
      this.records.push(number)
    this.records.push(right === '' ? -1 : this.#textOf(right))
  }

  #textOf(text: string): number {
    const [number, isNew] = this.#texts.of(text)
    if (!isNew) return number
    for (const term of embeddedTerms(text).slice(0, TERMS_MAX)) this.terms.push(this.vocabulary.of(term)[0])
    this.starts.push(this.terms.length)
    return number
  }
}

/** Piece by piece: as one string a file of half a gigabyte would be twice as long. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder()
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const feed = bytes.indexOf(LINE_FEED, Math.min(start + PIECE_BYTES, bytes.length - 1))
    end = feed === -1 ? bytes.length : feed + 1
    yield* decoder
      .decode(bytes.subarray(start, end))
      .split('\n')
      .filter((line) => line !== '')
  }
}

/** How many texts have the term, by its number. */
function textCounts({ starts, terms, vocabulary }: Corpus): Int32Array {
  const counts = new Int32Array(vocabulary.texts.length)
  const lastText = new Int32Array(counts.length).fill(-1)
  for (let text = 0; text + 1 < starts.length; text += 1)
    for (const term of terms.values.subarray(starts.values[text], starts.values[text + 1])) {
      if (lastText[term] === text) continue
      lastText[term] = text
      counts[term] = (counts[term] ?? 0) + 1
    }
  return counts
}

/** The terms that are frequent enough, the most frequent first, and each old number's new one or -1. */
function renumbered(corpus: Corpus): { words: readonly string[]; counts: readonly number[]; numbers: Int32Array } {
  const counts = textCounts(corpus)
  const { texts } = corpus.vocabulary
  const kept = [...texts.keys()].filter((term) => (counts[term] ?? 0) >= TEXTS_MIN)
  const textOf = (term: number) => texts[term] ?? ''
  kept.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || (textOf(a) < textOf(b) ? -1 : 1))
  const numbers = new Int32Array(texts.length).fill(-1)
  for (const [number, term] of kept.entries()) numbers[term] = number
  return { words: kept.map(textOf), counts: kept.map((term) => counts[term] ?? 0), numbers }
}

function main(): void {
  const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true })
  if (values.out === undefined || positionals.length === 0) throw new Error('usage: --out FOLDER RECORDS.tsv…')
  const corpus = new Corpus()
  for (const path of positionals) {
    for (const line of linesOf(readFileSync(path))) corpus.add(line)
    console.log(`${path}: ${corpus.records.length / 4} records, ${corpus.starts.length - 1} texts so far`)
  }
  const { words, counts, numbers } = renumbered(corpus)
  mkdirSync(values.out, { recursive: true })
  const write = (name: string, data: string | Int32Array) => writeFileSync(join(values.out ?? '', name), data)
  write('starts.i32', corpus.starts.values)
  write(
    'terms.i32',
    corpus.terms.values.map((term) => numbers[term] ?? -1),
  )
  write('records.i32', corpus.records.values)
  write('counts.i32', Int32Array.from(counts))
  write('words.txt', words.join('\n'))
  write('kinds.txt', corpus.kinds.texts.join('\n'))
  write('groups.txt', corpus.groups.texts.join('\n'))
  write('analyzer-version.txt', String(ANALYZER_VERSION))
  console.log(`${words.length} of ${numbers.length} terms are in at least ${TEXTS_MIN} texts`)
}

main()
