/** What becomes of replies that servers send and no protocol allows: from the bytes of the answer to the files. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { KEY, modelAt } from '../adapters/chat-model.ts'
import { type Answer, answer, json, ScriptedServer } from '../adapters/scripted-server.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

const FILE = '/logs/run.log'

interface SentMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[]
}

let machine: FakeMachine
let server: ScriptedServer | null = null

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write(FILE, 'one line\n'.repeat(20))
  machine.environment.LLM_MODEL_NAME = 'test-model'
})
afterEach(() => {
  server?.[Symbol.dispose]()
  server = null
})

const written = (name: string) => ({
  filename: `${name}.json`,
  description: 'Rebuild the search index',
  'when-to-use': 'When results appear stale',
  content: 'Rebuild it, then check a known query.',
  operation_key: name,
})
const whole = (name: string) => JSON.stringify(written(name))
const cut = (name: string) => whole(name).slice(0, -20)

function call(args: unknown, { name = 'procedure_create', id = 'call-a' } = {}) {
  return { id, type: 'function', function: { name, arguments: args } }
}

async function importFrom(...answers: readonly Answer[]) {
  server = new ScriptedServer(answers)
  machine.chat = modelAt(server.baseUrl).model
  const result = await machine.run<ImportResult>('procedure_import', { files: [FILE], request_id: 'run-1' })
  const asked = server.requests.map(({ body }) => body.messages as readonly SentMessage[])
  const results = (asked[1] ?? []).filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content ?? ''))
  return { result, asked, results, files: machine.files.tree().filter((path) => /procedures\/.+\.json$/.test(path)) }
}

const calls = (tool_calls: readonly unknown[], finish: unknown = 'tool_calls', content: string | null = null) =>
  answer({ content, tool_calls }, finish)
const DONE = answer({ content: 'Done.' })

describe('a call that writes is not made', () => {
  test.each<[string, Answer, string]>([
    ['when the reply was cut off', calls([call(whole('a'))], 'length'), 'tool_arguments_truncated'],
    ['when its JSON does not close', calls([call(cut('a'))]), 'tool_arguments_truncated'],
    [
      'when its JSON does not close and all is said to be well',
      calls([call(cut('a'))], 'stop'),
      'tool_arguments_truncated',
    ],
    ['when prose follows its JSON', calls([call(`${whole('a')} I hope this helps.`)]), 'tool_arguments_truncated'],
    [
      'when it was cut off, in the older form',
      answer({ content: null, function_call: call(whole('a')).function }, 'length'),
      'tool_arguments_truncated',
    ],
    ['under a name with blanks', calls([call(whole('a'), { name: ' procedure_create\n' })]), 'tool_unknown'],
    ['under a name with a prefix', calls([call(whole('a'), { name: 'functions.procedure_create' })]), 'tool_unknown'],
    ['under no name', calls([call(whole('a'), { name: '' })]), 'tool_unknown'],
    ['with null for arguments', calls([call(null)]), 'invalid_argument'],
    ['with nothing for arguments', calls([call('')]), 'invalid_argument'],
    ['with a list of arguments', calls([call([written('a')])]), 'invalid_argument'],
    ['with JSON in a string of JSON', calls([call(JSON.stringify(whole('a')))]), 'invalid_argument'],
    ['with the word null', calls([call('null')]), 'invalid_argument'],
  ])('%s; the model is told, and goes on', async (_, reply, code) => {
    const { result, results, files } = await importFrom(reply, DONE)
    expect(results).toMatchObject([{ status: 'failed', code }])
    expect(files).toEqual([])
    expect(result).toMatchObject({ status: 'complete', reply: 'Done.', experiences: [] })
  })

  test('when it is one of several in a reply that was cut off, nor are the others', async () => {
    const { results, files } = await importFrom(calls([call(whole('a')), call(cut('b'), { id: 'b' })], 'length'), DONE)
    expect(results).toMatchObject([{ code: 'tool_arguments_truncated' }, { code: 'tool_arguments_truncated' }])
    expect(files).toEqual([])
  })
})

describe('a call that writes is made', () => {
  test('when only the one beside it does not close', async () => {
    const { results, files } = await importFrom(calls([call(whole('a')), call(cut('b'), { id: 'b' })]), DONE)
    expect(results).toMatchObject([{ status: 'committed' }, { code: 'tool_arguments_truncated' }])
    expect(files).toEqual([`${ROOT}/procedures/a.json`])
  })

  test('when its arguments come parsed', async () => {
    expect((await importFrom(calls([call(written('a'))]), DONE)).files).toEqual([`${ROOT}/procedures/a.json`])
  })

  test('with prose around it, which is no summary', async () => {
    const { result, files } = await importFrom(calls([call(whole('a'))], 'stop', 'I write it down now.'), DONE)
    expect(files).toEqual([`${ROOT}/procedures/a.json`])
    expect(result.reply).toBe('Done.')
  })

  test('once each under one id, and each result has an id of its own', async () => {
    const { asked, files } = await importFrom(calls([call(whole('a')), call(whole('b'))]), DONE)
    expect(files).toEqual([`${ROOT}/procedures/a.json`, `${ROOT}/procedures/b.json`])
    const sent = asked[1] ?? []
    const ids = sent.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    expect(sent.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(ids)
  })
})

test.each(['functions.procedure_create', ' procedure_create', '', '创建', 'a'.repeat(500)])(
  'the name %p goes back in a form that servers take',
  async (name) => {
    const { asked } = await importFrom(calls([call(whole('a'), { name })]), DONE)
    const [sent] = asked[1]?.flatMap(({ tool_calls }) => tool_calls ?? []) ?? []
    expect(sent?.function.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  },
)

describe('what a model only thought is no summary', () => {
  const thought = 'the agent seems to want a quokka'
  test.each<[string, Record<string, unknown>]>([
    ['in a thought without end', { content: `<think>${thought}` }],
    ['in a thought without end on a line of its own', { content: `Done.\n<think>\n${thought}` }],
    ['beside no content', { content: null, reasoning_content: thought }],
    ['beside an empty content', { content: '', reasoning: thought }],
    ['in brackets', { content: `[THINK]${thought}[/THINK]Done.` }],
    ['in the marks of another template', { content: `◁think▷${thought}◁/think▷Done.` }],
    ['in marks without end', { content: `<thought>${thought}` }],
  ])('%s', async (_, message) => {
    const { result, asked } = await importFrom(answer(message), DONE)
    expect(result).toMatchObject({ status: 'complete', reply: 'Done.' })
    expect(JSON.stringify(asked)).not.toContain('quokka')
    expect(
      [...machine.files.tree()]
        .filter((path) => path.endsWith('.jsonl'))
        .map((path) => machine.files.text(path))
        .join(''),
    ).not.toContain('quokka')
  })
})

test('a server that tells of the length under status 200 ends the import at once, resumable', async () => {
  const { result, asked } = await importFrom(
    json({ object: 'error', message: 'maximum context length is 9', code: 400 }),
  )
  expect(result).toMatchObject({ status: 'incomplete', error: { code: 'context_too_small', resumable: true } })
  expect(asked).toHaveLength(1)
})

test('a key that the server puts into replies and calls is in no file', async () => {
  const echoed = calls([call(JSON.stringify({ ...written('a'), content: `use ${KEY}` }))], 'tool_calls', KEY)
  await importFrom(echoed, answer({ content: `The key is ${KEY}.` }))
  for (const path of machine.files.tree().filter((each) => !each.endsWith('/')))
    expect(machine.files.text(path)).not.toContain(KEY)
})
