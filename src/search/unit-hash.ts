/** A rolling hash over UTF-16 code units, and where in a table of a power of two slots a hash belongs. FNV-1a. */

export const HASH_SEED = 0x811c9dc5 | 0

export function withUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193)
}

/** Of a whole text. Signed. */
export function unitHash(text: string): number {
  let hash = HASH_SEED
  for (let at = 0; at < text.length; at += 1) hash = withUnit(hash, text.charCodeAt(at))
  return hash
}

/** @param shift 32 less the power: the high bits of a product depend on all bits of the hash, its low ones do not */
export function slotOf(hash: number, shift: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> shift
}
