/**
 * The terms of one name as ids of a vocabulary: what `addNameTerms` finds, for ASCII names without making strings. Knows
 * nothing of texts or counts.
 */
import { addNameTerms } from './analyzer.ts'
import { DIGIT, KINDS, LETTER, UNDERSCORE, UPPER } from './character-class.ts'
import { regularInPlace } from './irregular-forms.ts'
import { HUMPS_MAX, startsHump, type TermSink } from './name-terms.ts'
import { stemInPlace } from './porter-stemmer.ts'
import { isStopWordIn } from './stop-words.ts'
import { HUMPED } from './token-scanner.ts'
import { Vocabulary } from './vocabulary.ts'
import { foldedTerm, TERM_UNITS_MAX } from './word-term.ts'

/** By ASCII unit: the joint it is, outermost first as in name-terms.ts; INSIDE for all that are none. */
const JOINTS = new Uint8Array(0x80)
const HYPHEN = 3
const INSIDE = 5
JOINTS.fill(INSIDE)
for (const [joint, characters] of [':', '/\\', '.', '-', '_'].entries())
  for (const character of characters) JOINTS[character.charCodeAt(0)] = joint

/** With their texts some 6 MB. */
const WORDS_MAX = 1 << 17
const NONE = -1
/** Traits of a word in lower case. */
const PLAIN = 1 << LETTER
/** With one of these a name of hyphens is more than prose. */
const TECHNICAL = (1 << DIGIT) | (1 << UNDERSCORE)
const LOWER_V = 0x76

export class TermIds {
  /** Of the last name, with repeats; the first `count` are valid. */
  ids = new Int32Array(1 << 6)
  count = 0
  /** How many words it counts as. */
  words = 0
  readonly #vocabulary: Vocabulary
  /** Words in lower case, not stemmed. */
  #words = new Vocabulary()
  /** By word the id of its term, or NONE: stemming costs more than a look. */
  #wordTerms = new Int32Array(1 << 9).fill(NONE)
  /** The name as written, and in lower case. */
  readonly #name = new Uint16Array(TERM_UNITS_MAX)
  readonly #lower = new Uint16Array(TERM_UNITS_MAX)
  readonly #word = new Uint16Array(TERM_UNITS_MAX)
  #traits = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** @param traits see TokenSink.addName */
  setName(text: string, start: number, end: number, traits: number): void {
    this.count = 0
    this.words = 0
    this.#traits = traits
    if (!this.#read(text, start, end)) this.#addTermsOf(text.slice(start, end), traits)
    else if (traits !== PLAIN) this.#addName(0, end - start)
    else {
      // Whoever asks remembers the answer under this very text: a second memory would only cost.
      this.words = 1
      this.#add(this.#termOfWord(0, end - start))
    }
  }

  /** @returns the id of a token that is one term */
  ofWhole(text: string, start: number, end: number): number {
    if (this.#read(text, start, end)) return this.#vocabulary.idOf(this.#lower, 0, end - start)
    return this.#vocabulary.idOfText(foldedTerm(text.slice(start, end)))
  }

  /** @returns false when the token is too long or not ASCII */
  #read(text: string, start: number, end: number): boolean {
    if (end - start > TERM_UNITS_MAX) return false
    for (let at = start; at < end; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit >= JOINTS.length) return false
      this.#name[at - start] = unit
      this.#lower[at - start] = KINDS[unit] === UPPER ? unit + 0x20 : unit
    }
    return true
  }

  #addTermsOf(name: string, traits: number): void {
    const sink: TermSink = { terms: [], length: 0 }
    addNameTerms(name, traits, sink)
    for (const term of sink.terms) this.#add(this.#vocabulary.idOfText(term))
    this.words = sink.length
  }

  #addName(start: number, end: number): void {
    const name = this.#name
    let joint = INSIDE
    let seen = 0
    for (let at = start; at < end; at += 1) {
      const unit = name[at] ?? 0
      const own = JOINTS[unit] ?? INSIDE
      if (own < joint) joint = own
      seen |= 1 << (KINDS[unit] ?? 0)
    }
    const isTechnical = (seen & TECHNICAL) !== 0
    if (joint === INSIDE) {
      this.#addWord(start, end)
      return
    }
    if (joint !== HYPHEN || isTechnical) {
      this.#add(this.#vocabulary.idOf(this.#lower, start, end))
      if (this.#isVersion(start, end)) this.#add(this.#vocabulary.idOf(this.#lower, start + 1, end))
    }
    let from = start
    for (let at = start; at <= end; at += 1) {
      if (at < end && JOINTS[name[at] ?? 0] !== joint) continue
      if (at > from) this.#addName(from, at)
      from = at + 1
    }
  }

  /** `v1.`… */
  #isVersion(start: number, end: number): boolean {
    if (this.#lower[start] !== LOWER_V) return false
    let at = start + 1
    while (at < end && KINDS[this.#name[at] ?? 0] === DIGIT) at += 1
    return at > start + 1 && at < end && this.#name[at] === 0x2e
  }

  #addWord(start: number, end: number): void {
    this.words += 1
    this.#addStem(start, end)
    if ((this.#traits & HUMPED) === 0) return
    const humps = this.#humpCount(start, end)
    if (humps < 2 || humps > HUMPS_MAX) return
    let from = start
    for (let at = start + 1; at <= end; at += 1) {
      if (at < end && !this.#startsHump(at, end)) continue
      if (at - from > 1) this.#addStem(from, at)
      from = at
    }
  }

  #humpCount(start: number, end: number): number {
    let count = 1
    for (let at = start + 1; at < end; at += 1) if (this.#startsHump(at, end)) count += 1
    return count
  }

  #startsHump(at: number, end: number): boolean {
    const name = this.#name
    const next = at + 1 < end ? (name[at + 1] ?? 0) : Number.NaN
    return startsHump(KINDS[name[at - 1] ?? 0], KINDS[name[at] ?? 0], next, at + 2 === end)
  }

  #addStem(start: number, end: number): void {
    const word = this.#words.idOf(this.#lower, start, end)
    if (word >= this.#wordTerms.length) this.#wordTerms = longer(this.#wordTerms)
    let term = this.#wordTerms[word] ?? NONE
    if (term === NONE) {
      term = this.#termOfWord(start, end)
      this.#wordTerms[word] = term
    }
    this.#add(term)
    if (this.#words.size >= WORDS_MAX) this.#forgetWords()
  }

  #forgetWords(): void {
    this.#words = new Vocabulary()
    this.#wordTerms.fill(NONE)
  }

  #termOfWord(start: number, end: number): number {
    const word = this.#word
    const length = end - start
    let isStemmed = !isStopWordIn(this.#lower, start, end)
    for (let at = 0; at < length; at += 1) {
      const unit = this.#lower[start + at] ?? 0
      word[at] = unit
      if (KINDS[unit] !== LETTER) isStemmed = false
    }
    return this.#vocabulary.idOf(word, 0, isStemmed ? stemInPlace(word, regularInPlace(word, length)) : length)
  }

  #add(id: number): void {
    if (this.count === this.ids.length) this.ids = longer(this.ids)
    this.ids[this.count++] = id
  }
}

function longer(values: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(values.length * 2).fill(NONE)
  larger.set(values)
  return larger
}
