/**
 * Normalizes by a `precompiled_charsmap` as SentencePiece writes it: the bytes of a trie (a double array, as Darts has it),
 * and the texts that its leaves lead to. Knows nothing of tokenizers.
 */
import { Buffer } from 'node:buffer'

const UNIT_BYTES = 4
/** Longer clusters are looked up character by character. */
const CLUSTER_BYTES_MAX = 5
/** Of clusters whose replacement is remembered. */
const REMEMBERED_MAX = 100_000
const LEAF_VALUE = 0x7fffffff

/** Null for what is no charsmap. @param base64 of a file */
export function charsmapNormalizer(base64: string): ((text: string) => string) | null {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length < UNIT_BYTES) return null
  const trieEnd = UNIT_BYTES + bytes.readUInt32LE(0)
  if (trieEnd === UNIT_BYTES || trieEnd > bytes.length || trieEnd % UNIT_BYTES !== 0) return null
  const trie = Uint32Array.from({ length: trieEnd / UNIT_BYTES - 1 }, (_, at) =>
    bytes.readUInt32LE((at + 1) * UNIT_BYTES),
  )
  const texts = bytes.subarray(trieEnd)
  const encoder = new TextEncoder()
  const replacementOf = (part: string): string | null => {
    const at = firstLeaf(trie, encoder.encode(part))
    return at === null ? null : texts.toString('utf8', at, endOfText(texts, at))
  }
  const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const known = new Map<string, string>()
  const normalized = (cluster: string): string => {
    const before = known.get(cluster)
    if (before !== undefined) return before
    const whole = Buffer.byteLength(cluster) <= CLUSTER_BYTES_MAX ? replacementOf(cluster) : null
    const found = whole ?? Array.from(cluster, (character) => replacementOf(character) ?? character).join('')
    if (known.size < REMEMBERED_MAX) known.set(cluster, found)
    return found
  }
  return (text) => {
    let all = ''
    for (const { segment } of clusters.segment(text)) all += normalized(segment)
    return all
  }
}

/** Where the text of the shortest start that the trie has begins; null when it has none. */
function firstLeaf(trie: Uint32Array, key: Uint8Array): number | null {
  let at = offsetOf(trie[0] ?? 0)
  for (const byte of key) {
    if (byte === 0) return null
    at ^= byte
    const unit = trie[at] ?? 0
    // The high bit marks a leaf's value, which is no unit of a byte.
    if (((unit & 0xff) | (unit & 0x80000000)) !== byte) return null
    at ^= offsetOf(unit)
    if ((unit & 0x100) !== 0) return (trie[at] ?? 0) & LEAF_VALUE
  }
  return null
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6)
}

function endOfText(texts: Buffer, start: number): number {
  const end = texts.indexOf(0, start)
  return end === -1 ? texts.length : end
}
