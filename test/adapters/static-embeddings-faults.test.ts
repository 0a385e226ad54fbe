import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { openStaticEmbedder } from '../../src/adapters/static-embeddings.ts'
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
  [0, 0],
  [1, 0],
  [0, 1],
  [3, 4],
  [-1, 0],
  [0, 2],
]
const EMBEDDINGS = { embeddings: matrix(ROWS) }

const written = (parts: Partial<ModelParts> = {}) =>
  writeModel(join(folder, `model-${count++}`), {
    tokenizer: wordPieceJson(TOKENS),
    safetensors: safetensorsOf(EMBEDDINGS),
    ...parts,
  })
const opened = (model: string, dimensions: number | null = null) =>
  openStaticEmbedder({ model, dimensions, digest, clock: systemClock })

describe('a model is refused when it is opened, by file and fault:', () => {
  const without = (name: string) => {
    const model = written()
    rmSync(join(model, name))
    return model
  }
  const inPlaceOf = (name: string, make: (path: string) => void) => {
    const path = join(without(name), name)
    make(path)
    return join(path, '..')
  }
  const shaped = (tensors: Parameters<typeof safetensorsOf>[0]) => written({ safetensors: safetensorsOf(tensors) })

  test.each<[string, () => string, RegExp]>([
    ['no such folder', () => join(folder, 'nowhere'), /nowhere does not exist/],
    [
      'a hub name',
      () => 'minishlab/some-model',
      /some-model does not exist \(it must be a path; names of the Hugging Face hub/,
    ],
    ['a file', () => join(written(), 'config.json'), /config\.json is no folder/],
    ['no tokenizer', () => without('tokenizer.json'), /tokenizer\.json is missing/],
    ['no tensors', () => without('model.safetensors'), /model\.safetensors is missing/],
    ['no config', () => without('config.json'), /config\.json is missing/],
    ['a folder for a file', () => inPlaceOf('model.safetensors', mkdirSync), /model\.safetensors is no ordinary file/],
    [
      'a huge file',
      () => inPlaceOf('model.safetensors', sparse(2 ** 30 + 1)),
      /has 1073741825 bytes, more than the 1073741824 allowed/,
    ],
    ['a huge config', () => inPlaceOf('config.json', sparse(2 ** 20 + 1)), /config\.json has 1048577 bytes, more than/],
    ['a NUL in its name', () => 'a\0b', /cannot be read/],
    ['config that is no JSON', () => written({ config: '{"normalize": tru' }), /config\.json is not valid JSON/],
    ['config that is a list', () => written({ config: '[]' }), /config\.json does not hold one JSON object/],
    [
      'torn tensors',
      () => written({ safetensors: safetensorsOf(EMBEDDINGS).subarray(0, 100) }),
      /model\.safetensors is cut off/,
    ],
    [
      'another model',
      () => shaped({ 'bert.weight': matrix(ROWS) }),
      /is of no Model2Vec model: it holds no tensor embeddings/,
    ],
    [
      'a vector for a matrix',
      () => shaped({ embeddings: float32([4], [1, 2, 3, 4]) }),
      /with the shape \[4\], expected/,
    ],
    [
      'a cube for a matrix',
      () => shaped({ embeddings: float32([1, 2, 2], [1, 2, 3, 4]) }),
      /with the shape \[1, 2, 2\]/,
    ],
    ['a matrix without rows', () => shaped({ embeddings: float32([0, 2], []) }), /with the shape \[0, 2\]/],
    ['a matrix without columns', () => shaped({ embeddings: float32([6, 0], []) }), /with the shape \[6, 0\]/],
    [
      'a matrix that is too wide',
      () =>
        shaped({
          embeddings: float32(
            [1, 65_537],
            Array.from({ length: 65_537 }, () => 1),
          ),
        }),
      /up to 65536 columns/,
    ],
    [
      'weights of two columns',
      () => shaped({ ...EMBEDDINGS, weights: float32([3, 2], [1, 2, 3, 4, 5, 6]) }),
      /tensor weights with the shape \[3, 2\]/,
    ],
  ])('%s', (_, make, sentence) => {
    const model = make()
    const open = () => opened(model)
    expect(open).toThrow(sentence)
    expect(open).toThrow(expect.objectContaining({ code: 'embedder_unavailable' }))
    expect(open).toThrow(/^static embedding model: .*; set EMBEDDING_MODEL_NAME to .*EMBEDDING_BACKEND=none$/s)
  })

  test.skipIf(process.getuid?.() === 0)('files that may not be read', () => {
    const model = written()
    chmodSync(join(model, 'model.safetensors'), 0)
    expect(() => opened(model)).toThrow(/model\.safetensors cannot be read \(EACCES\)/)
  })

  test('other dimensions than it has', () => {
    const model = written()
    expect(opened(model, 2).key.dimensions).toBe(2)
    for (const dimensions of [1, 3])
      expect(() => opened(model, dimensions)).toThrow(
        `has vectors of 2 dimensions, and they are not cut to ${dimensions}`,
      )
  })

  test('builtin, in a program that was built without one', () => {
    expect(() => opened('builtin')).toThrow('builtin is not there: this program was built without a static model')
  })

  test('and quotes nothing of the files', () => {
    const model = written({ config: 'password: hunter2' })
    expect(() => opened(model)).not.toThrow(/hunter2/)
  })
})

describe('a model is refused when the first text comes, by file and fault:', () => {
  const mapping = (values: readonly number[]) => ({
    embeddings: matrix([
      [1, 0],
      [0, 1],
    ]),
    mapping: int64(values),
  })
  test.each<[string, Partial<ModelParts>, string]>([
    ['a tokenizer that is no JSON', { tokenizer: '{' }, 'tokenizer.json is not valid JSON'],
    ['a tokenizer that is a number', { tokenizer: '7' }, 'tokenizer.json does not describe a usable tokenizer'],
    ['a tokenizer of nothing', { tokenizer: {} }, 'tokenizer.json does not describe a usable tokenizer'],
    [
      'a tokenizer of an unknown kind',
      { tokenizer: wordPieceJson(TOKENS, { model: { type: 'Runes' } }) },
      'tokenizer.json does not describe',
    ],
    [
      'too few rows',
      { safetensors: safetensorsOf({ embeddings: matrix(ROWS.slice(1)) }) },
      'model.safetensors has 5 embeddings, and its tokenizer.json 6 tokens',
    ],
    [
      'too many rows',
      { safetensors: safetensorsOf({ embeddings: matrix([...ROWS, [1, 1]]) }) },
      'model.safetensors has 7 embeddings',
    ],
    [
      'an id beyond the tokens',
      {
        tokenizer: wordPieceJson([...TOKENS.slice(0, 5), 'x'], { added_tokens: [{ id: 9, content: 'y' }] }),
        safetensors: safetensorsOf({ embeddings: matrix([...ROWS, [1, 1]]) }),
      },
      'tokenizer.json has 7 tokens, and one of them the id 9',
    ],
    [
      'too few weights',
      { safetensors: safetensorsOf({ ...EMBEDDINGS, weights: float32([5], [1, 1, 1, 1, 1]) }) },
      'has 5 weights',
    ],
    ['too short a mapping', { safetensors: safetensorsOf(mapping([0, 1])) }, 'has 2 mapping'],
    ['a mapping to no row', { safetensors: safetensorsOf(mapping([0, 1, 0, 1, 0, 2])) }, 'maps a token to row 2 of 2'],
    [
      'a negative mapping',
      { safetensors: safetensorsOf(mapping([0, 1, 0, 1, 0, -1])) },
      'number 6 of its tensor mapping',
    ],
    [
      'a mapping of fractions',
      { safetensors: safetensorsOf({ ...EMBEDDINGS, mapping: float32([6], [0, 1, 2, 3, 4, 5]) }) },
      'holds its tensor mapping in a type other than',
    ],
    [
      'a number that is none',
      { safetensors: safetensorsOf({ embeddings: matrix([...ROWS.slice(0, 5), [0, Number.NaN]]) }) },
      'number 12 of its tensor embeddings',
    ],
    [
      'a weight that is none',
      {
        safetensors: safetensorsOf({ ...EMBEDDINGS, weights: float32([6], [1, 1, 1, 1, 1, Number.POSITIVE_INFINITY]) }),
      },
      'number 6 of its tensor weights',
    ],
  ])('%s', async (_, parts, sentence) => {
    const embedder = opened(written(parts))
    for (const _again of [1, 2])
      await expect(embedder.embed(['red'])).rejects.toMatchObject({
        code: 'embedder_unavailable',
        resumable: true,
        message: expect.stringContaining(sentence),
      })
  })
})

function sparse(bytes: number): (path: string) => void {
  return (path) => {
    writeFileSync(path, '')
    truncateSync(path, bytes)
  }
}
