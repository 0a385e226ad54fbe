/** Writes charsmaps as SentencePiece lays them out, plainly: each node of the trie has a block of 256 units of its own. */
import { Buffer } from 'node:buffer'

const BLOCK = 256
const HAS_LEAF = 0x100
const LEAF = 0x80000000

/** @param replacements by what is replaced. In base64, as in a tokenizer.json */
export function charsmap(replacements: Readonly<Record<string, string>>): string {
  const units = new Map<number, number>()
  const blocks = new Map<string, number>()
  /** Where the children of the node are that the bytes lead to. */
  const blockOf = (prefix: string): number => {
    const block = blocks.get(prefix) ?? (blocks.size + 1) * BLOCK
    blocks.set(prefix, block)
    return block
  }
  units.set(0, blockOf('') << 10)
  let texts = ''
  for (const [from, to] of Object.entries(replacements)) {
    let prefix = ''
    for (const byte of new TextEncoder().encode(from)) {
      const at = blockOf(prefix) + byte
      prefix += `${byte} `
      units.set(at, ((at ^ blockOf(prefix)) << 10) | ((units.get(at) ?? 0) & HAS_LEAF) | byte)
    }
    const node = [...units].find(([at, unit]) => unit >= 0 && at !== 0 && (at ^ (unit >>> 10)) === blockOf(prefix))
    if (node === undefined) throw new Error('a replacement of nothing')
    units.set(node[0], node[1] | HAS_LEAF)
    units.set(blockOf(prefix), LEAF + Buffer.byteLength(texts))
    texts += `${to}\0`
  }
  const trie = Uint32Array.from({ length: (blocks.size + 1) * BLOCK }, (_, at) => units.get(at) ?? 0)
  return Buffer.concat([
    Uint8Array.from(Buffer.from(Uint32Array.of(trie.byteLength).buffer)),
    Buffer.from(trie.buffer),
    Buffer.from(texts),
  ]).toString('base64')
}
