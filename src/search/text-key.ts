/** Texts by their digest: what a vector is kept under, so that a text is embedded once. */
import { type ExperienceTexts, VIEW_NAMES, viewText } from '../model/experience.ts'
import type { Digest } from '../ports.ts'
import { KEY_BYTES } from './key-table.ts'

const encoder = new TextEncoder()

/** One for all texts: a digest keeps nothing of what it is given. */
let utf8 = new Uint8Array(1 << 16)

/** The first KEY_BYTES of the SHA-256 of the text in UTF-8. */
export function textKey(digest: Digest, text: string): Uint8Array {
  // At most three bytes a UTF-16 code unit.
  if (utf8.length < text.length * 3) utf8 = new Uint8Array(text.length * 3)
  return digest.sha256Bytes(utf8.subarray(0, encoder.encodeInto(text, utf8).written)).slice(0, KEY_BYTES)
}

export function keyHex(key: Uint8Array): string {
  return Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** One of many keys that lie one behind the other. */
export function keyAt(keys: Uint8Array, place: number): Uint8Array {
  return keys.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES)
}

/** Those of an experience in all views, in the order of VIEW_NAMES, joined. */
export function textKeysOf(texts: ExperienceTexts, digest: Digest): Uint8Array {
  const keys = new Uint8Array(VIEW_NAMES.length * KEY_BYTES)
  for (const [at, view] of VIEW_NAMES.entries()) keys.set(textKey(digest, viewText(view, texts)), at * KEY_BYTES)
  return keys
}
