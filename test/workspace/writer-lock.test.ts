/** Who is told to hold the lock, whenever the other process gets to write its note. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { openForWriting } from '../../src/workspace/workspace.ts'
import { lockForWriting } from '../../src/workspace/writer-lock.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'

const layout = layoutOf('/home/w', WORKSPACE_FOLDERS)
const NOTE = '/home/w/metadata/lock.json'

let files: MemoryFiles
let lock: MemoryLock
beforeEach(() => {
  files = new MemoryFiles()
  lock = new MemoryLock()
  lock.acquire('/home/w/metadata/lock')
})

/** What a second writer is told. */
function refusal(): string {
  const ports = { files, lock, clock: new FixedClock(), ids: new CountingIds() }
  try {
    lockForWriting(ports, layout, { pid: 1, command: 'reindex' })
  } catch (error) {
    expect(error).toMatchObject({ code: 'workspace_locked' })
    return String(error)
  }
  throw new Error('a second writer had the lock')
}

function note(pid: number): void {
  files.write(NOTE, `${JSON.stringify({ pid, command: 'import', since: '2026-01-02T03:04:05.000Z' })}\n`)
}

describe('a locked workspace', () => {
  test('is told at once with the note that is there', () => {
    note(4711)
    expect(refusal()).toContain('written by process 4711 (knowhow import); try again')
    expect(lock.pauses).toEqual([])
  })

  test('is looked at again when the note is not yet there', () => {
    lock.duringPause = () => note(4711)
    expect(refusal()).toContain('written by process 4711 (knowhow import); try again')
    expect(lock.pauses).toEqual([20])
  })

  test('is looked at again when the note is of a process that has ended', () => {
    note(4710)
    lock.ended.add(4710)
    lock.duringPause = () => note(4711)
    expect(refusal()).toContain('written by process 4711 (knowhow import); try again')
  })

  test('names the process of another PID namespace, which looks ended from here', () => {
    note(4711)
    lock.ended.add(4711)
    expect(refusal()).toContain('written by process 4711 (knowhow import); try again')
  })

  test.each([null, 'no JSON', '{}', '{"pid":"4711","command":"import"}', '{"pid":4711}', 'null'])(
    'with the note %p is told without one, after a tenth of a second',
    (text) => {
      if (text !== null) files.write(NOTE, text)
      expect(refusal()).toContain('written by another process; try again')
      expect(lock.pauses.reduce((sum, ms) => sum + ms, 0)).toBe(100)
    },
  )
})

/** A process that takes the lock of `root` when it is told to, says what came of it, and keeps the lock until it is killed. */
function writerAt(root: string) {
  const module = (path: string): string => JSON.stringify(join(import.meta.dir, '../../src', path))
  const program = `
    const { lockForWriting } = await import(${module('workspace/writer-lock.ts')})
    const { layoutOf, WORKSPACE_FOLDERS } = await import(${module('workspace/layout.ts')})
    const { diskFiles: files } = await import(${module('adapters/disk-files.ts')})
    const { sqliteLock: lock } = await import(${module('adapters/sqlite-lock.ts')})
    const { openIds, systemClock: clock } = await import(${module('adapters/clock-and-ids.ts')})
    const layout = layoutOf(${JSON.stringify(root)}, WORKSPACE_FOLDERS)
    const ports = { files, lock, clock, ids: openIds(clock) }
    console.log('ready')
    for await (const _ of console) break
    let words = 'held'
    try {
      lockForWriting(ports, layout, { pid: process.pid, command: 'race' })
    } catch (error) {
      words = error.message
    }
    console.log(words)
    setInterval(() => {}, 1000)`
  const child = Bun.spawn([process.execPath, '-e', program], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  return {
    pid: child.pid,
    line: async () => ((await lines.read()).value ?? '').trim(),
    go: async () => {
      await child.stdin.write('\n')
      await child.stdin.flush()
    },
    end: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

test('a writer whose lock was taken away changes nothing more', () => {
  files.write('/home/w/metadata/lock', '')
  const ports = { files, lock: new MemoryLock(), clock: new FixedClock(), ids: new CountingIds(), digest }
  const writer = { pid: 1, command: 'import' }
  using workspace = openForWriting(ports, layout, writer)
  const log = workspace.ports.files.openAppend('/home/w/log')
  files.remove('/home/w/metadata/lock')
  const locked = expect.objectContaining({ code: 'workspace_locked' })
  expect(() => log.append(new Uint8Array(1))).toThrow(locked)
  expect(() => workspace.ports.files.create('/home/w/new', new Uint8Array())).toThrow(locked)
  files.write('/home/w/metadata/lock', '')
  expect(() => workspace.ports.files.remove('/home/w/log')).toThrow(locked)
  expect(files.stat('/home/w/log')?.bytes).toBe(0)
})

test('of processes that start at once one has the lock, and no other', async () => {
  const root = mkdtempSync(join(tmpdir(), 'knowhow-'))
  mkdirSync(join(root, 'metadata'))
  const writers = Array.from({ length: 4 }, () => writerAt(root))
  try {
    for (const { line } of writers) expect(await line()).toBe('ready')
    await Promise.all(writers.map(({ go }) => go()))
    const words = await Promise.all(writers.map(({ line }) => line()))
    const holder = writers[words.indexOf('held')]
    expect(words.filter((each) => each !== 'held')).toEqual(
      // On a slow disk its note is not there in time.
      Array.from({ length: 3 }, () =>
        expect.stringMatching(new RegExp(`by (?:process ${holder?.pid} \\(knowhow race\\)|another process);`)),
      ),
    )
  } finally {
    await Promise.all(writers.map(({ end }) => end()))
    rmSync(root, { recursive: true })
  }
})
