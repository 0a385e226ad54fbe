/** What was made of a tokenizer.json once is read back the same, or not at all. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ByteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import { packBpe, unpackBpe } from '../../src/adapters/compiled-bpe.ts'
import { cacheBpe, cachedBpe, compiledFolder } from '../../src/adapters/compiled-bpe-cache.ts'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { bpeOf } from '../fakes/kernel-counter.ts'
import { PATTERNS, type PatternName, preTokenizer, qwen3With, smallTokenizer } from '../fakes/tokenizer-json.ts'

const SHA256 = 'ab'.repeat(32)
const MERGES = [
  ['a', 'b'],
  ['ab', 'c'],
  ['Ġ', 'ab'],
] as const
const onPosix = process.platform !== 'win32'

const home = mkdtempSync(join(tmpdir(), 'knowhow-compiled-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

function smallBpe(pattern: PatternName, changes: Readonly<Record<string, unknown>> = {}): ByteLevelBpe {
  const added_tokens = [{ id: 999, content: '<|é|>', special: true, normalized: false }]
  const json = smallTokenizer(MERGES, { pre_tokenizer: preTokenizer(pattern), added_tokens, ...changes })
  return bpeOf({ ...json, model: { ...json.model, ignore_merges: changes.ignore_merges ?? false } })
}

describe('a compiled tokenizer', () => {
  test.each(Object.keys(PATTERNS) as PatternName[])('of the pattern %s is read back the same', (pattern) => {
    for (const changes of [{}, { normalizer: { type: 'NFC' } }, { ignore_merges: true }]) {
      const bpe = smallBpe(pattern, changes)
      expect(unpackBpe(packBpe(bpe, SHA256), SHA256)).toEqual(bpe)
    }
  })

  test('is read from a part of other bytes, at any address', () => {
    const bpe = smallBpe('llama3', { ignore_merges: true })
    const packed = packBpe(bpe, SHA256)
    for (const start of [1, 2, 3, 4]) {
      const around = Buffer.concat([Buffer.alloc(start, 7), packed, Buffer.alloc(9, 7)])
      expect(unpackBpe(around.subarray(start, start + packed.length), SHA256)).toEqual(bpe)
    }
  })

  test('with any byte changed, cut off or longer is none', () => {
    const packed = packBpe(smallBpe('qwen3'), SHA256)
    for (let at = 0; at < packed.length; at += 1) {
      const changed = Uint8Array.from(packed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(unpackBpe(changed, SHA256)).toBeNull()
      expect(unpackBpe(packed.subarray(0, at), SHA256)).toBeNull()
    }
    expect(unpackBpe(Buffer.concat([packed, Buffer.alloc(1)]), SHA256)).toBeNull()
  })

  test('of another tokenizer.json is none', () => {
    expect(unpackBpe(packBpe(smallBpe('qwen3'), SHA256), 'cd'.repeat(32))).toBeNull()
  })
})

describe('the cache of compiled tokenizers', () => {
  let folder: string
  let file: string
  const bpe = smallBpe('o200k')

  beforeEach(() => {
    folder = mkdtempSync(join(home, 'cache-'))
    file = join(folder, `${SHA256}.bpe`)
  })

  test('gives back what was put into it, and leaves nothing else', () => {
    cacheBpe(join(folder, 'new', 'folder'), SHA256, bpe, 0)
    expect(cachedBpe(join(folder, 'new', 'folder'), SHA256)).toEqual(bpe)
    expect(readdirSync(join(folder, 'new', 'folder'))).toEqual([`${SHA256}.bpe`])
  })

  test('replaces what is damaged', () => {
    writeFileSync(file, 'no tokenizer', { mode: 0o600 })
    expect(cachedBpe(folder, SHA256)).toBeNull()
    cacheBpe(folder, SHA256, bpe, 0)
    expect(cachedBpe(folder, SHA256)).toEqual(bpe)
  })

  test('has no use for a file under the name of another', () => {
    cacheBpe(folder, SHA256, bpe, 0)
    renameSync(file, join(folder, `${'cd'.repeat(32)}.bpe`))
    expect(cachedBpe(folder, 'cd'.repeat(32))).toBeNull()
  })

  test.if(onPosix)('has no use for a file that others may write, nor for a link', () => {
    cacheBpe(folder, SHA256, bpe, 0)
    chmodSync(file, 0o620)
    expect(cachedBpe(folder, SHA256)).toBeNull()
    chmodSync(file, 0o600)
    renameSync(file, join(folder, 'elsewhere'))
    symlinkSync('elsewhere', file)
    expect(cachedBpe(folder, SHA256)).toBeNull()
  })

  test('that cannot be written is no fault', () => {
    writeFileSync(join(folder, 'file'), '')
    cacheBpe(join(folder, 'file'), SHA256, bpe, 0)
    expect(cachedBpe(join(folder, 'file'), SHA256)).toBeNull()
    mkdirSync(file)
    cacheBpe(folder, SHA256, bpe, 0)
    expect(readdirSync(folder).toSorted()).toEqual([`${SHA256}.bpe`, 'file'])
  })

  test('is rid of what a killed process left an hour ago, and of nothing younger', () => {
    const [old, young] = ['00000000-0000-0000-0000-000000000000', '11111111-1111-1111-1111-111111111111'].map((id) =>
      join(folder, `${SHA256}.bpe.${id}.incomplete`),
    )
    for (const path of [old, young]) writeFileSync(path ?? '', '')
    utimesSync(old ?? '', 1_000, 1_000)
    utimesSync(young ?? '', 4_000, 4_000)
    cacheBpe(folder, SHA256, bpe, 5_000_000)
    expect([old, young].map((path) => existsSync(path ?? ''))).toEqual([false, true])
  })
})

test.each([
  ['linux', { HOME: '/home/a' }, '/home/a/.cache/knowhow/tokenizers'],
  ['linux', { HOME: '/home/a', XDG_CACHE_HOME: '/caches' }, '/caches/knowhow/tokenizers'],
  ['linux', { XDG_CACHE_HOME: 'caches' }, null],
  ['linux', {}, null],
  ['win32', { USERPROFILE: 'C:\\a', LOCALAPPDATA: 'C:\\a\\Local' }, 'C:\\a\\Local\\knowhow\\tokenizers'],
] as const)('on %s with %p compiled tokenizers lie in %p', (platform, environment, folder) => {
  expect(compiledFolder(environment, platform)).toBe(folder)
})

test('a tokenizer counts the same when it is opened again, and from a file that was forged', async () => {
  const path = join(home, 'tokenizer.json')
  writeFileSync(path, JSON.stringify(await qwen3With('llama3')))
  const environment = { HOME: home }
  const folder = compiledFolder(environment) ?? ''
  const first = await openHuggingFaceTokenizer(path, { environment })
  const [name = ''] = readdirSync(folder)
  const kept = readFileSync(join(folder, name))
  const second = await openHuggingFaceTokenizer(path, { environment })
  const changed = Uint8Array.from(kept)
  changed[5_000] = (changed[5_000] ?? 0) + 1
  writeFileSync(join(folder, name), changed)
  const third = await openHuggingFaceTokenizer(path, { environment })
  const text = 'Rebuilt the index 12345 times, 世界.\n\n  naïve e\u0301 <|im_end|> '.repeat(50)
  expect(new Set([first, second, third].map((one) => `${one.id} ${one.count(text)}`)).size).toBe(1)
  expect(readFileSync(join(folder, name))).toEqual(kept)
})
