/** Logs of imports that cannot be read, cannot be true, or are none: they are named, and stop nothing else. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { digest } from '../fakes/digest.ts'
import { type FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { type LogLine, rewriteLog } from '../fakes/rewritten-log.ts'
import { say } from '../fakes/scripted-chat.ts'
import { create, FILE, importInto, machineWithLog } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

test('one import log that cannot be read keeps no other import from beginning', async () => {
  machine.script(say('one'), say('two'), say('three'), say('four'))
  await importFile()
  machine.watcher = ({ name, path }) => {
    const isRead = name === 'read' || name === 'openRead' || name === 'openAppend'
    if (isRead && path.endsWith('/imports/run-1.jsonl'))
      throw new MemoryError('permission_denied', 'it may not be read')
  }
  expect(await importFile({ request_id: 'run-2' })).toMatchObject({ status: 'complete' })
})

describe('a damaged log', () => {
  beforeEach(async () => {
    machine.script(create('kept'), say('done'), say('done'))
    await importFile({ request_id: 'old' })
    for (const folder of ['imports', 'operations']) {
      const path = `${ROOT}/metadata/procedure/default/${folder}/old.jsonl`
      machine.files.write(path, machine.files.text(path).replace('"at"', '"ax"'))
    }
    machine.script()
  })

  test('of one import is named, and stops nothing else', async () => {
    const said: string[] = []
    const input = { files: [FILE], request_id: 'new', extractor: 'offline' }
    expect(await machine.run('procedure_import', input, (notice) => said.push(notice))).toMatchObject({
      status: 'complete',
    })
    expect(said.join()).toContain('operations/old.jsonl')
    const damaged = [{ path: expect.stringContaining('imports/old.jsonl'), error: expect.stringContaining('line 1') }]
    damaged.push({
      path: expect.stringContaining('operations/old.jsonl'),
      error: expect.stringContaining('line 2'),
    })
    expect(await machine.run('procedure_imports', {})).toMatchObject({ imports: [{ request_id: 'new' }], damaged })
    expect(await machine.run('status', {})).toMatchObject({ damaged })
  })

  test('keeps its name reserved while the first line can be read', async () => {
    const path = `${ROOT}/metadata/procedure/default/imports/old.jsonl`
    machine.files.remove(`${ROOT}/session/trajectories/run.log`)
    const { trajectory } = await importFile({ request_id: 'new', extractor: 'offline' })
    expect(machine.files.text(path)).toContain('"ax"')
    expect(trajectory).toBe('session/trajectories/run-2.log')
  })

  test('refuses its own import', async () => {
    await expect(importFile({ request_id: 'old' })).rejects.toMatchObject({ code: 'log_corrupt' })
  })
})

describe('a log whose checksums hold and whose records cannot be true', () => {
  const FOLDER = `${ROOT}/metadata/procedure/default`
  const SOURCE = 'session/trajectories/run.log'

  beforeEach(async () => {
    machine.files.write(FILE, 'one line\n'.repeat(80))
    await importFile({ extractor: 'offline', request_id: 'done' })
  })

  /** The log of `done`, changed and under its own sums, as that of run-1. */
  function forge(folder: string, change: (lines: LogLine[]) => readonly LogLine[]): void {
    const [from, to] = ['done', 'run-1'].map((id) => `${FOLDER}/${folder}/${id}.jsonl`)
    const renamed = ([first, ...records]: LogLine[]) => change([{ ...first, request_id: 'run-1' }, ...records])
    rewriteLog(machine.files, from ?? '', renamed, to)
  }

  const heading =
    (changes: LogLine) =>
    ([first]: LogLine[]) => [{ ...first, ...changes }]
  const resume = () => machine.run<ImportResult>('procedure_import', { resume: 'run-1' })

  test.each([
    ['trajectory', '../../secret.txt'],
    ['trajectory', '/secret.txt'],
    ['trajectory', 'session/trajectories/../../../secret.txt'],
    ['trajectory', 'session/trajectories/nul'],
    ['trajectory', 'session/trajectories/.git'],
    ['trajectory', 'procedures/evil.json'],
    ['trajectory', 'metadata/lock.json'],
    ['trajectory', 'knowhow.json'],
    ['trajectory', ''],
    ['trajectory', null],
    ['name', '../run.log'],
    ['source', 'run.log'],
    ['sha256', ''],
    ['bytes', -1],
    ['request_id', 'other'],
    ['request_id', '\u001b[2J'],
  ])('is corrupt, with its line: %s %j', async (field, value) => {
    forge('imports', heading({ [field]: value }))
    const before = machine.files.tree()
    await expect(resume()).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringMatching(/imports\/run-1\.jsonl, line 1: /),
    })
    expect(machine.files.tree()).toEqual(before)
    const damaged = [{ path: expect.stringContaining('imports/run-1.jsonl') }]
    expect(await machine.run('procedure_imports', {})).toMatchObject({ imports: [{}], damaged })
    expect(await machine.run('status', {})).toMatchObject({ damaged })
  })

  const isCompleted = ({ kind }: LogLine) => kind === 'completed'
  const own = ([first = {}, ...records]: readonly LogLine[]) => [
    first,
    ...records.map((line) =>
      isCompleted(line) ? { ...line, result: { ...(line.result as object), request_id: 'run-1' } } : line,
    ),
  ]
  const withResult = (changes: LogLine) => (lines: LogLine[]) =>
    own(lines).map((line) =>
      isCompleted(line) ? { ...line, result: { ...(line.result as object), ...changes } } : line,
    )

  test.each<[string, (lines: LogLine[]) => readonly LogLine[], number]>([
    ['a result of another import', withResult({ request_id: 'other' }), 4],
    ['a result that is not complete', withResult({ status: 'incomplete' }), 4],
    ['a result with another original', withResult({ trajectory: 'session/trajectories/other.log' }), 4],
    ['a result with another checksum', withResult({ sha256: 'f'.repeat(64) }), 4],
    ['a completion first', (lines) => [...lines.slice(0, 1), ...lines.slice(3), ...lines.slice(1, 2)], 2],
    ['a copy behind the completion', (lines) => [...own(lines), { ...lines[1] }], 5],
  ])('is corrupt and named: %s', async (_, change, line) => {
    forge('imports', change)
    const message = expect.stringContaining(`imports/run-1.jsonl, line ${line}: `)
    await expect(resume()).rejects.toMatchObject({ code: 'log_corrupt', message })
    expect(await machine.run('status', {})).toMatchObject({ imports: { complete: 1 }, damaged: [{ error: message }] })
  })

  test('but agree with one another is complete', async () => {
    forge('imports', own)
    expect(await resume()).toMatchObject({ status: 'complete', request_id: 'run-1' })
  })

  test('names no file outside the workspace in its result', async () => {
    forge('imports', (lines) =>
      lines.map((line) =>
        line.kind === 'completed' ? { ...line, result: { ...(line.result as object), trajectory: '../x' } } : line,
      ),
    )
    await expect(resume()).rejects.toMatchObject({ code: 'log_corrupt', message: expect.stringContaining('line 4') })
  })

  const segment = { kind: 'segment', index: 0, start: 0, end: 10, tokens: 2, sha256: '0'.repeat(64) }
  const checkpoint = { kind: 'checkpoint', index: 0 }
  const chosen = { kind: 'earlier', imports: [] }

  test.each([
    ['an empty segment', [{ ...segment, end: 0 }], 2],
    ['a segment that ends before it starts', [{ ...segment, end: -5 }], 2],
    ['half a character', [{ ...segment, end: 1.5 }], 2],
    ['a first segment behind the start', [{ ...segment, start: 3 }], 2],
    ['an index out of turn', [{ ...segment, index: 5 }], 2],
    ['a gap', [segment, checkpoint, { ...segment, index: 1, start: 12, end: 20 }], 4],
    ['an overlap', [segment, checkpoint, { ...segment, index: 1, start: 8, end: 20 }], 4],
    ['a segment before the last one is done', [segment, { ...segment, index: 1, start: 10, end: 20 }], 3],
    ['a checkpoint of nothing', [checkpoint], 2],
    ['a second checkpoint', [segment, checkpoint, checkpoint], 4],
    ['a closing message of another segment', [segment, { kind: 'closing', index: 1, summary: '' }], 3],
    ['an end that counts wrongly', [segment, checkpoint, { kind: 'end', segments: 7 }], 4],
    ['a record behind the end', [{ kind: 'end', segments: 0 }, segment], 3],
    ['earlier imports before the end', [chosen], 2],
    ['earlier imports again', [{ kind: 'end', segments: 0 }, chosen, chosen], 4],
  ])('is corrupt, with its line: %s', async (_, records, line) => {
    forge('imports', heading({}))
    forge('processing', ([first = {}]) => [first, ...records])
    await expect(resume()).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringContaining(`processing/run-1.jsonl, line ${line}: `),
    })
    const damaged = [{ path: expect.stringContaining('processing/run-1.jsonl') }]
    expect(await machine.run('procedure_imports', {})).toMatchObject({ imports: [{}, {}], damaged })
    expect(await machine.run('status', {})).toMatchObject({ damaged })
  })

  test.each([
    ['a segment that ends behind the text', [{ ...segment, end: 1_000_000 }]],
    ['an end before that of the text', [segment, checkpoint, { kind: 'end', segments: 1 }]],
    ['a segment of another text', [segment]],
  ])('is corrupt once the text is there: %s', async (_, records) => {
    forge('imports', heading({}))
    forge('processing', ([first = {}]) => [first, ...records])
    expect(await resume()).toMatchObject({
      status: 'incomplete',
      trajectory: SOURCE,
      error: { code: 'log_corrupt', message: expect.stringContaining('processing/run-1.jsonl') },
    })
  })

  test('but may be true is resumed', async () => {
    forge('imports', heading({}))
    const text = machine.files.text(`${ROOT}/${SOURCE}`).slice(segment.start, segment.end)
    const sha256 = digest.sha256(new TextEncoder().encode(text))
    forge('processing', ([first = {}]) => [first, { ...segment, sha256 }, checkpoint])
    expect(await resume()).toMatchObject({ status: 'complete' })
  })
})

test('a folder of logs that is a link is named and never followed', async () => {
  await importFile({ extractor: 'offline' })
  const folder = 'metadata/procedure/default'
  machine.files.makeFolder('/elsewhere')
  machine.files.write('/elsewhere/run-1.jsonl', machine.files.text(`${ROOT}/${folder}/imports/run-1.jsonl`))
  machine.files.rename(`${ROOT}/${folder}/imports`, '/away')
  machine.files.linkTo(`${ROOT}/${folder}/imports`, '/elsewhere')
  const damaged = [{ path: `${folder}/imports`, error: expect.stringContaining('symbolic link') }]
  expect(await machine.run('procedure_imports', {})).toEqual({ imports: [], damaged })
  expect(await machine.run('status', {})).toMatchObject({ damaged })
})

test('what has the name of a log and is no regular file is reported and never opened', async () => {
  await importFile({ extractor: 'offline' })
  const folder = 'metadata/procedure/default'
  machine.files.linkTo(`${ROOT}/${folder}/imports/a.jsonl`, FILE)
  machine.files.makeFolder(`${ROOT}/${folder}/operations`)
  machine.files.makeFolder(`${ROOT}/${folder}/operations/b.jsonl`)
  const error = expect.stringContaining('no regular file')
  const damaged = [
    { path: `${folder}/imports/a.jsonl`, error },
    { path: `${folder}/operations/b.jsonl`, error },
  ]
  expect(await machine.run('status', {})).toMatchObject({ imports: { complete: 1 }, damaged })
  const said: string[] = []
  await machine.run('procedure_reindex', {}, (notice) => said.push(notice))
  expect(said).toEqual([expect.stringContaining('operations/b.jsonl')])
})
