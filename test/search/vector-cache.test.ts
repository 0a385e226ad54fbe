import { describe, expect, test } from 'bun:test'
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
import { keysOfTexts } from '../fakes/text-keys.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)

/** Any number of processes over one workspace: each call opens the cache of one, as it is then. */
function workspace(packBytesMax?: number, files = new MemoryFiles()): (model?: string) => VectorCache {
  files.makeFolder('/w')
  const ports = { files, lock: new MemoryLock(), digest, clock: new FixedClock(), ids: new CountingIds() }
  return (model = 'words') => {
    const cache = new VectorCache(
      new VectorShelf(ports, layout, { backend: 'fake', model, dimensions: null }),
      packBytesMax,
    )
    cache.takeIn()
    return cache
  }
}

function showing(cache: VectorCache, texts: readonly string[]): ViewVectors {
  const view = new ViewVectors(cache, plainKernel)
  view.show({ keys: () => keysOfTexts(texts), pathOf: (slot) => `p/${slot}` })
  return view
}

function hasVector(cache: VectorCache, text: string): boolean {
  return (cache.placesOf(textKey(digest, text))[0] ?? -1) >= 0
}

function rowOf(text: string) {
  return { key: textKey(digest, text), vector: wordVector(text) }
}

const bestIn = (view: ViewVectors, query: string) => view.nearest(wordVector(query), 1).map(({ slot }) => slot)

test('what is made for one view is there for the other at once, and stays although packs are merged and replaced', () => {
  const cache = workspace()()
  const texts = Array.from({ length: PACKS_MAX + 8 }, (_, number) => `word${number} text`)
  const view = showing(cache, texts)
  const other = showing(cache, texts.toReversed())
  for (const text of texts) {
    cache.add([rowOf(text)])
    expect(bestIn(other, text)).toEqual([texts.length - 1 - texts.indexOf(text)])
  }
  expect([view.owed, other.owed]).toEqual([[], []])
  cache.compact([view.keys(), other.keys()])
  expect(cache.packCount).toBe(1)
  for (const [slot, text] of texts.entries()) expect(bestIn(view, text)).toEqual([slot])
  expect(bestIn(other, texts[0] ?? '')).toEqual([texts.length - 1])
})

test('a compaction keeps what any of the views shows', () => {
  const cache = workspace()()
  const view = showing(cache, ['red', 'both'])
  const other = showing(cache, ['both', 'blue'])
  cache.add(['red', 'both', 'blue', 'gone'].map(rowOf))
  cache.compact([view.keys(), other.keys()])
  expect([view.owed, other.owed]).toEqual([[], []])
  expect(hasVector(cache, 'gone')).toBe(false)
})

test('what is too much for one file is merged into several, once', () => {
  // A row of 64 numbers takes 16 + 12 + 10 + 5 * 64 = 358 bytes, so ten go into one pack.
  const open = workspace(3_590)
  const cache = open()
  const texts = Array.from({ length: 25 }, (_, number) => `word${number} text`)
  const view = showing(cache, texts)
  for (const text of texts) cache.add([rowOf(text)])
  cache.compact([view.keys()])
  expect(cache.packCount).toBe(3)
  const { revision } = cache
  cache.compact([view.keys()])
  expect(cache.revision).toBe(revision)
  const other = showing(open(), texts)
  for (const [slot, text] of texts.entries()) expect(bestIn(other, text)).toEqual([slot])
})

test('what was merged outlasts a power cut, whatever of the rest does not', () => {
  const files = new MemoryFiles()
  const open = workspace(3_590, files)
  // The folder itself is there for good.
  files.write('/w/metadata/index/lock', '')
  const cache = open()
  const texts = Array.from({ length: 25 }, (_, number) => `word${number} text`)
  for (const text of texts) cache.add([rowOf(text)])
  cache.add([{ key: textKey(digest, 'refused'), refused: 'no' }])
  cache.compact([...texts, 'refused'].map((text) => textKey(digest, text)))
  for (let seed = 0; seed < 20; seed += 1) {
    const after = workspace(3_590, files.crash({ seed }))()
    expect(texts.filter((text) => !hasVector(after, text))).toEqual([])
    expect(after.refusalOf(textKey(digest, 'refused'))).toBe('no')
  }
})

describe('a refusal', () => {
  const keyOf = (text: string) => textKey(digest, text)
  const refusalOf = (text: string, refused = `no ${text}`) => ({ key: keyOf(text), refused })

  test('is there for another process, beside vectors and alone, and not for another embedder', () => {
    const open = workspace()
    const cache = open()
    cache.add([refusalOf('alone')])
    cache.add([rowOf('red'), refusalOf('beside')])
    for (const each of [cache, open()]) {
      expect(['alone', 'beside', 'red', 'new'].map((text) => each.refusalOf(keyOf(text)))).toEqual([
        'no alone',
        'no beside',
        null,
        null,
      ])
      expect(hasVector(each, 'alone')).toBe(false)
      expect(bestIn(showing(each, ['alone', 'beside', 'red']), 'red')).toEqual([2])
    }
    expect(open('other').refusalOf(keyOf('alone'))).toBeNull()
    expect(open('other').hasRefusals).toBe(false)
  })

  test('gives way to a later vector, and the other way round', () => {
    const open = workspace()
    const cache = open()
    cache.add([rowOf('red'), refusalOf('blue')])
    cache.add([refusalOf('red'), rowOf('blue')])
    for (const each of [cache, open()])
      expect(['red', 'blue'].map((text) => each.refusalOf(keyOf(text)))).toEqual(['no red', null])
  })

  test('that nobody needs goes with a compaction, others stay, whatever else is there', () => {
    const open = workspace()
    const cache = open()
    cache.add([refusalOf('gone'), refusalOf('kept')])
    cache.compact([keyOf('kept')])
    for (const each of [cache, open()])
      expect(['gone', 'kept'].map((text) => each.refusalOf(keyOf(text)))).toEqual([null, 'no kept'])
    expect([cache.packCount, cache.width]).toEqual([1, null])
    cache.compact([])
    expect([cache.packCount, cache.hasRefusals]).toEqual([0, false])
  })

  test('survives a merge of many packs, also of packs without vectors', () => {
    const open = workspace()
    const cache = open()
    const texts = Array.from({ length: PACKS_MAX + 8 }, (_, number) => `word${number}`)
    for (const text of texts) cache.add([refusalOf(text)])
    cache.add([rowOf('red')])
    expect(cache.packCount).toBeLessThanOrEqual(PACKS_MAX)
    for (const each of [cache, open()])
      expect(texts.every((text) => each.refusalOf(keyOf(text)) === `no ${text}`)).toBe(true)
  })

  test('outlives a change of width', () => {
    const cache = workspace()()
    cache.add([rowOf('red'), refusalOf('blue')])
    cache.add([{ key: keyOf('red'), vector: wordVector('red', 16) }])
    cache.useWidth(16)
    expect([cache.refusalOf(keyOf('blue')), hasVector(cache, 'red')]).toEqual(['no blue', true])
  })

  test('that is doubted does not count until it comes again or is trusted', () => {
    const cache = workspace()()
    cache.add([refusalOf('red'), refusalOf('blue')])
    const view = showing(cache, ['red', 'blue'])
    expect(view.owed).toEqual([])
    cache.doubt([keyOf('red'), keyOf('blue')])
    expect(view.owed).toEqual([0, 1])
    cache.add([refusalOf('red', 'still not')])
    expect([view.owed, cache.refusalOf(keyOf('red'))]).toEqual([[1], 'still not'])
    cache.trust()
    expect(view.owed).toEqual([])
  })
})
