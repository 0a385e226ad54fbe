/** Lays out and fills the memory of the token counter's kernel; see wasm/README.md for what it expects where. */
import { MemoryError } from '../model/memory-error.ts'
import { addedTokenStarters, addedTokenTrie, STARTERS_BYTES } from './added-token-trie.ts'
import { BYTE_TOKENS, type ByteLevelBpe } from './byte-level-bpe.ts'
import { CHARACTER_CLASS, type CharacterClasses } from './character-classes.ts'
import type { Grammar, GrammarKind } from './pretokenizer-grammar.ts'
import { wholePieceBytes, wholePieceSlots, writeWholePieces } from './whole-pieces.ts'

const PAGE_BYTES = 65_536
/** So that no two regions share a cache line. */
const ALIGNMENT = 64
/** What the kernel reads behind the input at once. */
const PADDING = 64
/** Of scratch, by byte of the longest piece. */
const SCRATCH_SHARE = 36
const SCRATCH_MIN = 4096
/** Sets of two slots, 1 MiB: more take longer to find anything in than they save. */
const WORD_SETS = 2 ** 15
const PHRASE_BYTES = 64 << 12
const RULER_BYTES = 264 << 8
const FILTER_BYTES = 2 ** 17
/** By symbol. */
const RIVALS_BYTES = 8
/** By character below U+10000. */
const FOLDS_BYTES = 4 << 16
const GRID_BYTES = 4 << 16
/** Of what a piece may weigh in a word's slot. */
const WORD_BYTES_MAX = 15

const GRAMMARS: Readonly<Record<GrammarKind, number>> = { cl100k: 0, o200k: 1, gpt2: 2 }

/** Addresses and others, in the kernel's order. */
const SETTINGS = [
  ...(['report', 'blockOf', 'classes', 'grid', 'pairs', 'pairShift', 'filter', 'products', 'lengthMasks'] as const),
  ...(['words', 'wordMask', 'phrases', 'rulers', 'scratch', 'wholes', 'wholeMask', 'trie', 'starters'] as const),
  ...(['grammar', 'digitsMax', 'letters', 'hasSlashTail', 'hasSuffix', 'rivals', 'folds'] as const),
  ...(['usesWindows', 'usesCaches'] as const),
]
type Settings = Record<(typeof SETTINGS)[number], number>

/**
 * What makes counting faster and changes no count: pieces of ASCII found in windows of 64 bytes, characters taken as one
 * symbol from the beginning, counts of pieces remembered. Can be left out to compare.
 */
export type Speedup = 'windows' | 'folds' | 'caches'

export interface TokenMemoryOptions {
  /** Bytes that are counted at once. */
  readonly inputBytes: number
  readonly without: readonly Speedup[]
}

export interface CountingOptions {
  /** Whether nothing follows the input; otherwise what more text could change is left out. */
  readonly isWholeText: boolean
  /** Whether added tokens are looked for. */
  readonly hasAdded: boolean
}

interface TokenKernel {
  configure(at: number): void
  enterMerges(left: number, right: number, count: number, ends: number): void
  mergedTokens(at: number, bytes: number): number
  countTokens(start: number, end: number, isWholeText: number, hasAdded: number): number
}

export class TokenMemory {
  /** Pieces of the vocabulary that no merges make. */
  readonly wholes: readonly Uint8Array[]
  readonly #memory: WebAssembly.Memory
  readonly #kernel: TokenKernel
  /** 0 where the tokenizer has nothing of the kind. */
  readonly #settings = Object.fromEntries(SETTINGS.map((name) => [name, 0])) as Settings
  #end = 0
  readonly #settingsAt = this.#region(SETTINGS.length * 4)
  #input = 0
  #inputBytes: number

  constructor(
    module: WebAssembly.Module,
    bpe: ByteLevelBpe,
    classes: CharacterClasses,
    { inputBytes, without }: TokenMemoryOptions,
  ) {
    this.#inputBytes = inputBytes
    const trie = addedTokenTrie(bpe.added)
    this.#layOut(bpe, classes, trie)
    Object.assign(this.#settings, grammarSettings(bpe.grammar))
    if (without.includes('windows')) this.#settings.usesWindows = 0
    if (without.includes('folds')) this.#settings.folds = 0
    this.#settings.usesCaches = Number(!without.includes('caches'))
    const merges = this.#end
    this.#placeInput()
    // The merges are needed once, and lie where texts will; behind them the first and last bytes of symbols.
    const bytes = Math.max(this.#end, merges + bpe.left.length * 8 + bpe.symbols * 2)
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) })
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } })
    this.#kernel = exports as unknown as TokenKernel
    this.#fill(bpe, classes, trie)
    this.#enterMerges(bpe, merges)
    this.wholes = bpe.vocabulary.filter((piece) => !this.#isMerged(piece))
    if (this.wholes.length > 0) this.#enterWholes(this.wholes)
  }

  get inputBytes(): number {
    return this.#inputBytes
  }

  /** Where a text is put before it is counted, with room for `inputBytes`. */
  input(): Uint8Array {
    return new Uint8Array(this.#memory.buffer, this.#input, this.#inputBytes)
  }

  /** Tokens of the first `bytes` of the input, of which `used` were counted; see the kernel. */
  count(bytes: number, { isWholeText, hasAdded }: CountingOptions): { tokens: number; used: number; classes: number } {
    new Uint8Array(this.#memory.buffer, this.#input + bytes, PADDING).fill(0)
    const tokens = this.#kernel.countTokens(this.#input, this.#input + bytes, Number(isWholeText), Number(hasAdded))
    const [end = 0, classes = 0] = new Uint32Array(this.#memory.buffer, this.#settings.report, 2)
    return { tokens, used: end - this.#input, classes }
  }

  /**
   * Room for a piece that is longer than the input. Detaches what `input` gave. Throws `file_too_large`.
   * @param bytesMax of all that is left of the text
   */
  grow(bytesMax: number): void {
    const inputBytes = Math.max(Math.min(this.#inputBytes * 4, bytesMax), this.#inputBytes + 1)
    // Before anything is moved: what has no room leaves all as it was.
    this.#reserve(this.#input + inputBytes + PADDING + inputBytes * SCRATCH_SHARE + 3 * ALIGNMENT + SCRATCH_MIN)
    this.#inputBytes = inputBytes
    this.#end = this.#input
    this.#placeInput()
    this.#configure()
  }

  #reserve(end: number): void {
    const missing = end - this.#memory.buffer.byteLength
    if (missing <= 0) return
    try {
      this.#memory.grow(Math.ceil(missing / PAGE_BYTES))
    } catch (cause) {
      throw new MemoryError(
        'file_too_large',
        `a word, or white space, of more than ${this.#inputBytes} bytes is too long to be counted; put line ends or spaces between letters into it`,
        { cause },
      )
    }
  }

  /** All regions but those of the input and of whole pieces. */
  #layOut({ left, symbols, product, added }: ByteLevelBpe, classes: CharacterClasses, trie: Uint32Array): void {
    const settings = this.#settings
    const pairBits = Math.max(8, Math.ceil(Math.log2(left.length * 1.6 + 1)))
    settings.report = this.#region(8)
    settings.blockOf = this.#region(classes.blockOf.length)
    settings.classes = this.#region(classes.classes.length)
    settings.grid = this.#region(GRID_BYTES)
    settings.pairs = this.#region(8 * 2 ** pairBits)
    settings.pairShift = 64 - pairBits
    settings.filter = this.#region(FILTER_BYTES)
    if (product !== null) settings.products = this.#region(product.length * 4)
    settings.rivals = this.#region(symbols * RIVALS_BYTES)
    settings.folds = this.#region(FOLDS_BYTES)
    settings.lengthMasks = this.#region(16 * (WORD_BYTES_MAX + 1))
    settings.words = this.#region(32 * WORD_SETS)
    settings.wordMask = WORD_SETS - 1
    settings.phrases = this.#region(PHRASE_BYTES)
    settings.rulers = this.#region(RULER_BYTES)
    settings.starters = this.#region(STARTERS_BYTES)
    if (added.length > 0) settings.trie = this.#region(trie.length * 4)
  }

  #placeInput(): void {
    this.#input = this.#region(this.#inputBytes + PADDING)
    this.#settings.scratch = this.#region(Math.max(SCRATCH_MIN, this.#inputBytes * SCRATCH_SHARE))
  }

  /** @returns where it begins */
  #region(bytes: number): number {
    const start = this.#end
    this.#end = Math.ceil((start + bytes) / ALIGNMENT) * ALIGNMENT
    return start
  }

  #configure(): void {
    const values = SETTINGS.map((name) => this.#settings[name])
    new Uint32Array(this.#memory.buffer, this.#settingsAt, values.length).set(values)
    this.#kernel.configure(this.#settingsAt)
  }

  #fill({ grammar, product, added }: ByteLevelBpe, { blockOf, classes }: CharacterClasses, trie: Uint32Array): void {
    const bytes = new Uint8Array(this.#memory.buffer)
    const words = new Uint32Array(this.#memory.buffer)
    const settings = this.#settings
    bytes.set(blockOf, settings.blockOf)
    bytes.set(classes, settings.classes)
    if (grammar.kind === 'gpt2') this.#useSpaceOfJavaScript(blockOf)
    if (product !== null) words.set(product, settings.products / 4)
    for (let length = 0; length <= WORD_BYTES_MAX; length += 1)
      bytes.fill(0xff, settings.lengthMasks + 16 * length, settings.lengthMasks + 17 * length)
    if (added.length > 0) words.set(trie, settings.trie / 4)
    bytes.set(addedTokenStarters(added), settings.starters)
    this.#configure()
  }

  /** The library has the pattern of GPT-2 as one of JavaScript, whose `\s` has U+FEFF and lacks U+0085. */
  #useSpaceOfJavaScript(blockOf: Uint8Array): void {
    const classes = new Uint8Array(this.#memory.buffer, this.#settings.classes)
    const placeOf = (codePoint: number) => ((blockOf[codePoint >> 7] ?? 0) << 7) + (codePoint & 0x7f)
    classes[placeOf(0xfeff)] = CHARACTER_CLASS.space
    classes[placeOf(0x85)] = 0
  }

  #enterMerges({ left, right, symbols }: ByteLevelBpe, at: number): void {
    const bytes = new Uint8Array(this.#memory.buffer)
    const words = new Uint32Array(this.#memory.buffer)
    const { rivals } = this.#settings
    const rights = at + left.length * 4
    const ends = rights + right.length * 4
    words.set(left, at / 4)
    words.set(right, rights / 4)
    for (let byte = 0; byte < BYTE_TOKENS; byte += 1) bytes.fill(byte, ends + 2 * byte, ends + 2 * byte + 2)
    bytes.fill(0xff, rivals, rivals + symbols * RIVALS_BYTES)
    this.#kernel.enterMerges(at, rights, left.length, ends)
  }

  #isMerged(piece: Uint8Array): boolean {
    this.input().set(piece)
    return this.#kernel.mergedTokens(this.#input, piece.length) === 1
  }

  /** Behind all else: how many there are is known by counting alone. */
  #enterWholes(wholes: readonly Uint8Array[]): void {
    // In the place of the input, which moves behind it.
    this.#end = this.#input
    this.#settings.wholes = this.#region(wholePieceBytes(wholes))
    this.#settings.wholeMask = wholePieceSlots(wholes) - 1
    this.#placeInput()
    this.#reserve(this.#end)
    writeWholePieces(this.#memory.buffer, this.#settings.wholes, wholes)
    this.#configure()
  }
}

function grammarSettings(grammar: Grammar): Partial<Settings> {
  const { kind, digitsMax } = grammar
  const { letter, mark } = CHARACTER_CLASS
  return {
    grammar: GRAMMARS[kind],
    digitsMax,
    letters: grammar.hasMarks ? letter | mark : letter,
    hasSlashTail: Number(grammar.hasSlashTail),
    hasSuffix: Number(grammar.hasSuffix),
    usesWindows: Number(kind === 'cl100k' && (digitsMax === 1 || digitsMax === 3)),
  }
}
