/**
 * A collection of documents known by numbers that only ascend; a text that changes is a document of another number. Kept
 * as the experiences are: a packed base, and beside it what came since. Which documents an answer may speak of is said at
 * each question: others count for nothing in it, not even for how rare a word is.
 */
import { type ExperienceTexts, VIEW_NAMES } from '../model/experience.ts'
import type { Digest } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { Base } from './base.ts'
import { type BaseChange, baseParts } from './base-builder.ts'
import { BaseShelf, type OpenedBase } from './base-shelf.ts'
import { FileDamage } from './checked-file.ts'
import type { ShelfPorts } from './derived-folder.ts'
import { pathOfNumber } from './document-number.ts'
import { type FusionChoice, fuseAsChosen, type Placing } from './fusion.ts'
import { columnsOf } from './index-builder.ts'
import { KEY_BYTES } from './key-table.ts'
import { besideContents, type ViewContents, ViewTotals } from './keyword-ranking.ts'
import { likeSlots, stopWordCounts, type WordCounts } from './numbered-likeness.ts'
import type { NumberedKeys, NumberedVectors } from './numbered-vectors.ts'
import { keyAt, textKey } from './text-key.ts'
import { KeywordView } from './view.ts'

/** The one of the base's views that holds the texts; the other one stays empty. */
const VIEW = 'when_to_use_content'
const BESIDE_MIN = 128
/** Of the base's documents. */
const BESIDE_SHARE = 1 / 64
const ROUNDS_MAX = 3
/** Numbers are versions by themselves. */
const NO_VERSION = '0'.repeat(64)

/** Where the documents are kept. */
export interface DocumentSource {
  /** Numbers of all there are, ascending; the same object as long as nothing has changed. */
  readonly numbers: () => Int32Array
  /** In the order of `numbers`; '' for one that is no more. */
  readonly textsOf: (numbers: readonly number[]) => readonly string[]
}

export interface NumberedHit {
  readonly number: number
  readonly score: number
  /** How well it fits by itself, 0…1. */
  readonly fit: number
  readonly vector: Placing | null
  readonly keyword: Placing | null
}

export interface NumberedQuery extends FusionChoice {
  readonly query: string
  /** Of length 1; null where the query has none. */
  readonly vector: Float32Array | null
  /** Numbers of the documents that the answer may speak of, ascending. */
  readonly shown: Int32Array
  /** Most hits, and most candidates of each leg. */
  readonly limit: number
}

export interface LikeText {
  readonly number: number
  /** See `wordCosine`. */
  readonly cosine: number
}

export interface LikeTextsWanted {
  readonly words: WordCounts
  /** Numbers of the documents that count, ascending. */
  readonly shown: Int32Array
  /** How many, and all that are as much alike as the last of them. */
  readonly limit: number
  readonly cosineMin: number
}

/** Which documents are shown, and where they are. */
interface ShownDocuments {
  readonly shown: Int32Array
  readonly base: Base | null
  readonly beside: readonly BesideDocument[]
}

/** What was found out of shown documents, as long as they are the same. */
interface ShownTotals extends ShownDocuments {
  readonly totals: ViewTotals
  readonly stops: Uint32Array
}

interface BesideDocument {
  readonly number: number
  readonly text: string
  readonly key: Uint8Array
}

export class NumberedDocuments implements Disposable {
  readonly #digest: Digest
  readonly #clock: ShelfPorts['clock']
  readonly #shelf: BaseShelf
  readonly #source: DocumentSource
  readonly #keywords = new KeywordView(
    VIEW,
    contentsOf(null, new Uint8Array(), [], () => ''),
  )
  #base: Base | null = null
  /** By document of the base its number; -1 for a gap. But for gaps they ascend. */
  #baseNumbers: Int32Array = new Int32Array()
  /** As of the last refresh; null before the first. */
  #numbers: Int32Array | null = null
  #keys: NumberedKeys | null = null
  /** What the base does not hold, by number ascending. */
  #beside: readonly BesideDocument[] = []
  #vectors: NumberedVectors | null = null
  #totals: ShownTotals | null = null
  /** What keywords rank. */
  #ranked: ShownDocuments | null = null

  /** @param layout whose `index` is a folder of the collection's own */
  constructor(ports: ShelfPorts, layout: Layout, source: DocumentSource) {
    this.#digest = ports.digest
    this.#clock = ports.clock
    this.#shelf = new BaseShelf(ports, layout)
    this.#source = source
  }

  /** From here on answers rank by vectors too, which are disposed with it. */
  useVectors(vectors: NumberedVectors): void {
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = vectors
  }

  /** Brings it in step with the source. */
  refresh(): void {
    this.#survivingDamage(() => {
      const { opened, isDamaged } = this.#shelf.openNewer()
      if (opened !== null) this.#adopt(opened)
      const numbers = this.#source.numbers()
      if (opened !== null || isDamaged || numbers !== this.#numbers) {
        this.#lookBeside(numbers)
        if (isDamaged || this.#isOutgrown) this.#rebuild(numbers)
        this.#numbers = numbers
        this.#keys = null
      }
      if (this.#vectors === null) return
      this.#keys ??= this.#keyed()
      this.#vectors.show(this.#keys)
    })
  }

  /** Whether all these documents, which are there now, were there at the last refresh. @param numbers ascending */
  knows(numbers: Int32Array): boolean {
    return this.#numbers !== null && (numbers.at(-1) ?? 0) <= (this.#numbers.at(-1) ?? 0)
  }

  get #isOutgrown(): boolean {
    return this.#beside.length > Math.max(BESIDE_MIN, this.#baseNumbers.length * BESIDE_SHARE)
  }

  #adopt({ base }: OpenedBase): void {
    const before = this.#base
    this.#base = base
    this.#baseNumbers = numbersIn(base)
    before?.[Symbol.dispose]()
  }

  /** Each text is read once. */
  #lookBeside(numbers: Int32Array): void {
    const known = new Map(this.#beside.map((document) => [document.number, document]))
    const slots = slotsOf(this.#baseNumbers, numbers)
    const beside = [...numbers.filter((_, at) => slots[at] === -1)]
    const unread = beside.filter((number) => !known.has(number))
    for (const [at, text] of this.#source.textsOf(unread).entries()) {
      const number = unread[at] ?? 0
      known.set(number, { number, text, key: textKey(this.#digest, text) })
    }
    this.#beside = beside.flatMap((number) => known.get(number) ?? [])
  }

  /** In memory where another process is just writing. */
  #rebuild(numbers: Int32Array): void {
    using lock = this.#shelf.lock()
    const newer = lock === null ? null : this.#shelf.openNewer().opened
    if (newer !== null) {
      this.#adopt(newer)
      this.#lookBeside(numbers)
      if (!this.#isOutgrown) return
    }
    const parts = baseParts(this.#changeTo(numbers), this.#digest)
    this.#adopt((lock === null ? null : this.#shelf.publish(parts)) ?? this.#shelf.openInMemory(parts))
    this.#beside = []
  }

  #changeTo(numbers: Int32Array): BaseChange {
    const beside = this.#beside
    const standing = slotsOf(this.#baseNumbers, numbers)
    const dead = new Uint8Array(this.#baseNumbers.length).fill(1)
    for (const slot of standing) if (slot !== -1) dead[slot] = 0
    let added = dead.length
    return {
      before: this.#base,
      dead,
      listing: {
        names: Array.from(numbers, String),
        slots: standing.map((slot) => (slot === -1 ? added++ : slot)),
        folder: null,
      },
      lookedAt: new Map(),
      added: beside.map(({ key }) => ({ signature: null, version: NO_VERSION, textKeys: keysOf(key), fault: null })),
      columns: columnsOf(beside.map(textsOf)),
      takenMs: this.#clock.now(),
    }
  }

  /** The best of the shown documents as of the last refresh, best first; ties by number. */
  search({ query, vector, shown, limit, ...choice }: NumberedQuery): readonly NumberedHit[] {
    return this.#survivingDamage(() => {
      this.#show(shown)
      const keyword = this.#keywords.search(query, limit)
      const slots = new Map(keyword.candidates.map(({ path, slot }) => [path, slot]))
      const nearest = vector === null ? [] : (this.#vectors?.nearest(vector, shown, limit) ?? [])
      const cosineOf = (number: number) => (vector === null ? 0 : (this.#vectors?.cosineOf(vector, number) ?? 0))
      return fuseAsChosen({ vector: nearest, keyword: keyword.candidates }, choice, keyword.upperBound)
        .slice(0, limit)
        .map(({ path, score, vector: ofVectors, keyword: ofKeywords }) => {
          const [number, slot] = [Number(path), slots.get(path)]
          const coverage = slot === undefined ? 0 : keyword.coverageOf(slot)
          const fit = Math.max(coverage, Math.min(1, ofVectors?.score ?? cosineOf(number)))
          return { number, score, fit, vector: ofVectors, keyword: ofKeywords }
        })
    })
  }

  /** Texts of the shown documents that have most words in common with others, as of the last refresh, the most alike first. */
  likeTexts({ words, shown, ...wanted }: LikeTextsWanted): readonly LikeText[] {
    if (shown.length === 0) return []
    return this.#survivingDamage(() => {
      const { totals, stops } = this.#shownTotals(shown)
      const numberOf = (slot: number) => Number(totals.pathOf(slot))
      const textsOf = (slots: readonly number[]) => this.#source.textsOf(slots.map(numberOf))
      return likeSlots(totals, stops, words, { ...wanted, textsOf }).map(({ slot, cosine }) => ({
        number: numberOf(slot),
        cosine,
      }))
    })
  }

  #shownTotals(shown: Int32Array): ShownTotals {
    const before = this.#totals
    if (before !== null && this.#isAsBefore(before, shown)) return before
    const totals = new ViewTotals(VIEW, this.#contentsOf(shown))
    this.#totals = { shown, base: this.#base, beside: this.#beside, totals, stops: stopWordCounts(totals) }
    return this.#totals
  }

  #isAsBefore(before: ShownDocuments, shown: Int32Array): boolean {
    return before.shown === shown && before.base === this.#base && before.beside === this.#beside
  }

  /** From here on keywords rank these documents and no others. */
  #show(shown: Int32Array): void {
    if (this.#ranked !== null && this.#isAsBefore(this.#ranked, shown)) return
    this.#keywords.show(this.#contentsOf(shown))
    this.#ranked = { shown, base: this.#base, beside: this.#beside }
  }

  #contentsOf(shown: Int32Array): ViewContents {
    const slots = slotsOf(this.#baseNumbers, shown)
    const dead = new Uint8Array(this.#baseNumbers.length).fill(1)
    for (const slot of slots) if (slot !== -1) dead[slot] = 0
    const isBeside = new Set(shown.filter((_, at) => slots[at] === -1))
    const beside = this.#beside.filter(({ number }) => isBeside.has(number))
    const pathOf = (slot: number) =>
      pathOfNumber(slot < dead.length ? (this.#baseNumbers[slot] ?? -1) : (beside[slot - dead.length]?.number ?? -1))
    return contentsOf(this.#base, dead, beside, pathOf)
  }

  /** Of all texts as of the last refresh, so that nobody drops their vectors; see `textKey`. */
  textKeys(): readonly Uint8Array[] {
    const { numbers, keys } = this.#keyed()
    const there = new Set(this.#source.numbers())
    return [...numbers.keys()].filter((at) => there.has(numbers[at] ?? -1)).map((at) => keyAt(keys, at))
  }

  /** All documents with the keys of their texts, whoever may see them. */
  #keyed(): NumberedKeys {
    const own = this.#base?.textKeys(VIEW) ?? new Uint8Array()
    const numbers = new Int32Array(this.#baseNumbers.length + this.#beside.length)
    numbers.set(this.#baseNumbers)
    const keys = new Uint8Array(numbers.length * KEY_BYTES)
    keys.set(own)
    for (const [at, { number, key }] of this.#beside.entries()) {
      numbers[this.#baseNumbers.length + at] = number
      keys.set(key, (this.#baseNumbers.length + at) * KEY_BYTES)
    }
    return { numbers, keys }
  }

  /** Derived state that is found damaged is built anew from the source, and the work done again. */
  #survivingDamage<T>(work: () => T): T {
    for (let round = 1; ; round += 1) {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof FileDamage) || round === ROUNDS_MAX) throw error
        this.#base?.[Symbol.dispose]()
        this.#base = null
        this.#totals = null
        this.#ranked = null
        this.#numbers = null
        this.#baseNumbers = new Int32Array()
        const numbers = this.#source.numbers()
        this.#lookBeside(numbers)
        this.#rebuild(numbers)
      }
    }
  }

  [Symbol.dispose](): void {
    this.#totals = null
    this.#ranked = null
    this.#base?.[Symbol.dispose]()
    this.#base = null
    this.#vectors?.[Symbol.dispose]()
    this.#vectors = null
  }
}

function contentsOf(
  base: Base | null,
  dead: Uint8Array,
  beside: readonly BesideDocument[],
  pathOf: (slot: number) => string,
): ViewContents {
  return { base, dead, ...besideContents(columnsOf(beside.map(textsOf))), pathOf }
}

function textsOf({ text }: BesideDocument): ExperienceTexts {
  return { description: '', 'when-to-use': '', content: text }
}

/** As a base takes them: no key in the view that stays empty. */
function keysOf(key: Uint8Array): Uint8Array {
  const keys = new Uint8Array(VIEW_NAMES.length * KEY_BYTES)
  keys.set(key, VIEW_NAMES.indexOf(VIEW) * KEY_BYTES)
  return keys
}

function numbersIn(base: Base): Int32Array {
  const numbers = new Int32Array(base.documentCount).fill(-1)
  const names = base.listedNames()
  for (const [place, document] of base.listed.entries()) numbers[document] = Number(names[place])
  return numbers
}

/** By place in `wanted` its place in `numbers`, -1 for none. Both ascend, but for numbers below 0. */
function slotsOf(numbers: Int32Array, wanted: Int32Array): Int32Array {
  const slots = new Int32Array(wanted.length).fill(-1)
  let slot = 0
  for (let at = 0; at < wanted.length; at += 1) {
    const number = wanted[at] ?? 0
    while (slot < numbers.length && (numbers[slot] ?? 0) < number) slot += 1
    if (numbers[slot] === number) slots[at] = slot
  }
  return slots
}
