/** Lays out and fills the memory of the token counter's kernel; see wasm/README.md for what it expects where. */
import { invariant, MemoryError } from '../model/memory-error.ts'
import { BYTE_TOKENS, type ByteLevelBpe } from './byte-level-bpe.ts'
import { CHARACTER_CLASS, type CharacterClasses } from './character-classes.ts'
import type { Grammar, GrammarKind } from './pretokenizer-grammar.ts'

const PAGE_BYTES = 65_536
/** So that no two regions share a cache line. */
const ALIGNMENT = 64
/** What the kernel reads behind the input at once. */
const PADDING = 64
/** Of scratch, by byte of the longest piece. */
const SCRATCH_SHARE = 36
const SCRATCH_MIN = 8192
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

/**
 * What makes counting faster and changes no count: pieces of ASCII found 64 bytes at once, characters taken as one symbol
 * from the beginning, counts of pieces remembered. Can be left out to compare.
 */
export type Speedup = 'masks' | 'folds' | 'memory'

export interface TokenMemoryOptions {
  /** Bytes that are counted at once. */
  readonly inputBytes: number
  readonly without: readonly Speedup[]
}

export interface TokenKernel {
  configure(at: number): void
  enterMerges(left: number, right: number, count: number, ends: number): void
  mergedTokens(at: number, bytes: number): number
  countTokens(start: number, end: number, isWholeText: number, hasAdded: number): number
}

export class TokenMemory {
  readonly memory: WebAssembly.Memory
  /** Pieces of the vocabulary that no merges make. */
  readonly wholes: readonly Uint8Array[]
  readonly #kernel: TokenKernel
  /** Addresses and settings, in the kernel's order. */
  readonly #settings = new Map<string, number>()
  #end = 0
  #input = 0
  #inputBytes: number

  constructor(
    module: WebAssembly.Module,
    bpe: ByteLevelBpe,
    classes: CharacterClasses,
    { inputBytes, without }: TokenMemoryOptions,
  ) {
    this.#inputBytes = inputBytes
    const pairBits = Math.max(8, Math.ceil(Math.log2(bpe.left.length * 1.6 + 1)))
    const { symbols, product } = bpe
    const trie = trieOf(bpe.added)
    const settings = SETTING_NAMES.length * 4
    this.#take('settings', settings)
    this.#settings.delete('settings')
    this.#take('report', 8)
    this.#take('blockOf', classes.blockOf.length)
    this.#take('classes', classes.classes.length)
    this.#take('grid', GRID_BYTES)
    this.#take('pairs', 8 * 2 ** pairBits)
    this.#settings.set('pairShift', 64 - pairBits)
    this.#take('filter', FILTER_BYTES)
    this.#settings.set('products', 0)
    if (product !== null) this.#take('products', product.length * 4)
    this.#take('rivals', symbols * RIVALS_BYTES)
    this.#take('folds', FOLDS_BYTES)
    if (without.includes('folds')) this.#settings.set('folds', 0)
    this.#take('masks', 16 * (WORD_BYTES_MAX + 1))
    this.#take('words', 32 * WORD_SETS)
    this.#settings.set('wordMask', WORD_SETS - 1)
    this.#take('phrases', PHRASE_BYTES)
    this.#take('rulers', RULER_BYTES)
    this.#take('starters', 260)
    this.#settings.set('trie', 0)
    if (bpe.added.length > 0) this.#take('trie', trie.length * 4)
    this.#settings.set('wholes', 0).set('wholeMask', 0)
    for (const [name, value] of grammarSettings(bpe.grammar)) this.#settings.set(name, value)
    this.#settings.set('usesMasks', Number(hasMasks(bpe.grammar) && !without.includes('masks')))
    this.#settings.set('usesMemory', Number(!without.includes('memory')))
    const merges = this.#end
    this.#placeInput()
    // The merges are needed once, and lie where texts will; behind them the first and last bytes of symbols.
    const bytes = Math.max(this.#end, merges + bpe.left.length * 8 + symbols * 2)
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) })
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } })
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
    return new Uint8Array(this.memory.buffer, this.#input, this.#inputBytes)
  }

  /** Tokens of the first `bytes` of the input, of which `used` were counted; see the kernel. */
  count(bytes: number, isWholeText: boolean, hasAdded: boolean): { tokens: number; used: number; classes: number } {
    new Uint8Array(this.memory.buffer, this.#input + bytes, PADDING).fill(0)
    const tokens = this.#kernel.countTokens(this.#input, this.#input + bytes, Number(isWholeText), Number(hasAdded))
    const [end = 0, classes = 0] = new Uint32Array(this.memory.buffer, this.#at('report'), 2)
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
    const missing = end - this.memory.buffer.byteLength
    if (missing <= 0) return
    try {
      this.memory.grow(Math.ceil(missing / PAGE_BYTES))
    } catch (cause) {
      throw new MemoryError(
        'file_too_large',
        `a word, or white space, of more than ${this.#inputBytes} bytes is too long to be counted; put line ends or spaces between letters into it`,
        { cause },
      )
    }
  }

  #placeInput(): void {
    this.#input = this.#region(this.#inputBytes + PADDING)
    this.#settings.set('scratch', this.#region(Math.max(SCRATCH_MIN, this.#inputBytes * SCRATCH_SHARE)))
  }

  #take(name: string, bytes: number): void {
    this.#settings.set(name, this.#region(bytes))
  }

  #region(bytes: number): number {
    const start = this.#end
    this.#end = Math.ceil((start + bytes) / ALIGNMENT) * ALIGNMENT
    return start
  }

  #at(name: string): number {
    const address = this.#settings.get(name)
    invariant(address !== undefined, `no ${name} in the memory of the token counter`)
    return address
  }

  #configure(): void {
    const values = SETTING_NAMES.map((name) => this.#at(name))
    new Uint32Array(this.memory.buffer, 0, values.length).set(values)
    this.#kernel.configure(0)
  }

  #enterMerges({ left, right, symbols }: ByteLevelBpe, at: number): void {
    const bytes = new Uint8Array(this.memory.buffer)
    const words = new Uint32Array(this.memory.buffer)
    const rights = at + left.length * 4
    const ends = rights + right.length * 4
    words.set(left, at / 4)
    words.set(right, rights / 4)
    for (let byte = 0; byte < BYTE_TOKENS; byte += 1) bytes.fill(byte, ends + 2 * byte, ends + 2 * byte + 2)
    bytes.fill(0xff, this.#at('rivals'), this.#at('rivals') + symbols * RIVALS_BYTES)
    this.#kernel.enterMerges(at, rights, left.length, ends)
  }

  #fill({ grammar, product, added }: ByteLevelBpe, { blockOf, classes }: CharacterClasses, trie: Uint32Array): void {
    const bytes = new Uint8Array(this.memory.buffer)
    const words = new Uint32Array(this.memory.buffer)
    bytes.set(blockOf, this.#at('blockOf'))
    bytes.set(classes, this.#at('classes'))
    if (grammar.kind === 'gpt2') this.#useSpaceOfJavaScript(blockOf)
    if (product !== null) words.set(product, this.#at('products') / 4)
    for (let length = 0; length <= WORD_BYTES_MAX; length += 1)
      bytes.fill(0xff, this.#at('masks') + 16 * length, this.#at('masks') + 17 * length)
    if (added.length > 0) words.set(trie, this.#at('trie') / 4)
    const firsts = new Set(added.map((token) => encoder.encode(token)[0] ?? 0))
    for (const first of firsts) bytes[this.#at('starters') + first] = 1
    const [only = 256] = firsts
    words[this.#at('starters') / 4 + 64] = firsts.size === 1 ? only : 256
    this.#configure()
  }

  /** The library has the pattern of GPT-2 as one of JavaScript, whose `\s` has U+FEFF and lacks U+0085. */
  #useSpaceOfJavaScript(blockOf: Uint8Array): void {
    const classes = new Uint8Array(this.memory.buffer, this.#at('classes'))
    const placeOf = (codePoint: number) => ((blockOf[codePoint >> 7] ?? 0) << 7) + (codePoint & 0x7f)
    classes[placeOf(0xfeff)] = CHARACTER_CLASS.space
    classes[placeOf(0x85)] = 0
  }

  #isMerged(piece: Uint8Array): boolean {
    this.input().set(piece)
    return this.#kernel.mergedTokens(this.#input, piece.length) === 1
  }

  /** Behind all else: how many there are is known by counting alone. */
  #enterWholes(wholes: readonly Uint8Array[]): void {
    const slots = 2 ** Math.ceil(Math.log2(wholes.length * 2 + 1))
    const size = slots * 4 + wholes.reduce((sum, { length }) => sum + 4 + Math.ceil(length / 4) * 4, 0)
    // In the place of the input, which moves behind it.
    this.#end = this.#input
    this.#take('wholes', size)
    this.#settings.set('wholeMask', slots - 1)
    this.#placeInput()
    this.#reserve(this.#end)
    const start = this.#at('wholes')
    new Uint8Array(this.memory.buffer, start, size).fill(0)
    writeWholes(this.memory.buffer, start, slots, wholes)
    this.#configure()
  }
}

const encoder = new TextEncoder()

/** As the kernel reads them. */
const SETTING_NAMES = [
  ...['report', 'blockOf', 'classes', 'grid', 'pairs', 'pairShift', 'filter', 'products', 'masks', 'words', 'wordMask'],
  ...['phrases', 'rulers', 'scratch', 'wholes', 'wholeMask', 'trie', 'starters', 'grammar', 'digitsMax', 'letters'],
  ...['hasSlashTail', 'hasSuffix', 'rivals', 'folds', 'usesMasks', 'usesMemory'],
]

/** Whether the kernel finds its pieces of ASCII by masks. */
function hasMasks({ kind, digitsMax }: Grammar): boolean {
  return kind === 'cl100k' && (digitsMax === 1 || digitsMax === 3)
}

function grammarSettings(grammar: Grammar): readonly (readonly [name: string, value: number])[] {
  const { letter, mark } = CHARACTER_CLASS
  return [
    ['grammar', GRAMMARS[grammar.kind]],
    ['digitsMax', grammar.digitsMax],
    ['letters', grammar.hasMarks ? letter | mark : letter],
    ['hasSlashTail', Number(grammar.hasSlashTail)],
    ['hasSuffix', Number(grammar.hasSuffix)],
  ]
}

/** A hash table of addresses, and behind it what they lead to: a length and the bytes. */
function writeWholes(buffer: ArrayBuffer, start: number, slots: number, wholes: readonly Uint8Array[]): void {
  const words = new Uint32Array(buffer)
  const bytes = new Uint8Array(buffer)
  let next = start + slots * 4
  for (const whole of wholes) {
    let slot = fnv1a(whole) & (slots - 1)
    while (words[start / 4 + slot] !== 0) slot = (slot + 1) & (slots - 1)
    words[start / 4 + slot] = next
    words[next / 4] = whole.length
    bytes.set(whole, next + 4)
    next += 4 + Math.ceil(whole.length / 4) * 4
  }
}

/** FNV-1a of 32 bits. */
function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

interface TrieNode {
  isEnd: boolean
  readonly edges: Map<number, TrieNode>
}

/** Nodes one behind the other: whether a token ends there, how many edges, then byte << 24 | place of the child, in words. */
function trieOf(tokens: readonly string[]): Uint32Array {
  const root: TrieNode = { isEnd: false, edges: new Map() }
  const nodes = [root]
  for (const token of tokens) {
    let node = root
    for (const byte of encoder.encode(token)) {
      let child = node.edges.get(byte)
      if (child === undefined) {
        child = { isEnd: false, edges: new Map() }
        node.edges.set(byte, child)
        nodes.push(child)
      }
      node = child
    }
    node.isEnd = true
  }
  const places = new Map<TrieNode, number>()
  let size = 0
  for (const node of nodes) {
    places.set(node, size)
    size += 2 + node.edges.size
  }
  invariant(size < 2 ** 24, `the added tokens take ${size} words`)
  const trie = nodes.flatMap(({ isEnd, edges }) => [
    Number(isEnd),
    edges.size,
    ...[...edges].map(([byte, child]) => byte * 2 ** 24 + (places.get(child) ?? 0)),
  ])
  return Uint32Array.from(trie)
}
