/** Lines that no client should send to `knowhow mcp`: each is answered as JSON-RPC has it, and the next one is none the worse. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LINE_BYTES_MAX } from '../../../src/surfaces/service/line-transport.ts'
import { makeKnownWorkspace } from '../../fakes/mcp-client.ts'
import { type Answer, McpProgram, SOURCES } from '../../fakes/mcp-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'knowhow-mcp-lines-'))
const MCP = [...SOURCES, 'mcp', '--workspace', folder]
let program: McpProgram

beforeAll(async () => {
  makeKnownWorkspace(folder)
  program = new McpProgram(MCP)
  await program.begin()
})

afterAll(async () => {
  program.endInput()
  // Whatever was written, nothing went to standard error, and all that came was a message.
  expect(await program.rest()).toEqual([])
  expect(await program.finished()).toEqual({ exit: 0, error: '' })
  rmSync(folder, { recursive: true })
})

const request = (fields: Readonly<Record<string, unknown>>) => JSON.stringify({ jsonrpc: '2.0', ...fields })
const call = (id: number, params: unknown) => request({ id, method: 'tools/call', params })
const search = (id: number, input: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"procedure_search","arguments":${input}}}`

type Row = readonly [
  name: string,
  line: string | Uint8Array,
  answers: readonly (readonly [id: unknown, code: number])[],
]

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

const TABLE: readonly Row[] = [
  ['text', 'hello', [[null, PARSE_ERROR]]],
  ['half a message', '{"jsonrpc":"2.0","id":1,', [[null, PARSE_ERROR]]],
  ['bytes that are no UTF-8', Uint8Array.of(0x22, 0xff, 0xfe, 0x22), [[null, PARSE_ERROR]]],
  [
    'bytes that are no UTF-8 within an argument',
    Uint8Array.from([...new TextEncoder().encode(search(1, '{"query":"')), 0xc3, 0x28, 0x22, 0x7d, 0x7d, 0x7d]),
    [[null, PARSE_ERROR]],
  ],
  ['a NUL', '\0', [[null, PARSE_ERROR]]],
  ['nothing', '', []],
  ['blanks', ' \t\r', []],
  ['a number', '5', [[null, INVALID_REQUEST]]],
  ['null', 'null', [[null, INVALID_REQUEST]]],
  ['an empty batch', '[]', [[null, INVALID_REQUEST]]],
  ['a batch of too many', JSON.stringify(Array.from({ length: 101 }, () => ({}))), [[null, INVALID_REQUEST]]],
  [
    'a batch with a bad message',
    `[${request({ id: 1, method: 'nothing' })},5]`,
    [
      [null, INVALID_REQUEST],
      [1, METHOD_NOT_FOUND],
    ],
  ],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', [[1, INVALID_REQUEST]]],
  ['no version of JSON-RPC', '{"id":"a","method":"ping"}', [['a', INVALID_REQUEST]]],
  ['an id that is none', request({ id: {}, method: 'ping' }), [[null, INVALID_REQUEST]]],
  ['an id that is null', request({ id: null, method: 'ping' }), [[null, INVALID_REQUEST]]],
  ['a method that is none', request({ id: 1, method: 5 }), [[null, INVALID_REQUEST]]],
  ['an unknown method', request({ id: 1, method: 'tools/drop' }), [[1, METHOD_NOT_FOUND]]],
  ['a method of something that it has not', request({ id: 1, method: 'resources/list' }), [[1, METHOD_NOT_FOUND]]],
  ['a method of every object', request({ id: 1, method: 'constructor' }), [[1, METHOD_NOT_FOUND]]],
  ['an unknown notification', request({ method: 'notifications/nothing' }), []],
  ['a request without an id, which is a notification', request({ method: 'tools/list' }), []],
  ['an answer that nobody has asked for', request({ id: 1, result: {} }), []],
  ['an error that nobody has asked for', request({ id: 1, error: { code: 1, message: 'x' } }), []],
  ['the cancelling of nothing', request({ method: 'notifications/cancelled', params: { requestId: 77 } }), []],
  ['a cancelling without an id', request({ method: 'notifications/cancelled', params: {} }), []],
  ['a call without a name', call(1, {}), [[1, INVALID_PARAMS]]],
  ['a call without parameters', request({ id: 1, method: 'tools/call' }), [[1, INVALID_PARAMS]]],
  ['a call with a list of arguments', call(1, { name: 'procedure_search', arguments: [] }), [[1, INVALID_PARAMS]]],
  ['a call of a tool of every object', call(1, { name: 'toString' }), [[1, INVALID_PARAMS]]],
  ['a member that is given twice', search(1, '{"query":"a","query":"b"}'), [[1, INVALID_REQUEST]]],
  ['a member of the parser itself', search(1, '{"query":"a","__proto__":{"limit":0}}'), [[1, INVALID_REQUEST]]],
  ['half of a surrogate pair', search(1, '{"query":"\\ud800"}'), [[1, INVALID_REQUEST]]],
  ['a line that is too long', search(1, `{"query":"${'x'.repeat(LINE_BYTES_MAX)}"}`), [[null, INVALID_REQUEST]]],
  ['brackets without an end', '['.repeat(100_000), [[null, PARSE_ERROR]]],
]

/** What comes before the answer to a question that is asked behind. Answers to malformed lines may overtake others. */
async function answersTo(line: string | Uint8Array, expected: number): Promise<readonly Answer[]> {
  program.write(line)
  program.write('\n')
  const answers: Answer[] = []
  while (answers.length < expected) answers.push(await program.next())
  program.send({ id: 'after', method: 'ping' })
  expect(await program.next()).toEqual({ jsonrpc: '2.0', id: 'after', result: {} })
  return answers
}

describe('an answer', () => {
  for (const [name, line, expected] of TABLE)
    test(`is right for ${name}`, async () => {
      const answers = await answersTo(line, expected.length)
      const told = answers.map(({ id, error }) => JSON.stringify([id, error?.code]))
      expect(told.toSorted()).toEqual(expected.map((answer) => JSON.stringify(answer)).toSorted())
    })

  test('is the only one to a request of a long line that is just short enough', async () => {
    const longest = LINE_BYTES_MAX - search(1, '{"query":""}').length
    const [answer] = await answersTo(search(1, `{"query":"${'x'.repeat(longest)}"}`), 1)
    expect(answer?.error).toBeUndefined()
  })

  test('refuses keys that every object has', async () => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
      const [answer] = await answersTo(search(1, `{"query":"cache","${key}":{"limit":1}}`), 1)
      expect(JSON.stringify(answer?.result)).toContain(`${key}: there is no such argument`)
    }
  })

  test('is there for a deeply nested argument', async () => {
    const nested = `{"query":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    const [answer] = await answersTo(search(1, nested), 1)
    expect(answer).toMatchObject({ id: 1, error: { message: expect.stringContaining('levels deep') } })
  })

  test('comes once for each request, also for those of one id', async () => {
    const twice = `${search(9, '{"query":"cache"}')}\n${search(9, '{"query":"cache"}')}`
    const answers = await answersTo(twice, 2)
    expect(answers.map(({ id }) => id)).toEqual([9, 9])
  })

  test('is not kept back by a flood of notifications', async () => {
    const flood = `${request({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })}\n`
    expect(await answersTo(flood.repeat(20_000), 0)).toEqual([])
  })

  test('names a revision that it speaks where the client asks for another', async () => {
    for (const [asked, given] of [
      ['1999-01-01', '2025-11-25'],
      ['2024-11-05', '2024-11-05'],
    ]) {
      const other = new McpProgram(MCP)
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      other.send({ id: 1, method: 'initialize', params })
      expect((await other.next()).result).toMatchObject({ protocolVersion: given })
      other.endInput()
      expect((await other.finished()).exit).toBe(0)
    }
  })
})
