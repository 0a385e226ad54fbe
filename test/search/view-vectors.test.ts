import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { EmbedderKey, Kernel } from '../../src/ports.ts'
import { BLOCK_ROWS } from '../../src/search/pack-format.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { textKey } from '../../src/search/text-key.ts'
import { PACKS_MAX } from '../../src/search/vector-cache.ts'
import { VectorShelf } from '../../src/search/vector-shelf.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { randomNumbers, randomUnitVector } from '../fakes/random-vectors.ts'
import { keysOfTexts } from '../fakes/text-keys.ts'
import { ViewProcess } from '../fakes/view-process.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)
const folder = '/w/metadata/index'
const keyOfEmbedder: EmbedderKey = { backend: 'fake', model: 'words', dimensions: null }
const wasmKernel = new WasmKernel(plainKernel)
const WIDTH = 24

/** What the embedder gives for a text; `same…` texts all get one vector. */
function vectorOf(text: string, width = WIDTH): Float32Array<ArrayBuffer> {
  const seed = text.startsWith('same') ? 1 : digest.crc32(new TextEncoder().encode(text))
  return randomUnitVector(width, randomNumbers(seed))
}

function rowsOf(texts: readonly string[], width = WIDTH) {
  return texts.map((text) => ({ key: textKey(digest, text), vector: vectorOf(text, width) }))
}

/** One workspace, and any number of processes that look at it. */
function workspace(kernel: Kernel = plainKernel) {
  const files = new MemoryFiles()
  files.makeFolder('/w')
  const ports = { files, lock: new MemoryLock(), digest, clock: new FixedClock(), ids: new CountingIds() }
  const open = (key = keyOfEmbedder) => new ViewProcess(new VectorShelf(ports, layout, key), kernel)
  const packNames = () => (files.names(folder) ?? []).filter((name) => name.endsWith('.knw')).sort()
  return { files, ports, open, packNames }
}

/** Slots of the texts, null for one that does not count; paths in another order than slots. */
function textsOf(texts: readonly (string | null)[]) {
  return { keys: () => keysOfTexts(texts), pathOf }
}

function pathOf(slot: number): string {
  return `p/${String((slot * 37) % 101).padStart(3, '0')}`
}

/** Every cosine in f64, all sorted. */
function naiveNearest(
  texts: ReadonlyMap<number, string>,
  query: Float32Array,
  limit: number,
  vectorFor: (text: string) => Float32Array = vectorOf,
) {
  return [...texts]
    .map(([slot, text]) => {
      let score = 0
      for (const [column, value] of vectorFor(text).entries()) score += value * (query[column] ?? 0)
      return { slot, path: pathOf(slot), score }
    })
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
}

const text = fc.oneof(
  fc.constantFrom('same 1', 'same 2', 'same 3'),
  fc.nat(12).map((number) => `text ${number}`),
)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('edit'), slot: fc.nat(19), text: fc.option(text) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('embed'), count: fc.integer({ min: 1, max: 6 }), locked: fc.boolean() }),
  },
  fc.record({ kind: fc.constant('compact'), locked: fc.boolean() }),
  fc.record({ kind: fc.constant('restart') }),
  fc.record({ kind: fc.constant('damage'), pack: fc.nat(), at: fc.nat(), cuts: fc.boolean() }),
  fc.record({ kind: fc.constant('delete'), pack: fc.nat() }),
)

const KERNELS = [
  ['plain', plainKernel],
  ['WASM', wasmKernel],
  ['WASM, in several matrices,', new WasmKernel(plainKernel, 600)],
] as const

describe.each(KERNELS)('by the %s kernel, after any history', (_, kernel) => {
  test('the nearest documents are those of computing every cosine, in any of several processes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2), step), { maxLength: 40 }),
        fc.nat(),
        fc.integer({ min: 1, max: 25 }),
        (steps, seed, limit) => {
          const { files, ports, open, packNames } = workspace(kernel)
          const processes = [open(), open(), open()]
          const texts = new Map<number, string>()
          let isTouched = false
          const query = randomUnitVector(WIDTH, randomNumbers(seed))
          for (const [number, action] of steps) {
            let process = processes[number] ?? open()
            const shown = () => Array.from({ length: 20 }, (_, slot) => texts.get(slot) ?? null)
            if (action.kind === 'edit' && 'slot' in action) {
              if (action.text === null) texts.delete(action.slot)
              else texts.set(action.slot, action.text)
            }
            if (action.kind === 'restart') {
              process[Symbol.dispose]()
              process = open()
              processes[number] = process
            }
            if ('pack' in action) {
              const names = packNames()
              const path = `${folder}/${names[action.pack % names.length]}`
              const bytes = names.length === 0 ? null : files.read(path)
              isTouched ||= bytes !== null
              if (bytes !== null && action.kind === 'delete') files.remove(path)
              else if (bytes !== null && 'cuts' in action) {
                const at = action.at % Math.max(1, bytes.length)
                bytes[at] = (bytes[at] ?? 0) ^ 0x10
                files.write(path, action.cuts ? bytes.slice(0, at) : bytes)
              }
            }
            process.show(textsOf(shown()))
            if ('locked' in action) {
              isTouched ||= action.locked
              using _ = action.locked ? ports.lock.acquire(`${folder}/lock`) : null
              if (action.kind === 'compact') process.compact()
              else if ('count' in action) {
                const owed = process.owed.slice(0, action.count).map((slot) => texts.get(slot) ?? '')
                process.add(rowsOf([...new Set(owed)]))
                if (!isTouched)
                  for (const text of owed) expect(process.owed.map((slot) => texts.get(slot))).not.toContain(text)
              }
            }
            // What is damaged is found by looking: afterwards it is owed.
            const found = process.nearest(query, limit)
            const owed = new Set(process.owed)
            const held = new Map([...texts].filter(([slot]) => !owed.has(slot)))
            expect(process.count).toBe(held.size)
            expect(process.owed).toEqual([...texts.keys()].filter((slot) => owed.has(slot)).sort((a, b) => a - b))
            expect(found).toEqual(naiveNearest(held, query, limit))
            expect(process.nearest(query, limit)).toEqual(found)
          }
          // With nothing damaged and nobody in the way, every process knows what any of them has made.
          if (!isTouched) {
            const owed = processes.map((process) => {
              process.show(textsOf(Array.from({ length: 20 }, (_, slot) => texts.get(slot) ?? null)))
              return process.owed
            })
            const fresh = open()
            fresh.show(textsOf(Array.from({ length: 20 }, (_, slot) => texts.get(slot) ?? null)))
            for (const each of owed) expect(fresh.owed).toEqual(expect.arrayContaining([...each]))
            fresh[Symbol.dispose]()
          }
          for (const process of processes) process[Symbol.dispose]()
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe.each([
  ['plain', plainKernel],
  ['WASM', wasmKernel],
  ['WASM, in several matrices,', new WasmKernel(plainKernel, 100_000)],
] as const)('of many blocks by the %s kernel', (_, kernel) => {
  /** A window of 2^18 bytes takes one block of them. */
  const width = 1024
  const texts = Array.from({ length: 2 * BLOCK_ROWS + 40 }, (_, number) => `text ${number}`)
  const rows = new Map(rowsOf([...texts, 'new'], width).map((row, at) => [texts[at] ?? 'new', row]))
  const wideRowsOf = (wanted: readonly string[]) => wanted.flatMap((text) => rows.get(text) ?? [])
  const nearestOf = (held: ReadonlyMap<number, string>, query: string) => {
    const vector = vectorOf(query, width)
    return naiveNearest(held, vector, 20, (text) => rows.get(text)?.vector ?? vector)
  }

  test.each<[string, (number: number) => boolean]>([
    ['all', () => true],
    ['the first half', (number) => number < 300],
    ['the second half', (number) => number >= 300],
    ['every other', (number) => number % 2 === 0],
    ['all but one', (number) => number !== 100],
    ['runs', (number) => number % 50 > 20],
  ])('a view that has %s of a pack’s texts finds the nearest of them', (_, isShown) => {
    const { open } = workspace(kernel)
    const maker = open()
    maker.add(wideRowsOf(texts))
    maker.add(wideRowsOf(['text 7', 'new']))
    const process = open()
    const shown = [...texts.map((text, number) => (isShown(number) ? text : null)), 'new', 'text 3', 'text 299']
    process.show(textsOf(shown))
    expect(process.owed).toEqual([])
    const held = new Map(shown.flatMap((text, slot) => (text === null ? [] : [[slot, text] as const])))
    // By a window at first, then by all rows.
    for (const query of ['text 299', 'text 550', 'new'])
      expect(process.nearest(vectorOf(query, width), 20)).toEqual(nearestOf(held, query))
  })

  test('damaged levels cost their block alone', () => {
    const { open, files, packNames } = workspace(kernel)
    const maker = open()
    maker.show(textsOf(texts))
    maker.add(wideRowsOf(texts))
    maker.compact()
    const path = `${folder}/${packNames()[0]}`
    const bytes = files.read(path) ?? new Uint8Array()
    // Behind the levels lie the vectors and less than 200 bytes.
    const vectorsStart = bytes.length - texts.length * width * 4 - 200
    const at = vectorsStart - (texts.length - BLOCK_ROWS - 10) * width
    bytes[at] = (bytes[at] ?? 0) ^ 1
    files.write(path, bytes)
    const process = open()
    process.show(textsOf(texts))
    const found = process.nearest(vectorOf('text 3', width), 20)
    expect(process.owed).toEqual(Array.from({ length: BLOCK_ROWS }, (_, row) => BLOCK_ROWS + row))
    const held = new Map(texts.map((text, slot) => [slot, text] as const))
    for (const slot of process.owed) held.delete(slot)
    expect(found).toEqual(nearestOf(held, 'text 3'))
    process.add(wideRowsOf(process.owed.map((slot) => texts[slot] ?? '')))
    expect([process.count, process.owed]).toEqual([texts.length, []])
    process.compact()
    const fresh = open()
    fresh.show(textsOf(texts))
    fresh.dropDamaged()
    expect([fresh.owed, packNames().length]).toEqual([[], 1])
  })
})

describe('a view’s vectors', () => {
  test('that one process makes are there for another at its next show, and owed by none', () => {
    const { open } = workspace()
    const [one, other] = [open(), open()]
    for (const process of [one, other]) process.show(textsOf(['a', 'b']))
    expect([one.owed, one.width, one.nearest(vectorOf('a'), 5)]).toEqual([[0, 1], null, []])
    one.add(rowsOf(['a', 'b']))
    other.show(textsOf(['b', null, 'a']))
    expect([other.owed, other.count, other.width]).toEqual([[], 2, WIDTH])
    expect(other.nearest(vectorOf('a'), 1).map(({ slot }) => slot)).toEqual([2])
  })

  test('serve every document that shares the text', () => {
    const { open } = workspace()
    const process = open()
    process.show(textsOf(['a', 'b', 'a']))
    process.add(rowsOf(['a']))
    expect([process.count, process.owed]).toEqual([2, [1]])
  })

  test('that documents share rank these by path, and among those of other texts with the same vector', () => {
    const { open } = workspace()
    const process = open()
    const texts = ['same 1', 'far', 'same 2', 'same 1', 'same 2', 'same 1', 'far']
    process.show(textsOf(texts))
    process.add(rowsOf(['same 2', 'far', 'same 1']))
    const held = new Map(texts.map((text, slot) => [slot, text] as const))
    for (let limit = 1; limit <= 8; limit += 1)
      expect(process.nearest(vectorOf('same'), limit)).toEqual(naiveNearest(held, vectorOf('same'), limit))
  })

  test('stay although another process replaces or removes their files', () => {
    const { open, files, packNames } = workspace()
    const [one, other] = [open(), open()]
    for (const text of ['a', 'b', 'c']) {
      one.show(textsOf(['a', 'b', 'c']))
      one.add(rowsOf([text]))
    }
    other.show(textsOf(['a', 'b']))
    other.compact()
    expect(packNames()).toHaveLength(1)
    one.show(textsOf(['a', 'b', 'c']))
    expect([one.owed, one.count]).toEqual([[], 3])
    for (const name of packNames()) files.remove(`${folder}/${name}`)
    one.show(textsOf(['a', 'b', 'c']))
    expect([one.owed, one.nearest(vectorOf('c'), 1)[0]?.slot]).toEqual([[], 2])
    one.compact()
    const fresh = open()
    fresh.show(textsOf(['a', 'b', 'c']))
    expect(fresh.owed).toEqual([])
  })

  test('do not keep files open that another process has replaced', () => {
    const { open, files, ports } = workspace()
    let openCount = 0
    const counting = new Proxy(files, {
      get: (target, name) =>
        name === 'openRead'
          ? (path: string) => {
              const file = target.openRead(path)
              if (file === null) return null
              openCount += 1
              return { ...file, [Symbol.dispose]: () => (openCount -= 1) }
            }
          : Reflect.get(target, name).bind(target),
    })
    const one = new ViewProcess(new VectorShelf({ ...ports, files: counting }, layout, keyOfEmbedder), plainKernel)
    const other = open()
    const texts = Array.from({ length: 20 }, (_, number) => `text ${number}`)
    for (const text of texts) {
      other.show(textsOf(texts))
      other.add(rowsOf([text]))
      other.compact()
      one.show(textsOf(texts))
      expect(openCount).toBeLessThanOrEqual(2)
    }
    one.add(rowsOf(['new']))
    one.compact()
    expect(openCount).toBe(1)
    one[Symbol.dispose]()
    expect(openCount).toBe(0)
  })

  test('lie in few files however many times some were made', () => {
    const { open, packNames } = workspace()
    const process = open()
    const texts = Array.from({ length: 200 }, (_, number) => `text ${number}`)
    process.show(textsOf(texts))
    for (const text of texts) {
      process.add(rowsOf([text]))
      expect(packNames().length).toBeLessThanOrEqual(PACKS_MAX)
    }
    expect(process.owed).toEqual([])
    const fresh = open()
    fresh.show(textsOf(texts))
    expect(fresh.owed).toEqual([])
  })

  test('of texts that are not shown survive a merge, and go when the view is compacted', () => {
    const { open } = workspace()
    const process = open()
    process.show(textsOf(['gone']))
    process.add(rowsOf(['gone']))
    const texts = Array.from({ length: 40 }, (_, number) => `text ${number}`)
    process.show(textsOf(texts))
    for (const text of texts) process.add(rowsOf([text]))
    process.show(textsOf(['gone']))
    expect(process.owed).toEqual([])
    process.show(textsOf(texts))
    process.compact()
    process.show(textsOf(['gone', ...texts]))
    expect(process.owed).toEqual([0])
  })

  test('of a pack that another process just made outlive a compaction that does not know it', () => {
    const { open } = workspace()
    const [one, other] = [open(), open()]
    for (const process of [one, other]) process.show(textsOf(['a', 'b']))
    one.add(rowsOf(['a']))
    other.add(rowsOf(['b']))
    one.compact()
    const fresh = open()
    fresh.show(textsOf(['a', 'b']))
    expect(fresh.owed).toEqual([])
  })

  test('leave nothing behind when no text is left', () => {
    const { open, packNames } = workspace()
    const process = open()
    process.show(textsOf(['a']))
    process.add(rowsOf(['a']))
    process.show(textsOf([]))
    process.compact()
    expect([packNames(), process.width, process.count]).toEqual([[], null, 0])
    process.show(textsOf(['b']))
    process.add(rowsOf(['b'], 8))
    expect([process.width, process.count]).toEqual([8, 1])
  })

  test('are not written anew when there is nothing to drop', () => {
    const { open, packNames } = workspace()
    const process = open()
    process.show(textsOf(['a', 'b']))
    process.add(rowsOf(['a', 'b']))
    const before = packNames()
    process.compact()
    expect(packNames()).toEqual(before)
  })

  test('that could not be written are written by the next compaction that can', () => {
    const { open, ports } = workspace()
    const process = open()
    process.show(textsOf(['a']))
    {
      using _ = ports.lock.acquire(`${folder}/lock`)
      process.add(rowsOf(['a']))
    }
    expect([process.isStored, process.owed]).toEqual([false, []])
    process.compact()
    expect(process.isStored).toBe(true)
    const fresh = open()
    fresh.show(textsOf(['a']))
    expect(fresh.owed).toEqual([])
  })
})

test('a compaction that finds one pack of another embedder writes the one that is in memory', () => {
  const { open, ports } = workspace()
  const before = open({ ...keyOfEmbedder, model: 'other' })
  before.show(textsOf(['a']))
  before.add(rowsOf(['a']))
  const process = open()
  process.show(textsOf(['a']))
  {
    using _ = ports.lock.acquire(`${folder}/lock`)
    process.add(rowsOf(['a']))
  }
  process.compact()
  expect([process.isStored, process.isAnothers]).toEqual([true, false])
})

describe('vectors of another width', () => {
  test('never count beside those that were there first, until they are chosen', () => {
    const { open } = workspace()
    const process = open()
    process.show(textsOf(['a', 'b']))
    process.add(rowsOf(['a']))
    process.add(rowsOf(['b'], 8))
    expect([process.width, process.owed]).toEqual([WIDTH, [1]])
    expect(process.nearest(vectorOf('b', 8), 5)).toEqual([])
    const fresh = open()
    fresh.show(textsOf(['a', 'b']))
    expect([fresh.width, fresh.owed]).toEqual([WIDTH, [1]])
    fresh.useWidth(8)
    expect([fresh.width, fresh.owed]).toEqual([8, [0]])
    expect(fresh.nearest(vectorOf('b', 8), 5).map(({ slot }) => slot)).toEqual([1])
    expect(fresh.nearest(vectorOf('a'), 5)).toEqual([])
  })

  test('are kept by a merge of many packs, which a change cut short may have left', () => {
    const { open } = workspace()
    const process = open()
    const texts = Array.from({ length: 40 }, (_, number) => `text ${number}`)
    process.show(textsOf(texts))
    process.add(rowsOf(texts.slice(0, 1)))
    process.add(rowsOf(texts.slice(1, 2), 8))
    for (const text of texts) process.add(rowsOf([text]))
    process.useWidth(8)
    expect(process.count).toBe(1)
  })
})

describe('another embedder’s vectors', () => {
  const other: EmbedderKey = { ...keyOfEmbedder, model: 'other' }

  test('rule until this one’s are made, and are then dropped; half of them do not count as made', () => {
    const { open, packNames } = workspace()
    const before = open()
    before.show(textsOf(['a', 'b']))
    before.add(rowsOf(['a', 'b']))
    const after = open(other)
    after.show(textsOf(['a', 'b']))
    expect([after.isAnothers, after.owed]).toEqual([true, [0, 1]])
    after.add(rowsOf(['a']))
    for (const each of [after, open(other)]) {
      each.show(textsOf(['a', 'b']))
      expect([each.isAnothers, each.owed]).toEqual([true, [1]])
    }
    before.show(textsOf(['a', 'b']))
    expect([before.isAnothers, before.count]).toEqual([false, 2])
    after.add(rowsOf(['b']))
    after.compact()
    expect([after.isAnothers, packNames().length]).toEqual([false, 1])
    before.show(textsOf(['a', 'b']))
    expect(before.isAnothers).toBe(true)
  })

  test('are dropped even when there is no text', () => {
    const { open, packNames } = workspace()
    const before = open()
    before.show(textsOf(['a']))
    before.add(rowsOf(['a']))
    const after = open(other)
    after.show(textsOf([]))
    after.compact()
    expect([after.isAnothers, packNames()]).toEqual([false, []])
  })
})

describe('damage', () => {
  const texts = ['a', 'b', 'c']

  test('anywhere in a file costs vectors at most, which are owed again', () => {
    const length = (() => {
      const { open, files, packNames } = workspace()
      const process = open()
      process.show(textsOf(texts))
      process.add(rowsOf(texts))
      return files.stat(`${folder}/${packNames()[0]}`)?.bytes ?? 0
    })()
    expect(length).toBeGreaterThan(400)
    const held = new Map(texts.map((text, slot) => [slot, text]))
    for (let at = 0; at < length; at += 1)
      for (const damage of ['flip', 'cut', 'zeros'] as const) {
        const { open, files, packNames } = workspace()
        const maker = open()
        maker.show(textsOf(texts))
        maker.add(rowsOf(texts))
        const path = `${folder}/${packNames()[0]}`
        const bytes = files.read(path) ?? new Uint8Array()
        if (damage === 'flip') bytes[at] = (bytes[at] ?? 0) ^ 1
        if (damage === 'zeros') bytes.fill(0, at)
        files.write(path, damage === 'cut' ? bytes.slice(0, at) : bytes)
        const process = open()
        process.show(textsOf(texts))
        const found = process.nearest(vectorOf('a'), 5)
        const owed = new Set(process.owed)
        const left = new Map([...held].filter(([slot]) => !owed.has(slot)))
        expect(found).toEqual(naiveNearest(left, vectorOf('a'), 5))
        // Keys, their table and what belongs to the rows take 168 bytes, the levels 3 × 32; the vectors end at 552.
        expect(left.size).toBeGreaterThanOrEqual(damage === 'flip' && at >= 264 && at < 552 ? 2 : 0)
        process.add(rowsOf([...owed].map((slot) => texts[slot] ?? '')))
        const fresh = open()
        fresh.show(textsOf(texts))
        fresh.dropDamaged()
        expect(fresh.owed).toEqual([])
        fresh.compact()
        expect(packNames()).toHaveLength(1)
        expect(fresh.nearest(vectorOf('a'), 5)).toEqual(naiveNearest(held, vectorOf('a'), 5))
      }
  })

  test('of one vector costs that one, and is found by whoever reads them all', () => {
    const { open, files, packNames } = workspace()
    const maker = open()
    maker.show(textsOf(texts))
    maker.add(rowsOf(texts))
    const path = `${folder}/${packNames()[0]}`
    const bytes = files.read(path) ?? new Uint8Array()
    const at = bytes.findLastIndex((_, at) => at < bytes.length - 16 - 80 - WIDTH * 4)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    files.write(path, bytes)
    const process = open()
    process.show(textsOf(texts))
    expect(process.owed).toEqual([])
    process.dropDamaged()
    expect(process.owed).toHaveLength(1)
  })

  test('of many vectors is found in one go', () => {
    let filled = 0
    const counting: Kernel = {
      rowsMax: plainKernel.rowsMax,
      openInt8Matrix: (rowCount, width) => {
        filled += 1
        return plainKernel.openInt8Matrix(rowCount, width)
      },
    }
    const { open, files, packNames } = workspace(counting)
    const maker = open()
    const many = Array.from({ length: 50 }, (_, number) => `text ${number}`)
    maker.show(textsOf(many))
    maker.add(rowsOf(many))
    const path = `${folder}/${packNames()[0]}`
    const bytes = files.read(path) ?? new Uint8Array()
    files.write(path, bytes.fill(0, bytes.length - 40 * WIDTH * 4, bytes.length - 100))
    const process = open()
    process.show(textsOf(many))
    process.nearest(vectorOf('text 49'), 5)
    expect(process.owed.length).toBeGreaterThan(35)
    expect(filled).toBe(2)
  })

  test('that is there at one time and gone the next ends no search in a loop', () => {
    const { open, files, ports } = workspace()
    const maker = open()
    maker.show(textsOf(texts))
    maker.add(rowsOf(texts))
    let reads = 0
    const flickering = new Proxy(files, {
      get: (target, name) =>
        name === 'openRead'
          ? (path: string) => {
              const file = target.openRead(path)
              if (file === null) return null
              const readInto = (position: number, target: Uint8Array) => {
                reads += target.length === WIDTH * 4 ? 1 : 0
                if (target.length === WIDTH * 4 && reads % 4 === 1) throw new MemoryError('io_failed', 'not now')
                file.readInto(position, target)
              }
              return { ...file, readInto }
            }
          : Reflect.get(target, name).bind(target),
    })
    const shelf = new VectorShelf({ ...ports, files: flickering }, layout, keyOfEmbedder)
    const process = new ViewProcess(shelf, plainKernel)
    process.show(textsOf(texts))
    const found = process.nearest(vectorOf('a'), 5)
    expect(found.length + process.owed.length).toBe(3)
    expect(process.owed.length).toBeGreaterThan(0)
  })

  test('of a file does not have it read again at every show', () => {
    const { open, files, packNames, ports } = workspace()
    const maker = open()
    maker.show(textsOf(texts))
    maker.add(rowsOf(texts))
    files.write(`${folder}/${packNames()[0]}`, 'no pack')
    let opened = 0
    const counting = new Proxy(files, {
      get: (target, name) => {
        if (name === 'openRead') opened += 1
        return Reflect.get(target, name).bind(target)
      },
    })
    const process = new ViewProcess(new VectorShelf({ ...ports, files: counting }, layout, keyOfEmbedder), plainKernel)
    for (let times = 0; times < 3; times += 1) process.show(textsOf(texts))
    expect([opened, process.owed]).toEqual([1, [0, 1, 2]])
  })
})

test('memory for all rows is opened by the second search, once for searches between which nothing changes', () => {
  const opened: number[] = []
  const counting: Kernel = {
    rowsMax: plainKernel.rowsMax,
    openInt8Matrix: (rowCount, width) => {
      opened.push(rowCount)
      return plainKernel.openInt8Matrix(rowCount, width)
    },
  }
  const { open } = workspace(counting)
  const process = open()
  // A window of 2^18 bytes takes 64 rows of 4,096 numbers, and never less than a block.
  const texts = Array.from({ length: BLOCK_ROWS + 1 }, (_, number) => `text ${number}`)
  process.add(rowsOf(texts, 4096))
  for (let times = 0; times < 4; times += 1) {
    process.show(textsOf(texts))
    expect(process.nearest(vectorOf('text 7', 4096), 1).map(({ slot }) => slot)).toEqual([7])
  }
  expect(opened).toEqual([BLOCK_ROWS, texts.length])
  process.show(textsOf(texts.toReversed()))
  expect(process.nearest(vectorOf('text 7', 4096), 1).map(({ slot }) => slot)).toEqual([texts.length - 8])
  expect(opened).toHaveLength(2)
  process.show(textsOf(texts.slice(1)))
  for (let times = 0; times < 3; times += 1)
    expect(process.nearest(vectorOf('text 7', 4096), 1).map(({ slot }) => slot)).toEqual([6])
  expect(opened).toEqual([BLOCK_ROWS, texts.length, BLOCK_ROWS])
})
