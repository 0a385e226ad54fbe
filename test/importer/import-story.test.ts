/** One import from beginning to end: what it stores, what it answers, and what stops it. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ChatMessage } from '../../src/ports.ts'
import { digest } from '../fakes/digest.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'
import { create, FILE, importInto, machineWithLog, texts } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

function lastToolResult(messages: readonly ChatMessage[]): Record<string, unknown> {
  const message = messages.findLast(({ role }) => role === 'tool')
  return JSON.parse(message?.content ?? 'null')
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

test('a tokenizer that cannot be had leaves a resumable import with its copy', async () => {
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

test('a backslash in the name of a file is a letter, which no name may have everywhere', async () => {
  machine.files.write('/logs/a\\b.log', 'text')
  await expect(importFile({}, '/logs/a\\b.log')).rejects.toMatchObject({ code: 'invalid_name' })
})
