/**
 * The pieces that are one token although no merges make them, as the hash table in which the token counter's kernel looks
 * them up: addresses, and behind them what they lead to, a length and the bytes.
 */

/** A power of two, at least half of them free. */
export function wholePieceSlots(wholes: readonly Uint8Array[]): number {
  return 2 ** Math.ceil(Math.log2(wholes.length * 2 + 1))
}

/** Of the table and what it leads to. */
export function wholePieceBytes(wholes: readonly Uint8Array[]): number {
  return wholePieceSlots(wholes) * 4 + wholes.reduce((sum, whole) => sum + entryBytes(whole), 0)
}

/** @param start a multiple of 4, from where on as many bytes as `wholePieceBytes` says are filled */
export function writeWholePieces(buffer: ArrayBuffer, start: number, wholes: readonly Uint8Array[]): void {
  const words = new Uint32Array(buffer)
  const bytes = new Uint8Array(buffer)
  const slots = wholePieceSlots(wholes)
  words.fill(0, start / 4, start / 4 + slots)
  let next = start + slots * 4
  for (const whole of wholes) {
    let slot = fnv1a(whole) & (slots - 1)
    while (words[start / 4 + slot] !== 0) slot = (slot + 1) & (slots - 1)
    words[start / 4 + slot] = next
    words[next / 4] = whole.length
    bytes.set(whole, next + 4)
    next += entryBytes(whole)
  }
}

/** The length and the bytes, filled up to a multiple of 4. */
function entryBytes({ length }: Uint8Array): number {
  return 4 + Math.ceil(length / 4) * 4
}

/** FNV-1a of 32 bits. */
function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
