import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { openStaticEmbedder } from '../../src/adapters/static-embeddings.ts'
import { embedderAt, inputOf, serverOf, vectorsBy } from '../adapters/embedding-server.ts'
import { failure } from '../adapters/scripted-server.ts'
import { digest } from '../fakes/digest.ts'
import { FakeEmbedder, wordVector } from '../fakes/fake-embedder.ts'
import { writeWordModel } from '../fakes/static-model.ts'
import { type AskingHarness, askingContract, type EmbedderHarness, embedderContract } from './embedder.contract.ts'

function fakeHarness(embedder: FakeEmbedder): AskingHarness {
  return {
    embedder,
    breakDown: () => {
      embedder.outage = () => 'the fake is out of order'
    },
    refuse: (word) => {
      embedder.refusal = (text) => (text.includes(word) ? `it says ${word}` : null)
    },
    cleanUp: () => {},
  }
}

function serverHarness(dimensions: number | null): AskingHarness {
  let isBroken = false
  let refused: string | null = null
  const good = vectorsBy((text) => [...wordVector(text)].map((value) => value * 3))
  const server = serverOf((request) => {
    if (isBroken) return failure(503)(request)
    const word = refused
    const isRefused = word !== null && inputOf(request).some((text) => text.includes(word))
    return isRefused ? failure(400, 'bad text')(request) : good(request)
  })
  return {
    embedder: embedderAt(server.baseUrl, { batchSize: 4, dimensions }).embedder,
    breakDown: () => {
      isBroken = true
    },
    refuse: (word) => {
      refused = word
    },
    cleanUp: () => server[Symbol.dispose](),
  }
}

function staticHarness(): EmbedderHarness {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-static-'))
  const words =
    'one two words a text of several short again half rebuild the search index water flowers another call 0 1 2 3 4 5 6 7 8 9'
  const signs = ['日', '本', '語', '!', '?', 'number', 'first', 'second']
  const model = writeWordModel(folder, [...words.split(' '), ...signs])
  return {
    embedder: openStaticEmbedder({ model, dimensions: null, digest, clock: systemClock }),
    cleanUp: () => rmSync(folder, { recursive: true }),
  }
}

const ASKING: readonly (readonly [string, () => AskingHarness])[] = [
  ['fake', () => fakeHarness(new FakeEmbedder())],
  ['fake, dimensions configured', () => fakeHarness(new FakeEmbedder({ key: { dimensions: 32 } }))],
  ['OpenAI-compatible server', () => serverHarness(null)],
  ['OpenAI-compatible server, dimensions configured', () => serverHarness(64)],
]

for (const [name, open] of ASKING) {
  embedderContract(name, open)
  askingContract(name, open)
}
embedderContract('static model', staticHarness)
