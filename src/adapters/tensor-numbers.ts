/** Numbers as model files hold them, little-endian, in the arrays that JavaScript counts with. */

/** Of each type that is read. */
export const NUMBER_BYTES = { F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, I8: 1 } as const

export type NumberType = keyof typeof NUMBER_BYTES
type IndexType = 'I64' | 'I32'
type FloatType = Exclude<NumberType, IndexType>

/** What `decodedIndices` gives for a number that none is: below 0, or over 2^31 - 1. */
const NO_INDEX = -1

export function isFloatType(type: NumberType | null): type is FloatType {
  return type !== null && !isIndexType(type)
}

export function isIndexType(type: NumberType | null): type is IndexType {
  return type === 'I64' || type === 'I32'
}

/**
 * Doubles are rounded, all others are exact. F32 at an aligned place is not copied.
 * @param bytes a whole count of numbers
 */
export function decodedFloats(bytes: Uint8Array, type: FloatType): Float32Array {
  const { buffer, byteOffset, length } = aligned(bytes, NUMBER_BYTES[type])
  const count = length / NUMBER_BYTES[type]
  switch (type) {
    case 'F64':
      return new Float32Array(new Float64Array(buffer, byteOffset, count))
    case 'F32':
      return new Float32Array(buffer, byteOffset, count)
    case 'F16':
      return floatsOfHalves(new Uint16Array(buffer, byteOffset, count))
    case 'BF16':
      return floatsOfBrains(new Uint16Array(buffer, byteOffset, count))
    case 'I8':
      return new Float32Array(new Int8Array(buffer, byteOffset, count))
  }
}

/** Below 0 for what is no index. @param bytes a whole count of numbers */
export function decodedIndices(bytes: Uint8Array, type: IndexType): Int32Array {
  const { buffer, byteOffset, length } = aligned(bytes, Int32Array.BYTES_PER_ELEMENT)
  const words = new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT)
  if (type === 'I32') return words
  const indices = new Int32Array(words.length / 2)
  for (let at = 0; at < indices.length; at += 1)
    indices[at] = words[2 * at + 1] === 0 ? (words[2 * at] ?? NO_INDEX) : NO_INDEX
  return indices
}

function aligned(bytes: Uint8Array, step: number): Uint8Array {
  // Not `slice`: that of Node's Buffer copies nothing.
  return bytes.byteOffset % step === 0 ? bytes : new Uint8Array(bytes)
}

/** IEEE 754 binary16, through a table: 0.2 ms to make, and faster than arithmetic from then on. */
function floatsOfHalves(halves: Uint16Array): Float32Array {
  const table = Float32Array.from({ length: 2 ** 16 }, (_, bits) => floatOfHalf(bits))
  const floats = new Float32Array(halves.length)
  for (let at = 0; at < halves.length; at += 1) floats[at] = table[halves[at] ?? 0] ?? 0
  return floats
}

function floatOfHalf(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** The upper half of an IEEE 754 binary32. */
function floatsOfBrains(brains: Uint16Array): Float32Array {
  const bits = new Uint32Array(brains.length)
  for (let at = 0; at < brains.length; at += 1) bits[at] = (brains[at] ?? 0) << 16
  return new Float32Array(bits.buffer)
}
