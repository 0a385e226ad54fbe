import { describe, expect, test } from 'bun:test'
import { readArtifact } from '../../scripts/embedder/artifact.ts'
import { embed } from '../../scripts/embedder/reference-embedder.ts'
import type { Embedding } from '../../src/ports.ts'
import { builtinEmbedding } from '../../src/search/builtin-embedding.ts'
import { unitHash } from '../../src/search/unit-hash.ts'
import { readWordFacts, readWordTable } from '../../src/search/word-table.ts'
import { NASTY_KINDS, nastyTexts } from '../fakes/nasty-texts.ts'
import { randomNumbers } from '../fakes/random-vectors.ts'
import { readsOf, wordFileOf } from '../fakes/word-file.ts'

const WIDTH = 16
const NASTY_TEXTS = 40

/** Rows that differ from one another, within what 4 bits hold. */
function rowsOf(...words: readonly string[]): Record<string, readonly number[]> {
  const random = randomNumbers(words.length)
  return Object.fromEntries(
    words.map((word) => [word, Array.from({ length: WIDTH }, () => Math.floor(random() * 15) - 7)]),
  )
}

const ROWS = rowsOf('disk', 'full', 'docker', 'file', 'limit', 'memori', 'retri', 'connect', '数据', 'данн')

async function vectorsOf(rows: typeof ROWS, bits: 4 | 8 = 8) {
  const { makeReady } = await builtinEmbedding(readsOf(wordFileOf(rows, { bits })).read)
  return makeReady()
}

function vectorOf(embedding: Embedding): Float32Array {
  if ('refused' in embedding) throw new Error(embedding.refused)
  return embedding.vector
}

describe.each([4, 8] as const)('a text with rows of %d bits', (bits) => {
  const artifact = readArtifact(wordFileOf(ROWS, { bits }))

  test.each([
    'disk full',
    'retry retry retry the disk disk',
    'dockerfile dockerfil dockerized',
    'src/disk/full.ts --memory-limit fooDisk E0308',
    '数据库连接失败',
    'ошибка подключения к базе данных',
    'word '.repeat(500),
    'a of the and to',
    '!!!',
  ])('has the vector that the definition gives: %p', async (text) => {
    const model = await vectorsOf(ROWS, bits)
    expect(vectorOf(await model.embeddingOf(text))).toEqual(embed(text, artifact) ?? new Float32Array())
  })

  test.each(NASTY_KINDS)('has it for hostile texts too: %s', async (kind) => {
    const model = await vectorsOf(ROWS, bits)
    for (const text of nastyTexts(kind, NASTY_TEXTS)) {
      const defined = embed(text.toWellFormed(), artifact)
      if (defined !== null) expect(vectorOf(await model.embeddingOf(text.toWellFormed()))).toEqual(defined)
    }
  })
})

test('no text is refused: stop words stand for themselves where there is nothing else, and signs for the whole', async () => {
  const model = await vectorsOf(ROWS)
  const [stop, other, signs] = [
    await model.embeddingOf('the of'),
    await model.embeddingOf('to a'),
    await model.embeddingOf('!!!'),
  ]
  for (const one of [stop, other, signs]) {
    expect(one).toMatchObject({ parts: 1, isVague: true })
    expect(Math.hypot(...vectorOf(one))).toBeCloseTo(1, 6)
  }
  expect(vectorOf(stop)).not.toEqual(vectorOf(other))
  expect(vectorOf(await model.embeddingOf('!!!'))).toEqual(vectorOf(signs))
})

test.each([
  ['disk full', false],
  ['disk zqxwvk', false],
  ['disk zqxwvk qqqqq', true],
  ['zqxwvk', true],
  ['dockerize', false],
  ['diskqqqqqqqq', true],
  ['дисковое пространство', true],
  ['the disk of the', false],
])('%p is vague: %p', async (text, isVague) => {
  const model = await vectorsOf(ROWS)
  expect('isVague' in (await model.embeddingOf(text))).toBe(isVague)
})

test('two words with one hash are told apart', async () => {
  const [known, unknown] = ['costarring', 'liquid'] as const
  expect(unitHash(known)).toBe(unitHash(unknown))
  const { read } = readsOf(wordFileOf(rowsOf(known)))
  const table = await readWordTable(read, await readWordFacts(read))
  expect(table.rowOf(known)).toBe(0)
  expect(table.rowOf(unknown)).toBe(-1)
})

test('a query reads the words and its own rows, and many texts all rows once', async () => {
  const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`)
  const file = wordFileOf(rowsOf(...words))
  const { read, bytesRead } = readsOf(file)
  const model = await (await builtinEmbedding(read)).makeReady()
  const levelBytes = words.length * WIDTH
  const atFirst = bytesRead()
  expect(atFirst).toBeLessThan(file.length - levelBytes + 512)
  await model.embeddingOf('word1 word2 word1')
  expect(bytesRead() - atFirst).toBe(2 * WIDTH)
  await model.embeddingOf(words.join(' '))
  await model.embeddingOf(words.join(' '))
  expect(bytesRead() - atFirst).toBe(2 * WIDTH + levelBytes)
})

test('the vectors are the same however the rows were read', async () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `word${index}`)
  const [one, many] = [await vectorsOf(rowsOf(...words)), await vectorsOf(rowsOf(...words))]
  await many.embeddingOf(words.join(' '))
  for (const text of ['word7 word8', 'word9 other word10 word10'])
    expect(await many.embeddingOf(text)).toEqual(await one.embeddingOf(text))
})

test('another file has another key, and so have vectors of another width', async () => {
  const keyOf = async (rows: typeof ROWS) => (await builtinEmbedding(readsOf(wordFileOf(rows)).read)).key
  expect(await keyOf(ROWS)).toEqual({
    backend: 'builtin',
    model: expect.stringMatching(/^sha256:[0-9a-f]{64} /),
    dimensions: WIDTH,
  })
  expect(await keyOf(rowsOf('disk'))).not.toEqual(await keyOf(ROWS))
})

test.each([
  ['another format', (file: Uint8Array) => file.fill(0x78, 0, 8)],
  ['a later version', (file: Uint8Array) => file.fill(9, 8, 9)],
])('a file of %s is not read', async (_, change) => {
  const file = wordFileOf(ROWS)
  change(file)
  await expect(builtinEmbedding(readsOf(file).read)).rejects.toThrow('of another format')
})
