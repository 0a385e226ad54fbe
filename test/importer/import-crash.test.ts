/** What is left of an import that dies, or that the disk fails, and how it goes on from there. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { LogWriter } from '../../src/workspace/record-log.ts'
import { digest } from '../fakes/digest.ts'
import { type FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { say } from '../fakes/scripted-chat.ts'
import { create, FILE, importInto, machineWithLog, texts } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

describe('a crash', () => {
  const logNamed = (folder: string) => `${ROOT}/metadata/procedure/default/${folder}/run-1.jsonl`
  const linesOf = (folder: string) => machine.files.text(logNamed(folder)).trimEnd().split('\n')

  /** Takes the log back to its first `count` lines, as if the process had died there. */
  function dieAfter(folder: string, count: number): void {
    machine.files.write(logNamed(folder), `${linesOf(folder).slice(0, count).join('\n')}\n`)
  }

  test('between closing message and checkpoint reuses the message and asks nothing again', async () => {
    machine.files.write(FILE, 'one line\n'.repeat(80))
    machine.script(say('kept summary'), say(''), say(''), say(''), say(''))
    await importFile()
    const at = linesOf('processing').findIndex((line) => line.includes('"checkpoint"'))
    expect(linesOf('processing')[at - 1]).toContain('"closing"')
    dieAfter('processing', at)
    const chat = machine.script(say('second'), say('third'))
    expect(await importFile()).toMatchObject({ status: 'complete' })
    expect(chat.requests[0]?.messages.at(-1)?.content).toContain('kept summary')
    expect(chat.requests[0]?.messages.at(-1)?.content).toContain('piece 2')
  })

  test('before the copy was recorded takes the copy that is there, and makes no second one', async () => {
    await importFile()
    dieAfter('imports', 1)
    machine.files.remove(FILE)
    expect(await importFile()).toMatchObject({ status: 'complete' })
    expect(machine.files.tree().filter((path) => path.includes('/trajectories/run'))).toHaveLength(1)
  })

  test('before the copy was made keeps the name reserved', async () => {
    await importFile()
    dieAfter('imports', 1)
    machine.files.remove(`${ROOT}/session/trajectories/run.log`)
    const other = await machine.run<ImportResult>('procedure_import', { files: [FILE], request_id: 'other' })
    expect(other.trajectory).toBe('session/trajectories/run-2.log')
    expect(await importFile()).toMatchObject({ status: 'complete', trajectory: 'session/trajectories/run.log' })
  })

  test('with a write left open has it finished by the next writer, which says so', async () => {
    machine.script(create('kept'), new Error('dies'))
    await expect(importFile()).rejects.toThrow('dies')
    dieAfter('operations', 2)
    machine.files.remove(`${ROOT}/procedures/kept.json`)
    const said: string[] = []
    await machine.run('procedure_reindex', {}, (notice) => said.push(notice))
    expect(said).toEqual([expect.stringContaining('procedures/kept.json')])
    expect(machine.files.stat(`${ROOT}/procedures/kept.json`)).not.toBeNull()
  })

  test('with a write left open that holds a secret has it given up, which is said', async () => {
    machine.script(create('leak', { content: 'Use the token.' }), new Error('dies'))
    await expect(importFile()).rejects.toThrow('dies')
    const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
    const [first = '', second = ''] = linesOf('operations')
    const { sum: _, format, version, ...heading } = JSON.parse(first)
    const { sum: __, ...intent } = JSON.parse(second)
    const text = intent.text.replace('the token', token)
    machine.files.remove(logNamed('operations'))
    using log = LogWriter.open({
      files: machine.files,
      digest,
      path: logNamed('operations'),
      format: { name: format, version },
      heading,
      before: null,
    })
    log.append({ ...intent, text, version: digest.sha256(new TextEncoder().encode(text)) })
    machine.files.remove(`${ROOT}/procedures/leak.json`)
    const said: string[] = []
    await machine.run('procedure_reindex', {}, (notice) => said.push(notice))
    expect(said).toEqual([expect.stringMatching(/leak\.json.*secret/)])
    expect(said.join()).not.toContain(token)
    expect(machine.files.stat(`${ROOT}/procedures/leak.json`)).toBeNull()
  })

  test('with a write that a hand edit overtook tells the model that it was given up', async () => {
    machine.script(create('kept'), new Error('dies'))
    await expect(importFile()).rejects.toThrow('dies')
    dieAfter('operations', 2)
    machine.files.write(`${ROOT}/procedures/kept.json`, JSON.stringify({ ...texts, sources: [] }))
    const chat = machine.script(say('one'), say('two'))
    const result = await importFile()
    expect(chat.requests[0]?.messages.at(-1)?.content).toContain('changed by someone else')
    expect(result.experiences).toEqual([])
  })
})

describe('a full disk', () => {
  test('after the reservation leaves a resumable import', async () => {
    const link = machine.files.link.bind(machine.files)
    machine.files.link = () => {
      throw new MemoryError('disk_full', 'no room')
    }
    expect(await importFile()).toMatchObject({
      status: 'incomplete',
      request_id: 'run-1',
      error: { code: 'disk_full', resumable: true },
    })
    machine.files.link = link
    expect(await importFile()).toMatchObject({ status: 'complete' })
  })

  test('on the second of several files keeps the answer of the first', async () => {
    machine.files.write('/logs/b.log', 'b')
    machine.files.write('/logs/c.log', 'c')
    const openAppend = machine.files.openAppend.bind(machine.files)
    let logs = 0
    machine.files.openAppend = (path) => {
      if (path.includes('/imports/') && ++logs === 2) throw new MemoryError('disk_full', 'no room')
      return openAppend(path)
    }
    expect(await machine.run('procedure_import', { files: [FILE, '/logs/b.log', '/logs/c.log'] })).toMatchObject({
      imports: [
        { status: 'complete' },
        { status: 'failed', file: '/logs/b.log', error: { code: 'disk_full' } },
        { status: 'failed', file: '/logs/c.log', error: { code: 'disk_full' } },
      ],
    })
  })
})

test('what a power cut left half-written in any log is taken off by the next writer, which says so', async () => {
  await importFile()
  const paths = ['imports', 'processing'].map((folder) => `${ROOT}/metadata/procedure/default/${folder}/run-1.jsonl`)
  const before = paths.map((path) => machine.files.text(path))
  for (const path of paths) machine.files.write(path, `${machine.files.text(path)}\u0000\u0000{"half`)
  const said: string[] = []
  await machine.run('procedure_reindex', {}, (notice) => said.push(notice))
  expect(paths.map((path) => machine.files.text(path))).toEqual(before)
  expect(said.filter((notice) => notice.includes('8 bytes'))).toHaveLength(2)
})
