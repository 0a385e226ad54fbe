import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ChatMessage, ChatReply } from '../../src/ports.ts'
import { LogWriter } from '../../src/workspace/record-log.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { digest } from '../fakes/digest.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { type LogLine, rewriteLog } from '../fakes/rewritten-log.ts'
import { type ChatStep, callTool, callTools, say } from '../fakes/scripted-chat.ts'

const FILE = '/logs/run.log'
const LIMITS = {
  segment: 100,
  summary: 40,
  description: 10,
  when_to_use: 20,
  content: 50,
  context: 5_000,
  reserve: 100,
}
const texts = {
  description: 'Rebuild the search index',
  'when-to-use': 'When results appear stale after a change of settings',
  content: 'Rebuild the index, then check a known query.',
}

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.configure({ token_limits: LIMITS })
  machine.files.write(FILE, 'one line\n'.repeat(20))
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) =>
  machine.run<ImportResult>('procedure_import', { files: [file], request_id: 'run-1', ...options })

function lastToolResult(messages: readonly ChatMessage[]): Record<string, unknown> {
  const message = messages.findLast(({ role }) => role === 'tool')
  return JSON.parse(message?.content ?? 'null')
}

function create(name: string, changes: Partial<typeof texts> = {}, key = name) {
  return callTool('procedure_create', { filename: `${name}.json`, ...texts, ...changes, operation_key: key })
}

describe('a model that works over two segments', () => {
  test('creates, is told a field is too long, shortens, updates, and is found in both views', async () => {
    machine.files.write(FILE, `${'stale results again\n'.repeat(20)}${'the index was rebuilt\n'.repeat(20)}`)
    let version = ''
    const chat = machine.script(
      callTool('procedure_search', { query: 'stale search results' }),
      create('rebuild-index', { description: 'much too long '.repeat(10) }),
      (messages) => {
        expect(lastToolResult(messages)).toMatchObject({
          status: 'failed',
          code: 'field_too_long',
          fields: [{ field: 'description', tokens: 30, target: 10 }],
        })
        return create('rebuild-index', {}, 'second')
      },
      (messages) => {
        const result = lastToolResult(messages)
        expect(result).toEqual({
          status: 'committed',
          path: 'procedures/rebuild-index.json',
          version: expect.any(String),
        })
        version = String(result.version)
        return say('The search went stale; wrote rebuild-index.')
      },
      (messages) => {
        expect(messages.at(-1)?.content).toContain('The search went stale; wrote rebuild-index.')
        return callTool('procedure_update', {
          path: 'procedures/rebuild-index.json',
          expected_version: 'f'.repeat(64),
          content: 'Rebuild, then verify.',
          operation_key: 'mend',
        })
      },
      (messages) => {
        expect(lastToolResult(messages)).toMatchObject({ code: 'version_conflict', version })
        return callTool('procedure_update', {
          path: 'procedures/rebuild-index.json',
          expected_version: version,
          content: 'Rebuild with a quokka, then verify.',
          operation_key: 'mend-2',
        })
      },
      say('Done: rebuild-index.'),
    )
    const result = await importFile()
    expect(result).toMatchObject({
      status: 'complete',
      extractor: 'llm',
      segments: { done: 2, total: 2 },
      reply: 'Done: rebuild-index.',
      usage: { requests: 7, prompt_tokens: 700, completion_tokens: 70 },
    })
    expect(chat.stepsLeft).toBe(0)
    const [written] = result.experiences
    expect(result.experiences).toHaveLength(1)
    expect(written).toMatchObject({ path: 'procedures/rebuild-index.json', action: 'created' })
    const bytes = machine.files.text(`${ROOT}/procedures/rebuild-index.json`)
    expect(JSON.parse(bytes)).toEqual({
      ...texts,
      content: 'Rebuild with a quokka, then verify.',
      sources: ['session/trajectories/run.log'],
    })
    expect(written?.version).toBe(digest.sha256(new TextEncoder().encode(bytes)))
    const byWhen = await machine.run('procedure_search', { query: 'stale settings' })
    const byContent = await machine.run('procedure_search', { query: 'quokka', index: 'when_to_use_content' })
    for (const answer of [byWhen, byContent])
      expect(answer.results).toMatchObject([{ path: 'procedures/rebuild-index.json', version: written?.version }])
    expect((await machine.run('procedure_search', { query: 'quokka' })).results).toEqual([])
  })
})

describe('an import', () => {
  test('keeps the original byte for byte and answers with its checksum', async () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff, 0x00, 0x62])
    machine.files.write(FILE, bytes)
    const result = await importFile()
    expect(machine.files.read(`${ROOT}/session/trajectories/run.log`)).toEqual(bytes)
    expect(result).toMatchObject({ status: 'complete', sha256: digest.sha256(bytes), bytes: 9, replacements: 1 })
  })

  test('without experiences says why', async () => {
    expect(await importFile()).toMatchObject({ experiences: [], reply: expect.stringMatching(/\w/) })
  })

  test('of an empty file is complete and says so', async () => {
    machine.files.write(FILE, '')
    machine.script()
    expect(await importFile()).toMatchObject({
      status: 'complete',
      segments: { done: 0, total: 0 },
      reply: expect.stringContaining('empty'),
    })
  })

  test('asks no model about a segment of nothing but white space', async () => {
    machine.files.write(FILE, ' \n\t\n')
    const chat = machine.script()
    expect(await importFile()).toMatchObject({ status: 'complete', segments: { done: 1, total: 1 } })
    expect(chat.requests).toHaveLength(0)
  })

  test('finished before returns the same result and calls no model', async () => {
    machine.script(create('a'), say('done'), say('done'))
    const first = await importFile()
    machine.script()
    expect(await importFile()).toEqual(first)
  })

  test('finished before is told again while another process writes and nothing can be written', async () => {
    machine.script(create('a'), say('done'), say('done'))
    const first = await importFile()
    using _ = machine.lock.acquire(`${ROOT}/metadata/lock`)
    machine.watcher = ({ name, changes }) => {
      if (changes) throw new MemoryError('disk_full', `no room to ${String(name)}`)
    }
    expect(await importFile()).toEqual(first)
    await expect(importFile({ filename: 'other.log' })).rejects.toMatchObject({ code: 'request_conflict' })
  })

  test('gives a taken name the next number', async () => {
    await importFile({ request_id: 'a' })
    const second = await importFile({ request_id: 'b' })
    expect(second.trajectory).toBe('session/trajectories/run-2.log')
  })

  test('without a request id makes one up', async () => {
    const result = await machine.run<ImportResult>('procedure_import', { files: [FILE] })
    expect(result.request_id).toMatch(/^[a-z0-9]+$/)
  })

  test('tells the model its hint, and masks what it must not see', async () => {
    const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
    machine.files.write(FILE, `export TOKEN=${token}\n`)
    const chat = machine.script(say(`seen ${token}`))
    const result = await importFile({ memory_hint: 'deployment' })
    const asked = JSON.stringify(chat.requests)
    expect(asked).toContain('deployment')
    expect(asked).not.toContain(token)
    expect(result.reply).not.toContain(token)
    expect(result.redactions).toBe(1)
    expect(machine.files.text(`${ROOT}/session/trajectories/run.log`)).toContain(token)
  })

  test('masks what is secret in the name of the file, and still lets the model read that file', async () => {
    const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
    const path = 'session/trajectories/[secret:github-token:1].log'
    const chat = machine.script(callTool('procedure_read', { path, offset: 0, length: 20 }), (messages) => {
      expect(lastToolResult(messages)).toMatchObject({ kind: 'trajectory', path })
      return say('done')
    })
    const result = await importFile({ filename: `${token}.log` })
    expect(result).toMatchObject({ status: 'complete', trajectory: `session/trajectories/${token}.log` })
    expect(chat.stepsLeft).toBe(0)
    expect(JSON.stringify(chat.requests)).toContain(path)
    expect(JSON.stringify(chat.requests)).not.toContain(token)
  })

  test('refuses to write a secret, and with --no-redact shows it', async () => {
    const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
    machine.script(
      create('leak', { content: `use ${token}` }),
      (messages) => {
        expect(lastToolResult(messages)).toMatchObject({ status: 'failed', code: 'secret_found' })
        return say('done')
      },
      say('done'),
    )
    expect((await importFile()).experiences).toEqual([])
    machine.files.write(FILE, token)
    const chat = machine.script(say('done'))
    await importFile({ request_id: 'open', redact: false })
    expect(JSON.stringify(chat.requests)).toContain(token)
  })
})

describe('nothing is stored when', () => {
  test.each([
    ['the file is missing', '/logs/none.log', {}, 'not_found'],
    ['it is a folder', '/logs', {}, 'not_a_file'],
    ['its name is a device', FILE, { filename: 'CON.txt' }, 'invalid_name'],
    ['its name is a path', FILE, { filename: '../run.log' }, 'invalid_name'],
    ['its name has a colon', FILE, { filename: 'a:b' }, 'invalid_name'],
    ['its name ends with a dot', FILE, { filename: 'run.' }, 'invalid_name'],
    ['its name is too long', FILE, { filename: 'x'.repeat(201) }, 'invalid_name'],
    ['its request id is not one', FILE, { request_id: 'a/b' }, 'invalid_argument'],
  ])('%s', async (_, file, options, code) => {
    const before = machine.files.tree()
    await expect(importFile(options, file)).rejects.toMatchObject({ code })
    expect(machine.files.tree()).toEqual(before)
  })

  test('it is larger than the limit', async () => {
    machine.configure({ max_file_bytes: 10 })
    await expect(importFile()).rejects.toMatchObject({ code: 'file_too_large' })
    expect(machine.files.tree()).not.toContain(`${ROOT}/session/`)
  })

  test('an id to resume is not known', async () => {
    await expect(machine.run('procedure_import', { resume: 'nobody' })).rejects.toMatchObject({
      code: 'request_not_found',
    })
  })
})

describe('an incomplete import', () => {
  test.each([
    ['binary', 'run.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2]), 'unsupported_format', false],
    ['malformed JSON', 'run.json', new TextEncoder().encode('{"a":1,\n"b":}'), 'malformed_input', true],
    ['malformed JSONL', 'run.jsonl', new TextEncoder().encode('{}\n{}\n{"a"\n'), 'malformed_input', true],
    ['invalid bytes in JSONL', 'run.jsonl', new Uint8Array([0x22, 0xff, 0x22]), 'malformed_input', true],
  ])('of %s keeps the copy and says what is wrong', async (_, name, bytes, code, resumable) => {
    machine.files.write(`/logs/${name}`, bytes)
    const result = await importFile({}, `/logs/${name}`)
    expect(result).toMatchObject({ status: 'incomplete', error: { code, resumable } })
    expect(machine.files.read(`${ROOT}/session/trajectories/${name}`)).toEqual(bytes)
    if (resumable) expect(result.error?.message).toMatch(/line \d/)
  })

  test('of malformed JSON is continued as text', async () => {
    machine.files.write('/logs/run.json', '{"broken"')
    await importFile({}, '/logs/run.json')
    const result = await machine.run<ImportResult>('procedure_import', { resume: 'run-1', on_malformed: 'text' })
    expect(result).toMatchObject({ status: 'complete', format: 'text' })
  })

  test('is listed with its error until it is complete', async () => {
    machine.script(say(''), say(''), say(''), say(''))
    await importFile()
    const { imports } = await machine.run<{ imports: unknown[] }>('procedure_imports', {})
    expect(imports).toMatchObject([{ request_id: 'run-1', status: 'incomplete', error: { code: 'summary_rejected' } }])
    machine.script(say('one'), say('two'))
    await importFile()
    expect(await machine.run('procedure_imports', {})).toMatchObject({ imports: [{ status: 'complete', error: null }] })
  })

  test('goes on behind its last checkpoint', async () => {
    machine.files.write(FILE, `${'first part\n'.repeat(40)}${'second part\n'.repeat(40)}`)
    machine.script(say('summary of the first'), say(''), say(''), say(''), say(''))
    expect(await importFile()).toMatchObject({ segments: { done: 1, total: null } })
    const chat = machine.script(say('two'))
    expect(await importFile()).toMatchObject({ status: 'complete', segments: { done: 2, total: 2 } })
    expect(chat.requests[0]?.messages.at(-1)?.content).toContain('summary of the first')
    // The first segment aims at 95 tokens: 47 lines of two.
    expect(chat.requests[0]?.messages.at(-1)?.content.split('second part')).toHaveLength(80 - 47 + 1)
  })

  test('tells the resumed segment what it already wrote', async () => {
    machine.script(create('kept'), new Error('the process dies here'))
    await expect(importFile()).rejects.toThrow('dies')
    const chat = machine.script(say('one'), say('two'))
    const result = await importFile()
    expect(chat.requests[0]?.messages.at(-1)?.content).toContain('created procedures/kept.json')
    expect(result.experiences).toMatchObject([{ path: 'procedures/kept.json', action: 'created' }])
  })

  test('stops at the cap of model calls and says how to go on', async () => {
    machine.script(callTool('procedure_search', { query: 'x' }))
    const result = await importFile({ max_requests: 1 })
    expect(result).toMatchObject({ status: 'incomplete', error: { code: 'budget_reached', resumable: true } })
    expect(result.error?.message).toContain('--max-requests')
  })
})

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

test('a tokenizer that cannot be had leaves a resumable import with its copy', async () => {
  const { MemoryError } = await import('../../src/model/memory-error.ts')
  const failing = Object.assign(new FakeMachine(), {
    openTokenizer: async () => {
      throw new MemoryError('tokenizer_unavailable', 'no tokenizer')
    },
  })
  failing.files.write(FILE, 'text')
  const result = await failing.run<ImportResult>('procedure_import', { files: [FILE], request_id: 'r' })
  expect(result).toMatchObject({ status: 'incomplete', error: { code: 'tokenizer_unavailable', resumable: true } })
  expect(failing.files.text(`${ROOT}/session/trajectories/run.log`)).toBe('text')
})

test('several files are several imports, and one that fails does not stop the others', async () => {
  machine.files.write('/logs/a.log', 'a')
  machine.files.write('/logs/b.log', 'b')
  const answer = await machine.run('procedure_import', { files: ['/logs/a.log', '/logs/none.log', '/logs/b.log'] })
  expect(answer.imports).toMatchObject([
    { status: 'complete' },
    { status: 'failed', file: '/logs/none.log', error: { code: 'not_found' } },
    { status: 'complete' },
  ])
})

test('parallel tool calls are answered each, in order', async () => {
  machine.script(
    callTools(['procedure_search', { query: 'a' }], ['no_such_tool', {}], ['procedure_read', { path: '../x' }]),
    (messages) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content))
      expect(results).toMatchObject([{ results: [] }, { code: 'tool_unknown' }, { code: 'path_outside' }])
      return say('done')
    },
    say('done'),
  )
  expect(await importFile()).toMatchObject({ status: 'complete' })
})

describe('the offline extractor', () => {
  const LOG = '$ make\nmake: *** No rule to make target x.  Stop.\n$ vi Makefile\n$ make\n3 files written\n$ exit\n'

  beforeEach(() => {
    machine.configure({})
    machine.files.write(FILE, LOG)
  })

  const written = () => machine.files.tree().filter((path) => path.startsWith(`${ROOT}/procedures/fix`))

  test('adds its source to an equal experience instead of writing it again', async () => {
    const first = await importFile({ request_id: 'a' })
    expect(first.experiences).toMatchObject([{ action: 'created' }])
    const second = await importFile({ request_id: 'b' })
    expect(second.experiences).toMatchObject([{ path: first.experiences[0]?.path, action: 'updated' }])
    const { sources } = JSON.parse(machine.files.text(written()[0] ?? ''))
    expect(sources).toEqual(['session/trajectories/run.log', 'session/trajectories/run-2.log'])
  })

  test('leaves an edited experience alone, and finds its own text again under whatever number it has', async () => {
    await importFile({ request_id: 'a' })
    const [path = ''] = written()
    machine.files.write(path, JSON.stringify({ ...texts, sources: [] }))
    const second = await importFile({ request_id: 'b' })
    expect(second.experiences).toMatchObject([{ path: expect.stringMatching(/-2\.json$/), action: 'created' }])
    machine.files.remove(path)
    const third = await importFile({ request_id: 'c' })
    expect(third.experiences).toMatchObject([{ path: second.experiences[0]?.path, action: 'updated' }])
    expect(written()).toHaveLength(1)
  })

  test('keeps what a log says around half a surrogate pair, which no experience may hold', async () => {
    const call = (id: string, cmd: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id, type: 'function', function: { name: 'run_shell', arguments: JSON.stringify({ command: cmd }) } },
      ],
    })
    const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
    const lines = [
      { role: 'user', content: 'Mend the build' },
      call('1', 'make all'),
      answer('1', 'make: *** No rule to make target \ud83d. Stop.\nexit code: 2'),
      call('2', 'touch rule.mk'),
      answer('2', 'exit code: 0'),
      call('3', 'make all'),
      answer('3', 'exit code: 0'),
    ]
    machine.files.write(FILE, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    expect(await importFile({ request_id: 'a' })).toMatchObject({
      status: 'complete',
      experiences: [{ action: 'created' }],
    })
    expect(machine.files.text(written()[0] ?? '')).toContain('No rule to make target \ufffd')
  })
})

test('an offline import stops between two segments when it is interrupted, and goes on later', async () => {
  machine.files.write(FILE, 'some words\n'.repeat(200))
  const interruption = new AbortController()
  let count = 0
  const { count: counting } = machine.tokenizer
  machine.tokenizer = {
    ...machine.tokenizer,
    count: (text) => {
      if (++count === 3) interruption.abort()
      return counting(text)
    },
  }
  const argv = ['import', FILE, '--request-id', 'r']
  expect(await runCaptured(argv, machine, interruption.signal)).toMatchObject({ exit: 130 })
  expect(await machine.run('procedure_imports', {})).toMatchObject({
    imports: [{ status: 'incomplete', error: { code: 'interrupted', resumable: true } }],
  })
  expect(await machine.run('procedure_import', { resume: 'r' })).toMatchObject({ status: 'complete' })
})

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

test('a model may look at what is no text, and goes on', async () => {
  machine.files.write('/logs/picture.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47]))
  await machine.run('procedure_import', { files: ['/logs/picture.png'], extractor: 'offline' })
  machine.script(
    callTool('procedure_read', { path: 'session/trajectories/picture.png', kind: 'trajectory' }),
    (messages) => {
      expect(lastToolResult(messages)).toMatchObject({ code: 'unsupported_format' })
      return say('one')
    },
    say('two'),
  )
  expect(await importFile()).toMatchObject({ status: 'complete' })
})

describe('reading a trajectory', () => {
  test('counts code points and is capped in tokens', async () => {
    machine.configure({ token_limits: { read: 5 } })
    machine.files.write(FILE, `a😀b ${'word '.repeat(20)}`)
    await importFile({ extractor: 'offline' })
    const path = 'session/trajectories/run.log'
    const read = (range: object) => machine.run('procedure_read', { path, kind: 'trajectory', ...range })
    expect(await read({ offset: 1, length: 2 })).toMatchObject({ text: '😀b', length: 2, total: 104, truncated: false })
    const capped = await read({ offset: 4 })
    expect(capped).toMatchObject({ offset: 4, truncated: true })
    expect(String(capped.text).trim().split(' ')).toHaveLength(5)
    expect(await read({ offset: 999 })).toMatchObject({
      offset: 999,
      length: 0,
      text: '',
      total: 104,
      truncated: false,
    })
  })

  test('never shows the model a part of a secret', async () => {
    const password = ['Zx9', 'kLm42Qw'].join('')
    machine.files.write(FILE, `password=${password}`)
    const path = 'session/trajectories/run.log'
    const chat = machine.script(
      callTool('procedure_read', { path, kind: 'trajectory', offset: 0, length: 12 }),
      callTool('procedure_read', { path, kind: 'trajectory', offset: 12, length: 20 }),
      say('done'),
    )
    await importFile()
    expect(JSON.stringify(chat.requests)).not.toContain(password.slice(0, 3))
    expect(JSON.stringify(chat.requests)).not.toContain(password.slice(4))
    expect(await machine.run('procedure_read', { path })).toMatchObject({ text: `password=${password}` })
  })
})

test('requests that are repeated or in flight count against the cap', async () => {
  const flaky: ChatStep = () => {
    throw new Error('the process dies here')
  }
  machine.script(flaky)
  await expect(importFile({ max_requests: 2 })).rejects.toThrow('dies')
  machine.script(callTool('procedure_search', { query: 'x' }), say('never asked'))
  const result = await importFile({ max_requests: 2 })
  expect(result).toMatchObject({ error: { code: 'budget_reached' }, usage: { requests: 2, prompt_tokens: 100 } })
})

describe('a talk about one segment that takes too long', () => {
  const thinking = (ms: number, reply: ChatReply) => () => {
    machine.clock.advance(ms)
    return reply
  }
  const search = callTool('procedure_search', { query: 'x' })

  beforeEach(() => {
    machine.files.write(FILE, `${'first part\n'.repeat(40)}${'second part\n'.repeat(40)}`)
    machine.configure({ token_limits: LIMITS, llm: { segment_timeout_ms: 60_000 } })
  })

  test('gets no further request, and the import says which limit it was and can be resumed', async () => {
    const chat = machine.script(thinking(1_000, say('one')), thinking(59_000, search), thinking(1_000, search))
    const result = await importFile()
    expect(result).toMatchObject({
      status: 'incomplete',
      segments: { done: 1 },
      error: { code: 'llm_unavailable', resumable: true },
    })
    expect(result.error?.message).toMatch(/segment 2.*60 s.*llm\.segment_timeout_ms.*; resume to go on/)
    expect(chat.timeLimits).toEqual([60_000, 60_000, 1_000])
    machine.script(thinking(30_000, search), say('two'))
    expect(await importFile()).toMatchObject({ status: 'complete', segments: { done: 2, total: 2 } })
  })

  test('is half an hour of one unless it is set', async () => {
    machine.configure({ token_limits: LIMITS })
    const chat = machine.script(say('one'), say('two'))
    await importFile()
    expect(chat.timeLimits).toEqual([1_800_000, 1_800_000])
  })
})

describe('what a model cost, by segment', () => {
  const usage = (requests: number) => ({ requests, prompt_tokens: requests * 100, completion_tokens: requests * 10 })
  const logPath = (folder: string) => `${ROOT}/metadata/procedure/default/${folder}/run-1.jsonl`

  beforeEach(() => {
    machine.files.write(FILE, `${'first part\n'.repeat(40)}${'second part\n'.repeat(40)}`)
  })

  test('is counted from the first segment on, and told again by a finished import', async () => {
    machine.script(create('a'), say('one'), say('two'))
    const result = await importFile()
    expect(result.usage_by_segment).toEqual([
      { segment: 1, ...usage(2) },
      { segment: 2, ...usage(1) },
    ])
    expect(result.usage).toEqual(usage(3))
    expect((await importFile()).usage_by_segment).toEqual(result.usage_by_segment)
  })

  test('goes on counting when the import is resumed', async () => {
    machine.script(say('one'), say(''), say(''), say(''), say(''))
    const stopped = await importFile()
    expect(stopped).toMatchObject({ status: 'incomplete', usage: usage(5) })
    expect(stopped.usage_by_segment).toEqual([
      { segment: 1, ...usage(1) },
      { segment: 2, ...usage(4) },
    ])
    machine.script(say('two'))
    expect((await importFile()).usage_by_segment).toEqual([
      { segment: 1, ...usage(1) },
      { segment: 2, ...usage(5) },
    ])
  })

  test('stays out of the import log, which other versions read', async () => {
    machine.script(say('one'), say('two'))
    await importFile()
    expect(machine.files.text(logPath('imports'))).toContain('"usage"')
    expect(machine.files.text(logPath('imports'))).not.toContain('usage_by_segment')
  })

  test('lists no segment that no model was asked about, and none offline', async () => {
    expect(await importFile({ extractor: 'offline' })).toMatchObject({ usage: usage(0), usage_by_segment: [] })
    machine.files.write(FILE, ' \n\t\n')
    machine.script()
    expect(await importFile({ request_id: 'blank' })).toMatchObject({ segments: { done: 1 }, usage_by_segment: [] })
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

test('a secret in the hint or the label does not stand in the log', async () => {
  const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
  await importFile({ memory_hint: `use ${token}`, source_id: token })
  for (const path of machine.files.tree().filter((path) => path.endsWith('.jsonl')))
    expect(machine.files.text(path)).not.toContain(token)
})

test('the tools of the model have the arguments of the contract and no others', async () => {
  const chat = machine.script(
    callTool('procedure_search', { query: 'x', min_fit: 0.5 }),
    (messages) => {
      expect(lastToolResult(messages)).toMatchObject({ code: 'invalid_argument' })
      return say('one')
    },
    say('two'),
  )
  await importFile()
  const names = (tool: string) => {
    const schema = chat.requests[0]?.tools.find(({ name }) => name === tool)?.parameters as { properties: object }
    return Object.keys(schema.properties)
  }
  expect(names('procedure_search')).toEqual(['query', 'index', 'limit'])
  expect(names('procedure_read')).toEqual(['path', 'kind', 'offset', 'length'])
  expect(names('procedure_create')).toEqual(['filename', 'description', 'when-to-use', 'content', 'operation_key'])
  expect(names('procedure_update').sort()).toEqual([
    'content',
    'description',
    'expected_version',
    'operation_key',
    'path',
    'when-to-use',
  ])
})

test('a folder of the workspace that leads out through a link is refused by every command', async () => {
  machine.files.write('/elsewhere/secret.json', JSON.stringify({ ...texts, sources: [] }))
  machine.files.linkTo(`${ROOT}/procedures`, '/elsewhere')
  for (const [name, input] of [
    ['procedure_search', { query: 'stale' }],
    ['status', {}],
    ['procedure_reindex', {}],
  ] as const)
    await expect(machine.run(name, input)).rejects.toMatchObject({ code: 'path_outside' })
})

test('logs that differ in a masked value alone give the model the same message', async () => {
  const told: (readonly ChatMessage[])[] = []
  for (const secret of ['Summer2024!x9', 'Winter2024!x9']) {
    machine = new FakeMachine()
    machine.files.write(FILE, `password=${secret}\nthe build failed\n`)
    const chat = machine.script(say('Nothing to keep.'))
    await importFile()
    told.push(chat.requests[0]?.messages ?? [])
  }
  expect(told[0]?.[1]?.content).toContain('[secret:password:1]')
  expect(told[1]).toEqual(told[0] as never)
})

test('a write that repeats the key of the model is refused', async () => {
  machine.script(
    create('use-it', { content: 'Use [secret:api-key] there.' }),
    (messages) => {
      expect(lastToolResult(messages)).toMatchObject({ status: 'failed', code: 'secret_found' })
      return say('Done.')
    },
    say('Done.'),
    say('Done.'),
  )
  expect(await importFile()).toMatchObject({ status: 'complete', experiences: [] })
})

test('a backslash in the name of a file is a letter, which no name may have everywhere', async () => {
  machine.files.write('/logs/a\\b.log', 'text')
  await expect(importFile({}, '/logs/a\\b.log')).rejects.toMatchObject({ code: 'invalid_name' })
})
