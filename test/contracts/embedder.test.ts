import { embedderAt, inputOf, serverOf, vectorsBy } from '../adapters/embedding-server.ts'
import { failure } from '../adapters/scripted-server.ts'
import { FakeEmbedder, wordVector } from '../fakes/fake-embedder.ts'
import { type EmbedderHarness, embedderContract } from './embedder.contract.ts'

function fakeHarness(embedder: FakeEmbedder): EmbedderHarness {
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

function serverHarness(dimensions: number | null): EmbedderHarness {
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

embedderContract('fake', () => fakeHarness(new FakeEmbedder()))
embedderContract('fake, dimensions configured', () => fakeHarness(new FakeEmbedder({ key: { dimensions: 32 } })))
embedderContract('OpenAI-compatible server', () => serverHarness(null))
embedderContract('OpenAI-compatible server, dimensions configured', () => serverHarness(64))
