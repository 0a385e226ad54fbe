import { describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { EmbedderKey } from '../../src/ports.ts'
import { fileInMemory } from '../../src/search/derived-folder.ts'
import type { PackRow } from '../../src/search/pack-format.ts'
import { textKey } from '../../src/search/text-key.ts'
import { VectorPack } from '../../src/search/vector-pack.ts'
import { VectorShelf } from '../../src/search/vector-shelf.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { wordVector } from '../fakes/fake-embedder.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)
const folder = '/w/metadata/index'
const key: EmbedderKey = { backend: 'fake', model: 'words', dimensions: null }

const LOOSE = { isSynced: false }
const SYNCED = { isSynced: true }

function workspace() {
  const files = new MemoryFiles()
  files.makeFolder('/w')
  const ports = { files, lock: new MemoryLock(), digest, clock: new FixedClock(), ids: new CountingIds() }
  return { files, ports, shelf: new VectorShelf(ports, layout, key) }
}

function vectorOf(text: string) {
  return Float32Array.from(wordVector(text))
}

function rowsOf(...texts: string[]): PackRow[] {
  return texts.map((text) => ({ key: textKey(digest, text), vector: vectorOf(text) }))
}

function packNames(files: MemoryFiles): string[] {
  return (files.names(folder) ?? []).filter((name) => name.endsWith('.knw'))
}

describe('the shelf', () => {
  test('makes its folder, and keeps packs for another process, in the order in which they were made', () => {
    const { ports, shelf } = workspace()
    for (const text of ['a', 'b', 'c']) shelf.publish(rowsOf(text), LOOSE)
    const other = new VectorShelf(ports, layout, key)
    const packs = other.files().map(({ name }) => other.open(name))
    expect(packs.map((pack) => (pack instanceof VectorPack ? pack.vectorAt(0) : pack))).toEqual(
      ['a', 'b', 'c'].map((text) => vectorOf(text)),
    )
    expect(other.files().map(({ number }) => number)).toEqual([1, 2, 3])
  })

  test.each([{ backend: 'other' }, { model: 'other' }, { dimensions: 64 }])(
    'keeps what an embedder with %j made apart, and numbers it with the rest',
    (difference) => {
      const { ports, shelf } = workspace()
      shelf.publish(rowsOf('a'), LOOSE)
      const other = new VectorShelf(ports, layout, { ...key, ...difference })
      other.publish(rowsOf('a'), LOOSE)
      expect(other.files().map(({ isOwn, number }) => [isOwn, number])).toEqual([
        [false, 1],
        [true, 2],
      ])
    },
  )

  test('takes off what it is told to, and nothing else', () => {
    const { shelf } = workspace()
    const [first, ...others] = ['a', 'b', 'c'].map((text) => shelf.publish(rowsOf(text), LOOSE).name)
    shelf.remove(({ name }) => name === first)
    expect(shelf.files().map(({ name }) => name)).toEqual(others.map(String))
  })

  test('never gives a new pack the name of one that was removed', () => {
    const { shelf } = workspace()
    const first = shelf.publish(rowsOf('a'), LOOSE)
    shelf.remove(() => true)
    const second = shelf.publish(rowsOf('b'), LOOSE)
    expect(second.name).not.toBe(first.name)
  })

  test('lets a reader keep the pack that it has open', () => {
    const { shelf } = workspace()
    const { pack } = shelf.publish(rowsOf('a'), LOOSE)
    shelf.remove(() => true)
    expect(pack.vectorAt(0)).toEqual(vectorOf('a'))
  })

  test('syncs a pack before those that it replaces go: after a power cut one of them is there', () => {
    const { shelf, files, ports } = workspace()
    files.write(`${folder}/lock`, '')
    for (const texts of [['a', 'b'], ['a']]) {
      const { name } = shelf.publish(rowsOf(...texts), SYNCED)
      shelf.remove((file) => file.name !== name)
    }
    for (let seed = 0; seed < 20; seed += 1) {
      const left = files.crash({ seed })
      const after = new VectorShelf({ ...ports, files: left }, layout, key)
      const packs = after.files().map(({ name }) => after.open(name))
      expect(packs.some((pack) => pack instanceof VectorPack)).toBe(true)
    }
  })

  test('keeps in memory what it cannot write while another process writes', () => {
    const { shelf, files, ports } = workspace()
    shelf.publish(rowsOf('a'), LOOSE)
    using _ = ports.lock.acquire(`${folder}/lock`)
    const { name, pack } = shelf.publish(rowsOf('b'), SYNCED)
    expect([name, pack.vectorAt(0)]).toEqual([null, vectorOf('b')])
    expect(packNames(files)).toHaveLength(1)
  })

  test.each(['create', 'rename', 'syncFolder', 'openRead'] as const)(
    'keeps in memory what it cannot write because %s fails, and leaves no temporary file',
    (broken) => {
      const { files, ports } = workspace()
      const failing = () => {
        throw new MemoryError('disk_full', 'no space')
      }
      const failingFiles = new Proxy(files, {
        get: (target, name) => (name === broken ? failing : Reflect.get(target, name).bind(target)),
      })
      const shelf = new VectorShelf({ ...ports, files: failingFiles }, layout, key)
      const { name, pack } = shelf.publish(rowsOf('a'), SYNCED)
      expect([name, pack.vectorAt(0)]).toEqual([null, vectorOf('a')])
      expect((files.names(folder) ?? []).filter((name) => name.endsWith('.tmp'))).toEqual([])
    },
  )

  test('removes the others although one stays', () => {
    const { files, ports, shelf } = workspace()
    const kept = shelf.publish(rowsOf('a'), LOOSE).name
    shelf.publish(rowsOf('b'), LOOSE)
    const stubborn = new Proxy(files, {
      get: (target, name) =>
        name === 'remove'
          ? (path: string) => {
              if (path.endsWith(String(kept))) throw new MemoryError('permission_denied', 'open elsewhere')
              target.remove(path)
            }
          : Reflect.get(target, name).bind(target),
    })
    const other = new VectorShelf({ ...ports, files: stubborn }, layout, key)
    other.remove(() => true)
    expect(other.files().map(({ name }) => name)).toEqual([String(kept)])
  })

  test('makes no workspace where none is', () => {
    const { ports } = workspace()
    const elsewhere = new VectorShelf(ports, layoutOf('/missing', WORKSPACE_FOLDERS), key)
    expect(elsewhere.publish(rowsOf('a'), LOOSE).name).toBeNull()
    expect(ports.files.names('/missing')).toBeNull()
  })

  test('follows no link out of the workspace', () => {
    const { files, ports, shelf } = workspace()
    shelf.publish(rowsOf('a'), LOOSE)
    files.rename('/w/metadata', '/elsewhere')
    files.linkTo('/w/metadata', '/elsewhere')
    const other = new VectorShelf(ports, layout, key)
    expect(other.files()).toEqual([])
    expect(other.publish(rowsOf('b'), LOOSE).name).toBeNull()
  })

  test('passes over files with other names, and over a folder that cannot be read', () => {
    const { files, ports, shelf } = workspace()
    const { name } = shelf.publish(rowsOf('a'), LOOSE)
    files.write(`${folder}/${name}.bak`, 'x')
    files.write(`${folder}/vectors-00-1-a.knw`, 'x')
    files.write(`${folder}/base-00000001.knw`, 'x')
    expect(shelf.files().map(({ name }) => name)).toEqual([String(name)])
    const unreadable = new Proxy(files, {
      get: (target, name) =>
        name === 'names'
          ? () => {
              throw new MemoryError('permission_denied', 'no')
            }
          : Reflect.get(target, name).bind(target),
    })
    expect(new VectorShelf({ ...ports, files: unreadable }, layout, key).files()).toEqual([])
  })

  test('takes off what an earlier version made, and only that', () => {
    const { files, ports, shelf } = workspace()
    const { name } = shelf.publish(rowsOf('a'), LOOSE)
    const mine = 'vectors-of-mine.knw'
    for (const view of ['when_to_use', 'when_to_use_content'])
      files.write(`${folder}/vectors-0123456789abcdef-${view}-00000001-0a1.knw`, 'x')
    files.write(`${folder}/${mine}`, 'x')
    expect(shelf.files().map(({ name }) => name)).toEqual([String(name)])
    {
      using _ = ports.lock.acquire(`${folder}/lock`)
      shelf.removeEarlier()
      expect(packNames(files)).toHaveLength(4)
    }
    shelf.removeEarlier()
    expect(packNames(files).sort()).toEqual([String(name), mine])
  })

  test('tells damage for good from what may be read later, and closes the damaged file', () => {
    const { files, ports, shelf } = workspace()
    const name = String(shelf.publish(rowsOf('a'), LOOSE).name)
    files.write(`${folder}/${name}`, 'no pack')
    expect(shelf.open(name)).toBe('damaged')
    expect(shelf.open('gone')).toBeNull()
    files.remove(`${folder}/${name}`)
    files.makeFolder(`${folder}/${name}`)
    expect(shelf.open(name)).toBeNull()
    let closed = 0
    const file = { ...fileInMemory(new Uint8Array(3)), [Symbol.dispose]: () => (closed += 1) }
    const counting = new Proxy(files, {
      get: (target, name) => (name === 'openRead' ? () => file : Reflect.get(target, name).bind(target)),
    })
    expect(new VectorShelf({ ...ports, files: counting }, layout, key).open(name)).toBe('damaged')
    expect(closed).toBe(1)
  })
})
