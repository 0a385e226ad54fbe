/** Counts the tokens of a byte-level BPE through the kernel of wasm/token-counter.ts, as much of a text at once as its input holds. */
import { Buffer } from 'node:buffer'
import { nextSafeCut } from '../model/safe-cut.ts'
import { countsAddUp } from './additivity.ts'
import asset from './assets/token-counter.txt' with { type: 'text' }
import type { ByteLevelBpe } from './byte-level-bpe.ts'
import { CHARACTER_CLASS, characterClasses } from './character-classes.ts'
import { type Speedup, TokenMemory } from './token-memory.ts'

/** Of UTF-8, that are counted at once. */
const INPUT_BYTES = 192 * 1024
/** Of UTF-8, that a UTF-16 unit is at most. */
const UNIT_BYTES = 3

const encoder = new TextEncoder()

export interface TokenCounterOptions {
  /** Of UTF-8, that are counted at once. */
  readonly inputBytes?: number
  readonly without?: readonly Speedup[]
}

interface SectionFacts {
  /** Whether NFC changes nothing in it, or need not. */
  readonly isNormalized: boolean
  /** Whether added tokens may be in it. */
  readonly hasAdded: boolean
}

/** Null where the machine has no SIMD for WASM. @param options for tests and benchmarks */
export function openWasmTokenCounter(bpe: ByteLevelBpe, options: TokenCounterOptions = {}): WasmTokenCounter | null {
  const module = tokenKernel()
  return module === null ? null : new WasmTokenCounter(module, bpe, options)
}

let kernel: WebAssembly.Module | null | undefined

/** The kernel, compiled once; null where the machine has no SIMD for WASM. */
export function tokenKernel(): WebAssembly.Module | null {
  if (kernel === undefined) kernel = compiledKernel()
  return kernel
}

function compiledKernel(): WebAssembly.Module | null {
  const bytes = Buffer.from(asset.replace(/^#.*\r?\n/, ''), 'base64')
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

class WasmTokenCounter {
  /** Counted like the one that was given; of its vocabulary the pieces alone that no merges make. */
  readonly bpe: ByteLevelBpe
  readonly #memory: TokenMemory
  /** Whether texts are brought into NFC. */
  readonly #isNormalizing: boolean
  readonly #added: ReadonlySet<string>
  /** Splits off added tokens, the longest that begin first; null when there are none. */
  readonly #addedPattern: RegExp | null
  readonly #addsUp: boolean

  constructor(
    module: WebAssembly.Module,
    bpe: ByteLevelBpe,
    { inputBytes = INPUT_BYTES, without = [] }: TokenCounterOptions,
  ) {
    this.#memory = new TokenMemory(module, bpe, characterClasses(), { inputBytes, without })
    this.bpe = { ...bpe, vocabulary: this.#memory.wholes }
    this.#isNormalizing = bpe.isNormalized
    this.#added = new Set(bpe.added)
    this.#addedPattern = addedPattern(bpe.added)
    this.#addsUp = countsAddUp(bpe)
  }

  /** Throws `file_too_large` for a piece that has no room in the memory of a kernel. */
  count(text: string): number {
    return this.#count(text, { isNormalized: !this.#isNormalizing, hasAdded: true })
  }

  #count(text: string, { isNormalized, hasAdded }: SectionFacts): number {
    let total = 0
    // What surely fits is encoded at twice the speed of what may not.
    let unitBytes = UNIT_BYTES
    for (let start = 0; start < text.length; ) {
      const limit = inputEnd(text, start + Math.ceil(this.#memory.inputBytes / unitBytes))
      const part = start === 0 && limit === text.length ? text : text.slice(start, limit)
      const { read, written } = encoder.encodeInto(part, this.#memory.input())
      const end = start + read
      const isLast = end === text.length
      const { tokens, used, classes } = this.#memory.count(written, { isWholeText: isLast, hasAdded })
      if (!isNormalized && (classes & CHARACTER_CLASS.unsettled) !== 0) {
        // Where counts do not add up, all that was counted is forgotten.
        if (!this.#addsUp) return this.#countNormalized(text)
        const cut = isLast ? end : (nextSafeCut(text, end, text.length) ?? text.length)
        total += this.#countNormalized(text.slice(start, cut))
        start = cut
        continue
      }
      total += tokens
      if (isLast) break
      const next = end - unitsIn(this.#memory.input().subarray(used, written))
      // A piece is longer than the input.
      const isStuck = next === start
      if (isStuck && unitBytes === 1) this.#memory.grow((text.length - start) * UNIT_BYTES)
      unitBytes = isStuck && unitBytes > 1 ? 1 : UNIT_BYTES
      start = next
    }
    return total
  }

  /** Added tokens are split off before the rest is normalized, section by section. */
  #countNormalized(text: string): number {
    const sections = this.#addedPattern === null ? [text] : text.split(this.#addedPattern)
    let total = 0
    for (const section of sections) {
      const normalized = section.normalize('NFC')
      total += this.#added.has(normalized) ? 1 : this.#count(normalized, { isNormalized: true, hasAdded: false })
    }
    return total
  }
}

function addedPattern(added: readonly string[]): RegExp | null {
  if (added.length === 0) return null
  const longestFirst = added.toSorted((a, b) => b.length - a.length)
  return new RegExp(`(${longestFirst.map((token) => token.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')})`)
}

/** No later than `limit`, and between no two halves of a surrogate pair. */
function inputEnd(text: string, limit: number): number {
  if (limit >= text.length) return text.length
  const unit = text.charCodeAt(limit - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit
}

/** UTF-16 units that whole characters of UTF-8 stand for. */
function unitsIn(bytes: Uint8Array): number {
  let units = 0
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1
  return units
}
