import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ASSET, assetOf, mergesOf, packMerges, readOriginal } from '../../scripts/qwen3-table.ts'
import { type ByteLevelBpe, byteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import { mergesOfAsset, qwen3Merges, unpackMerges } from '../../src/adapters/qwen3-merges.ts'
import { qwen3Bpe, qwen3TokenizerJson } from '../../src/adapters/qwen3-tokenizer-json.ts'

const original = readOriginal()
const merges = mergesOf(original)

describe('the embedded table of Qwen3', () => {
  test('is what its generator writes', () => {
    expect(readFileSync(ASSET, 'utf8') === assetOf(merges)).toBe(true)
  })

  test('holds every merge of the original', async () => {
    expect(await qwen3Merges()).toEqual(merges)
  })

  test('rebuilds the original file, order of vocabulary included', () => {
    expect(JSON.stringify(qwen3TokenizerJson(merges)) === JSON.stringify(original)).toBe(true)
  })

  test('makes the tokenizer that is made of the original file', () => {
    expect(qwen3Bpe(merges)).toEqual(byteLevelBpe(original) as ByteLevelBpe)
  })

  test('survives a checkout that changes its line ends', () => {
    const asset = readFileSync(ASSET, 'utf8').replaceAll('\n', '\r\n')
    expect(mergesOfAsset(asset)).toEqual(merges)
  })

  test('packs ids of every size into planes', () => {
    const few = { left: Uint32Array.of(0, 255, 256), right: Uint32Array.of(1, 65_536, 151_386) }
    expect([...packMerges(few)]).toEqual([0, 255, 0, 0, 0, 1, 0, 0, 0, 1, 0, 90, 0, 0, 79, 0, 1, 2])
    expect(unpackMerges(packMerges(few))).toEqual(few)
  })
})
