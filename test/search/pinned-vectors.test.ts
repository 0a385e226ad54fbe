/** The vectors of the file that the program brings with it, as they were when it was trained. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readArtifact } from '../../scripts/embedder/artifact.ts'
import pinned from '../../scripts/embedder/pinned-vectors.json' with { type: 'json' }
import { builtinEmbedderPath } from '../../src/adapters/builtin-embedder-path.ts'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { fileRanges } from '../../src/adapters/file-ranges.ts'
import { InProcessEmbedder } from '../../src/adapters/in-process-embedder.ts'
import { ANALYZER_VERSION } from '../../src/search/analyzer-version.ts'
import { builtinEmbedding } from '../../src/search/builtin-embedding.ts'

const PATH = builtinEmbedderPath ?? ''

async function openEmbedder(): Promise<InProcessEmbedder> {
  const { key, makeReady } = await builtinEmbedding(fileRanges(PATH))
  return new InProcessEmbedder(key, systemClock, makeReady)
}

test('the file is the one that was trained', () => {
  expect(createHash('sha256').update(readFileSync(PATH)).digest('hex')).toBe(pinned.sha256)
})

test('its words are those of the analyzer that is used', () => {
  expect(readArtifact(readFileSync(PATH)).analyzerVersion).toBe(ANALYZER_VERSION)
})

test('its header tells what it holds', async () => {
  const { key } = await openEmbedder()
  const body = createHash('sha256').update(readFileSync(PATH).subarray(128)).digest('hex')
  expect(key).toMatchObject({ dimensions: pinned.width, model: expect.stringContaining(body) })
})

test.each(pinned.vectors)('$text', async ({ text, components }) => {
  const [embedding] = await (await openEmbedder()).embed([text])
  const vector = embedding !== undefined && 'vector' in embedding ? embedding.vector : new Float32Array()
  const found = Object.keys(components ?? {}).map((column) => [column, vector[Number(column)]])
  expect(Object.fromEntries(found)).toEqual(components)
})
