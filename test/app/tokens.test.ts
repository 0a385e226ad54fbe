import { beforeEach, describe, expect, test } from 'bun:test'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { diskMachine } from '../fakes/disk-machine.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write('/logs/a.log', 'one two')
  machine.files.write('/logs/b.log', '\ufeffthree')
})

test('tokens are those of the decoded text, of each file and of all', async () => {
  expect(await machine.run('tokens', { files: ['/logs/a.log', '/logs/b.log'] })).toEqual({
    tokenizer: 'builtin:qwen3',
    engine: 'js',
    files: [
      { path: '/logs/a.log', tokens: 2, bytes: 7 },
      { path: '/logs/b.log', tokens: 1, bytes: 8 },
    ],
    tokens: 3,
  })
})

test('nothing is made, and nobody is told of a missing workspace', async () => {
  const before = machine.files.tree()
  const { exit, out, error } = await runCaptured(['tokens', '/logs/a.log'], machine)
  expect({ exit, out, error }).toEqual({
    exit: 0,
    out: '2  /logs/a.log 7 bytes\nbuiltin:qwen3, engine js\n',
    error: '',
  })
  expect(machine.files.tree()).toEqual(before)
})

describe('an error', () => {
  test.each<[string, string, string | Uint8Array, string]>([
    ['names a file that is missing', '/logs/none', '', 'not_found'],
    ['names a file that is no text', '/logs/x.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47), 'unsupported_format'],
  ])('%s', async (_, path, content, code) => {
    if (content !== '') machine.files.write(path, content)
    await expect(machine.run('tokens', { files: ['/logs/a.log', path] })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(path),
    })
  })

  test('says that a file is to be named', async () => {
    expect(await runCaptured(['tokens'], machine)).toMatchObject({
      exit: 2,
      error: expect.stringContaining('at least one'),
    })
  })
})

describe('on a real disk', () => {
  const tokensOf = (...files: readonly string[]) => runCaptured(['tokens', ...files, '--json'], diskMachine())

  test.skipIf(process.platform !== 'linux')('a file that states no size is counted whole', async () => {
    const [file] = JSON.parse((await tokensOf('/proc/self/limits')).out).files
    expect(file.bytes).toBeGreaterThan(500)
    expect(file.tokens).toBeGreaterThan(100)
  })

  test('one missing file among others is named, with the next step', async () => {
    const { exit, out } = await tokensOf(import.meta.path, 'nowhere.log', import.meta.path)
    const error = { code: 'not_found', message: expect.stringMatching(/\/nowhere\.log; check the path$/) }
    expect(exit).toBe(1)
    expect(JSON.parse(out)).toEqual({ error: { ...error, resumable: false } })
  })

  test.each(['tokens', 'import'])('%s - says that standard input is not read', async (command) => {
    const { exit, error } = await runCaptured([command, '-'], diskMachine())
    expect(exit).toBe(2)
    expect(error).toContain('standard input is not read')
  })
})
