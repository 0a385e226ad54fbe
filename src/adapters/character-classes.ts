/** What kind each Unicode character is, as the patterns of tokenizers ask: two tables that lead from a code point to bits. */
import { Buffer } from 'node:buffer'
import { zstdDecompressSync } from 'node:zlib'
import asset from './assets/character-classes.txt' with { type: 'text' }

/** Bits of a class; the kernel knows the same, see wasm/README.md. */
export const CHARACTER_CLASS = {
  letter: 1,
  number: 2,
  /** White_Space: U+0085 is, U+FEFF is not. */
  space: 4,
  mark: 8,
  /** Lu and Lt. */
  upper: 16,
  lower: 32,
  /** NFC may change it, or what is before it. */
  unsettled: 64,
  /** CR and LF. */
  lineEnd: 128,
} as const

const CODE_POINTS = 0x110000
export const BLOCK = 128
export const BLOCK_COUNT = CODE_POINTS / BLOCK

export interface CharacterClasses {
  /** Number of a block of 128 code points → number of its classes. */
  readonly blockOf: Uint8Array
  /** 128 classes by number. */
  readonly classes: Uint8Array
}

/** Those of the runtime that the table was generated with. */
export function characterClasses(): CharacterClasses {
  const base64 = asset.replace(/^(?:#.*\r?\n)*/, '')
  const bytes = zstdDecompressSync(Buffer.from(base64, 'base64'))
  return { blockOf: bytes.subarray(0, BLOCK_COUNT), classes: bytes.subarray(BLOCK_COUNT) }
}
