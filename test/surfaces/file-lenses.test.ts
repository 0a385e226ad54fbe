import { beforeEach, describe, expect, test } from 'bun:test'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
})

const write = (name: string, text: string | Uint8Array) => machine.files.write(`/home/dev/${name}`, text)
const run = (...argv: readonly string[]) => runCaptured(argv, machine)
const answerOf = async (...argv: readonly string[]) => JSON.parse((await run(...argv, '--json')).out) as unknown

const SESSION = '$ make test\nerror: x is missing\n$ touch x\n$ make test\n1 passed\n$ ls\n'
// Assembled, so that no scanner takes this file for a leak.
const TOKEN = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')

describe('knowhow inspect', () => {
  test('tells what an offline import would see, and stores nothing', async () => {
    write('run.log', SESSION)
    const before = machine.files.tree()
    expect(await answerOf('inspect', 'run.log')).toEqual({
      format: 'log',
      producer: 'shell-transcript',
      records: 0,
      turns: 0,
      tools: 4,
      failures: 1,
      fixes: 1,
      tokens: machine.tokenizer.count(SESSION),
    })
    expect(machine.files.tree()).toEqual(before)
  })

  test('goes by the content, not by the name', async () => {
    const chat = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
    ]
    write('notes.log', chat.map((message) => JSON.stringify(message)).join('\n'))
    expect(await answerOf('inspect', 'notes.log')).toMatchObject({
      format: 'log',
      producer: 'openai-chat',
      turns: 2,
      records: 2,
    })
    write('chat.jsonl', '{"a": 1}\n')
    expect(await answerOf('inspect', 'chat.jsonl')).toMatchObject({
      format: 'jsonl',
      producer: null,
      records: 1,
      tools: 0,
    })
  })

  test('is shown to people', async () => {
    write('run.log', SESSION)
    expect((await run('inspect', 'run.log')).out).toMatch(
      /^log, by shell-transcript, \d+ tokens\n0 turns, 4 calls, 1 failed, 1 fix seen\n$/,
    )
    write('a.txt', 'hello')
    expect((await run('inspect', 'a.txt')).out).toContain('text, by no known producer')
  })

  test.each([
    ['broken.jsonl', '{"a":\n', 'malformed_input', 'broken.jsonl, line 1'],
    ['a.bin', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'unsupported_format', 'a.bin'],
  ])('names a file that is none: %s', async (name, content, code, words) => {
    write(name, content)
    expect(await answerOf('inspect', name)).toMatchObject({ error: { code, message: expect.stringContaining(words) } })
  })
})

describe('knowhow scan', () => {
  test('tells kind and line of each, and equal values by their mask, but never a value', async () => {
    write('run.log', `one\nexport GITHUB_TOKEN=${TOKEN}\n\npassword = "hunter2-Xy!9"\nagain ${TOKEN}\n`)
    const { out } = await run('scan', 'run.log', '--json')
    expect(JSON.parse(out)).toEqual({
      secrets: [
        { kind: 'github-token', line: 2, mask: '[secret:github-token:1]' },
        { kind: 'password', line: 4, mask: '[secret:password:1]' },
        { kind: 'github-token', line: 5, mask: '[secret:github-token:1]' },
      ],
      kinds: { 'github-token': 2, password: 1 },
    })
    const shown = await run('scan', 'run.log')
    for (const text of [out, shown.out, shown.error]) {
      expect(text).not.toContain(TOKEN)
      expect(text).not.toContain('hunter2')
    }
    expect(shown.out).toBe(
      'line 2  [secret:github-token:1]\nline 4  [secret:password:1]\nline 5  [secret:github-token:1]\n\n2 github-token, 1 password\n',
    )
  })

  test('finds what an import masks: a value also where no name tells it', async () => {
    write('run.log', `the key is a1B2c3D4e5F6g7H8\nAPI_KEY=a1B2c3D4e5F6g7H8\n`)
    expect(await answerOf('scan', 'run.log')).toMatchObject({ secrets: [{ line: 1 }, { line: 2 }] })
    const forecast = await answerOf('import', 'run.log', '--dry-run')
    expect(forecast).toMatchObject({ redactions: 2 })
  })

  test('counts the lines of a key that spans several', async () => {
    const body = `${'Ab3dEf5hIj7lMn9p'.repeat(4)}\n`.repeat(3)
    const key = ['-----BEGIN', ' PRIVATE KEY-----\n', body, '-----END', ' PRIVATE KEY-----\n'].join('')
    write('key.txt', `a\n${key}token = "${TOKEN}"\n`)
    expect(await answerOf('scan', 'key.txt')).toMatchObject({
      secrets: [
        { kind: 'private-key', line: 2 },
        { kind: 'github-token', line: 7 },
      ],
    })
  })

  test('says when there is none, and looks into no workspace', async () => {
    write('a.txt', 'hello')
    expect(await run('scan', 'a.txt')).toMatchObject({ exit: 0, out: 'no secrets found\n', error: '' })
    expect(machine.files.read(ROOT)).toBeNull()
  })
})
