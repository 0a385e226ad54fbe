/** Counts the tokens of a byte-level BPE through the kernel of wasm/token-counter.ts, a window of text at a time. */
import { Buffer } from 'node:buffer'
import asset from './assets/token-counter.txt' with { type: 'text' }
import type { ByteLevelBpe } from './byte-level-bpe.ts'
import { CHARACTER_CLASS, characterClasses } from './character-classes.ts'
import { type Speedup, TokenMemory } from './token-memory.ts'

/** UTF-16 units that are counted at once; each is at most 3 bytes of UTF-8. */
const WINDOW_UNITS = 2 ** 16
const UNIT_BYTES = 3
/** No piece of a known pattern reaches across it, and NFC changes nothing across it. */
const SAFE_CUT = /\n(?=[!-.0-~])/g

const encoder = new TextEncoder()

export interface TokenCounterOptions {
  /** UTF-16 units that are counted at once. */
  readonly windowUnits?: number
  readonly without?: readonly Speedup[]
}

/** Null where the machine has no SIMD for WASM. @param options for tests and benchmarks */
export function openWasmTokenCounter(bpe: ByteLevelBpe, options: TokenCounterOptions = {}): WasmTokenCounter | null {
  const module = tokenKernel()
  return module === null ? null : new WasmTokenCounter(module, bpe, options)
}

let kernel: WebAssembly.Module | null | undefined

/** The kernel, compiled once; null where the machine has no SIMD for WASM. */
export function tokenKernel(): WebAssembly.Module | null {
  kernel ??= compiledKernel()
  return kernel
}

function compiledKernel(): WebAssembly.Module | null {
  const bytes = Buffer.from(asset.replace(/^#.*\r?\n/, ''), 'base64')
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

class WasmTokenCounter {
  readonly #memory: TokenMemory
  readonly #isNormalized: boolean
  readonly #added: ReadonlySet<string>
  /** Splits off added tokens, the longest that begin first; null when there are none. */
  readonly #addedPattern: RegExp | null
  readonly #mayCut: boolean
  #windowUnits: number

  constructor(
    module: WebAssembly.Module,
    bpe: ByteLevelBpe,
    { windowUnits = WINDOW_UNITS, without = [] }: TokenCounterOptions,
  ) {
    const inputBytes = windowUnits * UNIT_BYTES
    this.#memory = new TokenMemory(module, bpe, characterClasses(), { inputBytes, without })
    this.#isNormalized = bpe.isNormalized
    this.#added = new Set(bpe.added)
    this.#addedPattern = addedPattern(bpe.added)
    this.#mayCut = !bpe.added.some((token) => token.includes('\n'))
    this.#windowUnits = windowUnits
  }

  count(text: string): number {
    return this.#count(text, this.#isNormalized, true)
  }

  /** @param isChecked whether what NFC may change is looked for; @param hasAdded whether added tokens are */
  #count(text: string, isChecked: boolean, hasAdded: boolean): number {
    let total = 0
    for (let start = 0; start < text.length; ) {
      const end = windowEnd(text, start + this.#windowUnits)
      const isLast = end === text.length
      const window = start === 0 && isLast ? text : text.slice(start, end)
      const { written } = encoder.encodeInto(window, this.#memory.input())
      const { tokens, used, classes } = this.#memory.count(written, isLast, hasAdded)
      if (isChecked && (classes & CHARACTER_CLASS.unsettled) !== 0) {
        const cut = this.#safeCut(text, start, end)
        total += this.#countNormalized(text.slice(start, cut))
        start = cut
        continue
      }
      total += tokens
      if (isLast) break
      const next = end - unitsIn(this.#memory.input().subarray(used, written))
      if (next === start) this.#makeRoom()
      start = next
    }
    return total
  }

  /** A piece is longer than the window. */
  #makeRoom(): void {
    this.#memory.grow()
    this.#windowUnits = Math.floor(this.#memory.inputBytes / UNIT_BYTES)
  }

  /** The last safe cut of the window, else the first behind it, else the end. */
  #safeCut(text: string, start: number, end: number): number {
    if (!this.#mayCut || end === text.length) return text.length
    SAFE_CUT.lastIndex = start
    let last = -1
    for (let found = SAFE_CUT.exec(text); found !== null; found = SAFE_CUT.exec(text)) {
      if (found.index + 1 > end && last !== -1) break
      last = found.index + 1
      if (last > end) break
    }
    return last === -1 ? text.length : last
  }

  /** Added tokens are split off before the rest is normalized, section by section. */
  #countNormalized(text: string): number {
    const sections = this.#addedPattern === null ? [text] : text.split(this.#addedPattern)
    let total = 0
    for (const section of sections) {
      const normalized = section.normalize('NFC')
      total += this.#added.has(normalized) ? 1 : this.#count(normalized, false, false)
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
function windowEnd(text: string, limit: number): number {
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
