import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { openStaticEmbedder } from '../../src/adapters/static-embeddings.ts'
import type { Clock, Embedder, Embedding } from '../../src/ports.ts'
import { digest } from '../fakes/digest.ts'
import {
  float32,
  int64,
  type ModelParts,
  matrix,
  safetensorsOf,
  wordPieceJson,
  writeModel,
} from '../fakes/static-model.ts'

let folder: string
let count = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-static-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const TOKENS = ['[UNK]', 'red', 'blue', 'apple', 'whale', '##s']
const ROWS = [
  [100, 100],
  [1, 0],
  [0, 1],
  [3, 4],
  [-1, 0],
  [0, 2],
]
const TOKENIZER = wordPieceJson(TOKENS)
const EMBEDDINGS = { embeddings: matrix(ROWS) }

const newFolder = () => join(folder, `model-${count++}`)
const written = (parts: Partial<ModelParts> = {}) =>
  writeModel(newFolder(), { tokenizer: TOKENIZER, safetensors: safetensorsOf(EMBEDDINGS), ...parts })
const opened = (model: string, options: { clock?: Clock } = {}): Embedder =>
  openStaticEmbedder({ model, dimensions: null, digest, clock: systemClock, ...options })
const openedWith = (parts: Partial<ModelParts> = {}) => opened(written(parts))

async function vectorOf(embedder: Embedder, text: string): Promise<readonly number[]> {
  const [outcome] = await embedder.embed([text])
  return valuesOf(outcome)
}

function valuesOf(outcome: Embedding | undefined): readonly number[] {
  if (outcome === undefined || 'refused' in outcome) throw new Error(`no vector: ${JSON.stringify(outcome)}`)
  expect(outcome.parts).toBe(1)
  return [...outcome.vector]
}

/** Of length 1, by school arithmetic. */
function unit(...values: readonly number[]): readonly number[] {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  return values.map((value) => Math.fround(value / length))
}

describe('a text has the direction of the mean of its tokens,', () => {
  test.each<[string, readonly number[]]>([
    ['red', [1, 0]],
    ['red blue', unit(1, 1)],
    ['Red APPLE', unit(4, 4)],
    ['red red blue', unit(2, 1)],
    // 3 + 3 and 4 + 4 + 2.
    ['apple apples', unit(6, 10)],
    ['a red thing, unheard of', [1, 0]],
  ])('%j', async (text, expected) => {
    expect(await vectorOf(openedWith(), text)).toEqual([...expected])
  })

  test('weighed by token where the model has weights', async () => {
    const weights = float32([6], [9, 0.5, 2, 1, 0, 1])
    const embedder = openedWith({ safetensors: safetensorsOf({ ...EMBEDDINGS, weights }) })
    // red (1, 0) · 0.5, blue (0, 1) · 2, apple (3, 4) · 1, whale · 0.
    expect(await vectorOf(embedder, 'red blue apple whale')).toEqual([...unit(3.5, 6)])
  })

  test('of the rows that a mapping names, weighed by token and not by row', async () => {
    const embedder = openedWith({
      safetensors: safetensorsOf({
        embeddings: matrix([
          [1, 0],
          [0, 1],
        ]),
        mapping: int64([0, 1, 0, 1, 0, 1]),
        weights: float32([6], [9, 2, 3, 4, 5, 6]),
      }),
    })
    // red: row 1 · 2; blue: row 0 · 3; apple: row 1 · 4.
    expect(await vectorOf(embedder, 'red blue apple')).toEqual([...unit(3, 6)])
  })

  test('whatever config.json says of lengths', async () => {
    for (const config of [{ normalize: false }, { normalize: true }, {}])
      expect(await vectorOf(openedWith({ config }), 'apple')).toEqual([...unit(3, 4)])
  })

  test.each(['F16', 'BF16', 'I8'] as const)('of rows of type %s', async (dtype) => {
    const bits = {
      F16: { 1: 0x3c00, 3: 0x4200, 4: 0x4400 },
      BF16: { 1: 0x3f80, 3: 0x4040, 4: 0x4080 },
      I8: { 1: 1, 3: 3, 4: 4 },
    }[dtype]
    const values = [0, 0, 1, 0, 0, 1, 3, 4, 1, 1, 1, 1].map((value) => (value === 0 ? 0 : bits[value as 1 | 3 | 4]))
    const data = dtype === 'I8' ? Uint8Array.from(values) : new Uint8Array(Uint16Array.from(values).buffer)
    const embedder = openedWith({ safetensors: safetensorsOf({ embeddings: { dtype, shape: [6, 2], data } }) })
    expect(await vectorOf(embedder, 'red apple')).toEqual([...unit(4, 4)])
  })

  test('for any text: the sum over its tokens is parallel to its vector', async () => {
    const embedder = openedWith()
    const words = fc.constantFrom('red', 'blue', 'apple', 'apples', 'whale', 'nothing', 'Red', '!')
    const idsOf: Readonly<Record<string, readonly number[]>> = {
      red: [1],
      Red: [1],
      blue: [2],
      apple: [3],
      apples: [3, 5],
      whale: [4],
    }
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 40 }), async (chosen) => {
        const ids = chosen.flatMap((word) => idsOf[word] ?? [])
        const sum = [0, 1].map((column) => ids.reduce((total, id) => total + (ROWS[id]?.[column] ?? 0), 0))
        const [outcome] = await embedder.embed([chosen.join(' ')])
        if (sum.every((value) => value === 0)) expect(outcome).toHaveProperty('refused')
        else expect(valuesOf(outcome)).toEqual([...unit(...sum)])
      }),
    )
  })
})

describe('every token counts, however long the text is:', () => {
  test('those behind the first 512 too', async () => {
    const text = `${'red '.repeat(600)}${'blue '.repeat(600)}`
    expect(await vectorOf(openedWith(), text)).toEqual([...unit(1, 1)])
  })

  test.each([' ', '\n', '\n\n', ' . '])('and none is lost or cut with %j between them', async (between) => {
    const text = `${`red${between}`.repeat(30_000)}${`blue${between}`.repeat(10_000)}`
    expect(await vectorOf(openedWith(), text)).toEqual([...unit(3, 1)])
  })

  test('a word without end is unknown, and hinders no other', async () => {
    expect(await vectorOf(openedWith(), `blue ${'red'.repeat(40_000)} blue`)).toEqual([0, 1])
  })
})

describe('tokenizers:', () => {
  test('BPE without an unknown token', async () => {
    const tokenizer = wordPieceJson(TOKENS, {
      normalizer: null,
      pre_tokenizer: { type: 'WhitespaceSplit' },
      model: {
        type: 'BPE',
        unk_token: null,
        vocab: { a: 0, b: 1, c: 2, ab: 3, abc: 4, x: 5 },
        merges: [
          ['a', 'b'],
          ['ab', 'c'],
        ],
      },
    })
    // abc: one token (-1, 0); ab: one token (3, 4); b: (1, 0); ? and é: none.
    expect(await vectorOf(openedWith({ tokenizer }), 'abc ab b ? é')).toEqual([...unit(3, 4)])
  })

  test('Unigram, whose unknown token is named by its id', async () => {
    const tokenizer = wordPieceJson(TOKENS, {
      normalizer: null,
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false },
      model: {
        type: 'Unigram',
        unk_id: 0,
        vocab: [
          ['<unk>', 0],
          ['▁red', -1],
          ['▁blue', -1],
          ['▁', -5],
          ['b', -6],
          ['lue', -6],
        ],
      },
    })
    // "▁red" (1, 0), "▁blue" (0, 1), "b" of "▁b" (-1, 0) behind "▁" (3, 4); 字 is unknown behind another "▁".
    expect(await vectorOf(openedWith({ tokenizer }), 'red blue b 字')).toEqual([...unit(1 + 0 - 1 + 6, 1 + 8)])
  })

  test('words alone', async () => {
    const vocab = Object.fromEntries(TOKENS.map((token, id) => [token, id]))
    const tokenizer = wordPieceJson(TOKENS, {
      pre_tokenizer: { type: 'WhitespaceSplit' },
      model: { type: 'WordLevel', unk_token: '[UNK]', vocab },
    })
    expect(await vectorOf(openedWith({ tokenizer }), 'apple nobody red')).toEqual([...unit(4, 4)])
  })

  test('added tokens count among the others, and special ones are not put in', async () => {
    const sign = (content: string, id: number) => ({ id, content, special: true, normalized: false })
    const tokenizer = wordPieceJson(TOKENS, {
      added_tokens: [sign('[CLS]', 6), sign('[SEP]', 7)],
      post_processor: { type: 'BertProcessing', sep: ['[SEP]', 7], cls: ['[CLS]', 6] },
    })
    const embedder = openedWith({
      tokenizer,
      safetensors: safetensorsOf({ embeddings: matrix([...ROWS, [5, 0], [0, 7]]) }),
    })
    expect(await vectorOf(embedder, 'red')).toEqual([1, 0])
    // Written out in a text it is the token.
    expect(await vectorOf(embedder, 'blue [CLS]')).toEqual([...unit(5, 1)])
  })
})

describe('a text is refused', () => {
  test.each([
    ['', 'it holds no text'],
    [' \n\u00a0', 'it holds no text'],
    ['nobody knows', 'the embedding model knows no word of it'],
    ['red whale', 'the vectors of its words cancel each other out'],
  ])('%j', async (text, refused) => {
    expect(await openedWith().embed(['red', text])).toEqual([{ vector: Float32Array.of(1, 0), parts: 1 }, { refused }])
  })
})

describe('its key', () => {
  test('tells the width, and of the files what they hold and not where they lie', () => {
    const first = written()
    const second = newFolder()
    cpSync(first, second, { recursive: true })
    const { key } = opened(first)
    expect(key).toEqual({ backend: 'static', model: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), dimensions: 2 })
    expect(opened(second).key).toEqual(key)
  })

  test('is another when any of the three files is', () => {
    const models = [
      written(),
      written({ config: { normalize: false } }),
      written({ tokenizer: wordPieceJson(['[UNK]', 'blue', 'red', 'apple', 'whale', '##s']) }),
      written({ safetensors: safetensorsOf({ embeddings: matrix(ROWS.map(([a = 0, b = 0]) => [b, a])) }) }),
    ].map((model) => opened(model).key.model)
    expect(new Set(models).size).toBe(4)
  })
})

test('links are followed, as the cache of a hub is full of them', async () => {
  const linked = newFolder()
  mkdirSync(linked)
  const model = written()
  for (const name of ['tokenizer.json', 'model.safetensors', 'config.json'])
    symlinkSync(join(model, name), join(linked, name))
  expect(await vectorOf(opened(linked), 'red')).toEqual([1, 0])
})

describe('a call', () => {
  test('ends with what its signal is aborted with, also while it runs', async () => {
    const stop = new AbortController()
    const running = openedWith().embed(
      Array.from({ length: 200_000 }, () => 'red apple'),
      { signal: stop.signal },
    )
    setImmediate(() => stop.abort())
    await expect(running).rejects.toMatchObject({ code: 'interrupted' })
  })

  test('is over when its time is', async () => {
    let now = 0
    const embedder = opened(written(), { clock: { now: () => (now += 400) } })
    expect(await embedder.embed(['red', 'blue'], { timeLimitMs: 1_000 })).toHaveLength(2)
    await expect(embedder.embed(['red', 'blue', 'red'], { timeLimitMs: 1_000 })).rejects.toMatchObject({
      code: 'embedder_unavailable',
      message: 'embedding took longer than 1000 ms',
    })
  })
})
