/** What a model may do during an import, and what it is shown. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { ChatMessage } from '../../src/ports.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'
import { callTool, callTools, say } from '../fakes/scripted-chat.ts'
import { create, FILE, importInto, machineWithLog } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

function lastToolResult(messages: readonly ChatMessage[]): Record<string, unknown> {
  const message = messages.findLast(({ role }) => role === 'tool')
  return JSON.parse(message?.content ?? 'null')
}

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
