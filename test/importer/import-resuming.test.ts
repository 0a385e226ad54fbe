/** Going on with an import, or being told of one that is complete: what must be as it was, and what may be another. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { type LogLine, rewriteLog } from '../fakes/rewritten-log.ts'
import { say } from '../fakes/scripted-chat.ts'
import { create, FILE, importInto, LIMITS, machineWithLog } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

describe('resuming', () => {
  beforeEach(async () => {
    machine.script(say(''), say(''), say(''), say(''))
    await importFile()
    machine.script(say('one'), say('two'))
  })

  test('works by id alone after the original has gone', async () => {
    machine.files.remove(FILE)
    expect(await machine.run('procedure_import', { resume: 'run-1' })).toMatchObject({ status: 'complete' })
  })

  test('refuses an original that changed, grown or not', async () => {
    machine.files.write(FILE, 'two lines')
    await expect(importFile()).rejects.toMatchObject({ code: 'source_changed' })
    machine.files.write(FILE, 'one line\n'.repeat(21))
    await expect(importFile()).rejects.toMatchObject({ code: 'source_changed' })
  })

  test('refuses another path or name under the id', async () => {
    machine.files.write('/logs/other.log', 'x')
    await expect(importFile({}, '/logs/other.log')).rejects.toMatchObject({ code: 'request_conflict' })
    await expect(importFile({ filename: 'renamed.log' })).rejects.toMatchObject({ code: 'request_conflict' })
  })

  test.each(['gone', 'empty'])(
    'refuses any file under the id when its import log is %s, as others tell of it',
    async (how) => {
      const log = `${ROOT}/metadata/procedure/default/imports/run-1.jsonl`
      if (how === 'gone') machine.files.remove(log)
      else machine.files.write(log, '')
      const before = machine.files.tree()
      machine.files.write('/logs/other.log', 'x')
      const refused = { code: 'log_corrupt', message: expect.stringContaining('imports/run-1.jsonl is gone or empty') }
      for (const file of [FILE, '/logs/other.log']) await expect(importFile({}, file)).rejects.toMatchObject(refused)
      await expect(machine.run('procedure_import', { resume: 'run-1' })).rejects.toMatchObject(refused)
      machine.files.remove('/logs/other.log')
      expect(machine.files.tree()).toEqual(before)
    },
  )

  test('refuses other settings', async () => {
    await expect(importFile({ extractor: 'offline' })).rejects.toMatchObject({ code: 'settings_changed' })
    machine.configure({ token_limits: { ...LIMITS, segment: 50 } })
    await expect(importFile()).rejects.toMatchObject({ code: 'settings_changed' })
    machine.configure({ token_limits: LIMITS, tokenizer: 'builtin:other' })
    await expect(importFile()).rejects.toMatchObject({ code: 'settings_changed' })
  })

  test.each([
    ['of version 2 goes on, as it cut like this one', 2, { status: 'complete' }],
    ['of version 1 is refused', 1, { code: 'settings_changed', message: expect.stringContaining('segmentation 1') }],
  ])('segmented by a program %s', async (_which, segmentation, outcome) => {
    const folder = `${ROOT}/metadata/procedure/default`
    const older =
      (name: string) =>
      ([first, ...records]: LogLine[]) => [
        { ...first, [name]: { ...(first?.[name] as LogLine), segmentation } },
        ...records,
      ]
    rewriteLog(machine.files, `${folder}/imports/run-1.jsonl`, older('settings'))
    rewriteLog(machine.files, `${folder}/processing/run-1.jsonl`, older('fingerprint'))
    expect(await importFile().catch((error) => error)).toMatchObject(outcome)
  })

  test('under other folders asks for the settings back, and goes on when they are', async () => {
    machine.configure({ token_limits: LIMITS, session_dir: 'runs' })
    await expect(importFile()).rejects.toMatchObject({
      code: 'settings_changed',
      message: expect.stringMatching(/session\/trajectories\/run\.log.*session_dir.*runs\/trajectories/),
    })
    expect(await machine.run('status', {})).not.toHaveProperty('damaged')
    machine.configure({ token_limits: LIMITS })
    expect(await importFile()).toMatchObject({ status: 'complete' })
  })

  test('of a complete import answers under other folders too, and checks the same there', async () => {
    const result = await importFile()
    machine.configure({ token_limits: LIMITS, session_dir: 'runs', trajectory_subdir: 'originals' })
    expect(await importFile()).toEqual(result)
    machine.files.remove(FILE)
    expect(await machine.run('procedure_import', { resume: 'run-1' })).toMatchObject({ status: 'complete' })
    const copy = `${ROOT}/session/trajectories/run.log`
    const text = machine.files.text(copy)
    machine.files.write(copy, 'spoilt')
    await expect(machine.run('procedure_import', { resume: 'run-1' })).rejects.toMatchObject({ code: 'copy_damaged' })
    machine.files.remove(copy)
    await expect(machine.run('procedure_import', { resume: 'run-1' })).rejects.toMatchObject({
      code: 'original_required',
    })
    machine.files.write(FILE, text)
    expect(await importFile()).toEqual(result)
  })

  test('allows another context, other bounds, hint and masking', async () => {
    machine.configure({ token_limits: { ...LIMITS, context: 6_000, reserve: 50 }, extraction: { iterations_max: 7 } })
    expect(await importFile({ memory_hint: 'new', redact: false })).toMatchObject({ status: 'complete' })
  })

  test('refuses a damaged copy', async () => {
    machine.files.write(`${ROOT}/session/trajectories/run.log`, 'spoilt')
    await expect(importFile()).rejects.toMatchObject({ code: 'copy_damaged' })
  })

  test('takes the copy anew when only the original is left, and needs one of the two', async () => {
    machine.files.remove(`${ROOT}/session/trajectories/run.log`)
    machine.files.write('/backup', machine.files.text(FILE))
    machine.files.remove(FILE)
    await expect(importFile()).rejects.toMatchObject({ code: 'original_required' })
    machine.files.write(FILE, machine.files.text('/backup'))
    expect(await importFile()).toMatchObject({ status: 'complete' })
    expect(machine.files.text(`${ROOT}/session/trajectories/run.log`)).toBe(machine.files.text(FILE))
  })

  test('takes a whole copy as it is, also where nothing new can be put beside it', async () => {
    machine.watcher = ({ name, path }) => {
      if (name === 'create' && path.includes('/trajectories/')) throw new MemoryError('permission_denied', 'no')
    }
    expect(await importFile()).toMatchObject({ status: 'complete' })
  })

  test('takes the extractor that it began with unless told otherwise', async () => {
    const chat = machine.script(say('one'))
    delete machine.environment.LLM_MODEL_NAME
    await expect(importFile()).rejects.toMatchObject({ code: 'llm_unavailable' })
    machine.environment.LLM_MODEL_NAME = 'scripted'
    expect(await importFile()).toMatchObject({ status: 'complete', extractor: 'llm' })
    expect(chat.stepsLeft).toBe(0)
  })

  test('alters nothing when it refuses', async () => {
    const logs = () =>
      machine.files
        .tree()
        .filter((path) => path.endsWith('.jsonl'))
        .map((path) => machine.files.text(path))
    const before = logs()
    await expect(importFile({ filename: 'renamed.log' })).rejects.toMatchObject({ code: 'request_conflict' })
    await expect(importFile({ extractor: 'offline' })).rejects.toMatchObject({ code: 'settings_changed' })
    expect(logs()).toEqual(before)
  })
})

describe('a copy that somebody removes', () => {
  const copy = `${ROOT}/session/trajectories/run.log`

  test('while it is imported is there in the end', async () => {
    machine.script(say('one'), () => {
      machine.files.remove(copy)
      return say('two')
    })
    expect(await importFile()).toMatchObject({ status: 'complete' })
    expect(machine.files.text(copy)).toBe(machine.files.text(FILE))
  })

  test('after its import is copied again when the import is called again', async () => {
    machine.script(say('one'), say('two'))
    const first = await importFile()
    machine.files.remove(copy)
    expect(await importFile()).toEqual(first)
    expect(machine.files.text(copy)).toBe(machine.files.text(FILE))
  })
})

test('an import does not go on into another folder of experiences', async () => {
  machine.script(create('a'), () => {
    throw new MemoryError('llm_unavailable', 'it is away')
  })
  await importFile()
  machine.configure({ token_limits: LIMITS, procedure_dir: 'elsewhere' })
  machine.script(say('two'))
  await expect(importFile()).rejects.toMatchObject({
    code: 'settings_changed',
    message: expect.stringContaining('procedure_dir'),
  })
})

describe('an id that another process takes while this one waits for the lock', () => {
  const whenLocked = (work: () => void) => {
    const { lock } = machine
    const acquire = lock.acquire.bind(lock)
    lock.acquire = (path) => {
      if (path === `${ROOT}/metadata/lock`) {
        lock.acquire = acquire
        work()
      }
      return acquire(path)
    }
  }
  const logsOf = (one: FakeMachine) =>
    one.files.tree().filter((path) => path.startsWith(`${ROOT}/`) && !path.endsWith('/') && !path.includes('/lock'))

  test.each([
    ['of the same file, is told as finished', FILE, null],
    ['of another file, is a conflict', '/logs/other.log', 'request_conflict'],
  ])('%s', async (_which, file, code) => {
    machine.files.write('/logs/other.log', 'other\n'.repeat(20))
    const other = new FakeMachine(machine.files.killed(), machine.ids)
    other.configure({ token_limits: LIMITS })
    other.script(say('one'), say('two'))
    const finished = await other.run('procedure_import', { files: [FILE], request_id: 'run-1' })
    whenLocked(() => {
      for (const path of logsOf(other)) machine.files.write(path, other.files.text(path))
    })
    machine.script()
    if (code === null) expect(await importFile({}, file)).toEqual(finished as unknown as ImportResult)
    else await expect(importFile({}, file)).rejects.toMatchObject({ code })
  })
})

test('--on-malformed may not change once something was extracted', async () => {
  machine.files.write('/logs/run.json', '{"a":1}')
  machine.script(say('done'))
  await importFile({}, '/logs/run.json')
  await expect(importFile({ on_malformed: 'text' }, '/logs/run.json')).rejects.toMatchObject({
    code: 'settings_changed',
  })
})
