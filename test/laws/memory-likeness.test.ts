/** Likeness among many memories: what is found in the packed collection is what looking at all of them finds. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { memoryText } from '../../src/graph/documents.ts'
import { modelName } from '../../src/graph/embedding.ts'
import { exactLikeness, type Likeness } from '../../src/graph/likeness.ts'
import { MemoryDocuments } from '../../src/graph/memory-documents.ts'
import { packedLikeness } from '../../src/graph/packed-likeness.ts'
import { checkedMemory, placeMemory } from '../../src/graph/remember.ts'
import { startSession } from '../../src/graph/sessions.ts'
import { NumberedDocuments } from '../../src/search/numbered-documents.ts'
import { NumberedVectors } from '../../src/search/numbered-vectors.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FakeEmbedder, wordVector } from '../fakes/fake-embedder.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { NASTY_KINDS, nastyTexts } from '../fakes/nasty-texts.ts'
import { RememberingMachine } from '../fakes/remembering.ts'
import { type ScratchGraph, scratchGraph } from '../fakes/scratch-graph.ts'
import { layout } from '../fakes/searched-workspace.ts'

const WIDTH = 8
const TIMEOUT_MS = 120_000
const SESSIONS = ['a', 'b'] as const
const MODELS = ['words', 'former'] as const
const NO_LIKENESS: Likeness = { events: () => [], concepts: () => [] }

interface Remembered {
  readonly kind: 'episodic' | 'semantic'
  readonly session: (typeof SESSIONS)[number]
  readonly concept: string
  readonly content: string
  /** That made its vector; null for none. */
  readonly model: (typeof MODELS)[number] | null
}

const NASTY = NASTY_KINDS.flatMap((kind) => nastyTexts(kind, 3))
const WORDS = [
  'stale',
  'cache',
  'cachedIndex',
  'src/a.ts',
  'the',
  'is',
  'of',
  'deploy',
  'v1.2',
  '索引',
  'これは',
  'tried',
]
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((list) => list.join(' '))
const content = fc.oneof(
  { weight: 8, arbitrary: words },
  { weight: 1, arbitrary: fc.constantFrom(...NASTY).map((text) => `x${text.toWellFormed().replaceAll('\0', '')}`) },
)
const remembered: fc.Arbitrary<Remembered> = fc.record({
  kind: fc.constantFrom('episodic', 'semantic'),
  session: fc.constantFrom(...SESSIONS),
  concept: fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six'),
  content,
  model: fc.constantFrom('words', 'words', 'former', null),
})

/** A text has its vector, or has none, wherever it stands: it is by its text that a vector is kept. */
function place(graph: ScratchGraph, memories: readonly Remembered[]): void {
  const modelOf = new Map<string, Remembered['model']>()
  for (const { kind, session, concept, content, model } of memories) {
    const fields = kind === 'semantic' ? { concept, content } : { content }
    const checked = checkedMemory(graph, { kind, session, fields }, { workingTtlSeconds: 1 })
    const text = memoryText(kind, checked.row)
    if (!modelOf.has(text)) modelOf.set(text, text.trim() === '' ? null : model)
    const made = modelOf.get(text) ?? null
    const embedded = made === null ? null : { vector: wordVector(text, WIDTH), model: `fake:${made}` }
    placeMemory(graph, checked, embedded, NO_LIKENESS)
  }
}

test.each([true, false])(
  'is the same for whatever text, with an embedder: %p',
  (hasEmbedder) => {
    fc.assert(
      fc.property(
        fc.array(remembered, { maxLength: 200, size: 'max' }),
        content,
        fc.boolean(),
        (memories, text, isEmbedded) => {
          const graph = scratchGraph()
          for (const id of SESSIONS) startSession(graph, { id })
          place(graph, memories)
          const ports = {
            files: new MemoryFiles(),
            lock: new MemoryLock(),
            digest,
            clock: new FixedClock(),
            ids: new CountingIds(),
          }
          ports.files.makeFolder('/w')
          const embedder = new FakeEmbedder({ width: WIDTH })
          const model = modelName(embedder.key)
          const documents = new MemoryDocuments(graph.database)
          using search = new NumberedDocuments(ports, { ...layout, index: 'metadata/index/memory' }, documents)
          const options = { embedder, kernel: plainKernel, batchSize: 8 }
          const vectors = hasEmbedder ? new NumberedVectors(ports, layout, options, documents.keptVectors(model)) : null
          if (vectors !== null) search.useVectors(vectors)
          const vector = hasEmbedder && isEmbedded && text.trim() !== '' ? wordVector(text, WIDTH) : null
          const compared = { memoryId: 'new', text, embedded: vector === null ? null : { vector, model } }
          const packed = packedLikeness({ documents, search, vectors, model: hasEmbedder ? model : null })
          const exact = exactLikeness(graph.database)
          expect(packed.concepts(compared)).toEqual(exact.concepts(compared))
          for (const session of SESSIONS)
            expect(packed.events(compared, session)).toEqual(exact.events(compared, session))
        },
      ),
      { numRuns: 25 },
    )
  },
  TIMEOUT_MS,
)

test('among more memories than are looked at, what is in mind activates the most like it all the same', async () => {
  const machine = new RememberingMachine()
  const concepts = Array.from({ length: 1_100 }, (_, n) => ({
    memory_type: 'semantic',
    memory_id: `f${n}`,
    concept: `number ${n}`,
    content: n % 500 === 7 ? 'the mirror is stale' : 'the gateway is slow',
    last_updated: '2026-01-01',
  }))
  machine.files.write('/old.jsonl', concepts.map((concept) => JSON.stringify(concept)).join('\n'))
  await machine.run('memory_migrate', { file: '/old.jsonl' })
  await machine.begin('s')
  await machine.remember('working', { session: 's', memory_id: 'thought', content: 'a stale mirror' })
  await machine.remember('prospective', {
    session: 's',
    memory_id: 'plan',
    intention: 'mirror',
    trigger_condition: 'x',
  })
  await machine.run('memory_trigger', { session: 's', event: 'x' })
  const { records } = await machine.run<{ records: readonly Record<string, string>[] }>('memory_export', {})
  const activated = records.filter(({ relation }) => relation === 'ACTIVATES')
  expect(new Set(activated.map(({ to }) => to))).toEqual(new Set(['f7', 'f507', 'f1007']))
  expect(activated).toHaveLength(6)
})
