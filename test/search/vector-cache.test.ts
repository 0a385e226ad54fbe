import { expect, test } from 'bun:test'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { textKey } from '../../src/search/text-key.ts'
import { PACKS_MAX, VectorCache } from '../../src/search/vector-cache.ts'
import { VectorShelf } from '../../src/search/vector-shelf.ts'
import { ViewVectors } from '../../src/search/view-vectors.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { wordVector } from '../fakes/fake-embedder.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)

function openCache(): VectorCache {
  const files = new MemoryFiles()
  files.makeFolder('/w')
  const ports = { files, lock: new MemoryLock(), digest, clock: new FixedClock(), ids: new CountingIds() }
  return new VectorCache(new VectorShelf(ports, layout, { backend: 'fake', model: 'words', dimensions: null }))
}

function showing(cache: VectorCache, texts: readonly string[]): ViewVectors {
  const view = new ViewVectors(cache, plainKernel)
  const keys = texts.map((text) => textKey(digest, text))
  view.show({ slotCount: texts.length, keyOf: (slot) => keys[slot] ?? null, pathOf: (slot) => `p/${slot}` })
  return view
}

function rowOf(text: string) {
  return { key: textKey(digest, text), vector: wordVector(text) }
}

const bestIn = (view: ViewVectors, query: string) => view.nearest(wordVector(query), 1).map(({ slot }) => slot)

test('what is made for one view is there for the other at once, and stays although packs are merged and replaced', () => {
  const cache = openCache()
  const texts = Array.from({ length: PACKS_MAX + 8 }, (_, number) => `word${number} text`)
  const view = showing(cache, texts)
  const other = showing(cache, texts.toReversed())
  for (const text of texts) {
    cache.add([rowOf(text)])
    expect(bestIn(other, text)).toEqual([texts.length - 1 - texts.indexOf(text)])
  }
  expect([view.owed, other.owed]).toEqual([[], []])
  cache.compact([...view.keys(), ...other.keys()])
  expect(cache.packCount).toBe(1)
  for (const [slot, text] of texts.entries()) expect(bestIn(view, text)).toEqual([slot])
  expect(bestIn(other, texts[0] ?? '')).toEqual([texts.length - 1])
})

test('a compaction keeps what any of the views shows', () => {
  const cache = openCache()
  const view = showing(cache, ['red', 'both'])
  const other = showing(cache, ['both', 'blue'])
  cache.add(['red', 'both', 'blue', 'gone'].map(rowOf))
  cache.compact([...view.keys(), ...other.keys()])
  expect([view.owed, other.owed]).toEqual([[], []])
  expect(cache.placeOf(textKey(digest, 'gone'))).toBeNull()
})
