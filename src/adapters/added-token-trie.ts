/** The added tokens of a tokenizer as the token counter's kernel looks for them: what they begin with, and a tree of bytes. */
import { invariant } from '../model/memory-error.ts'

export const STARTERS_BYTES = 260

const encoder = new TextEncoder()

interface TrieNode {
  isEnd: boolean
  readonly edges: Map<number, TrieNode>
}

/** Nodes one behind the other: whether a token ends there, how many edges, then byte << 24 | place of the child, in words. */
export function addedTokenTrie(tokens: readonly string[]): Uint32Array {
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

/** 256 bytes, 1 where a token begins so, then a u32: the one byte that all begin with, 256 when they differ. */
export function addedTokenStarters(tokens: readonly string[]): Uint8Array {
  const starters = new Uint8Array(STARTERS_BYTES)
  const firsts = new Set(tokens.map((token) => encoder.encode(token)[0] ?? 0))
  for (const first of firsts) starters[first] = 1
  const [only = 256] = firsts
  new Uint32Array(starters.buffer, 256, 1)[0] = firsts.size === 1 ? only : 256
  return starters
}
