import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../../src/model/memory-error.ts'
import { typedLines } from '../../../src/surfaces/repl/line-talk.ts'
import { runCaptured } from '../../fakes/captured-terminal.ts'
import { FakeConversation } from '../../fakes/fake-conversation.ts'
import { ROOT } from '../../fakes/fake-machine.ts'
import { RememberingMachine } from '../../fakes/remembering.ts'

let machine: RememberingMachine

beforeEach(() => {
  machine = new RememberingMachine()
  machine.environment = { KNOWHOW_WORKSPACE: ROOT }
  const experience = { description: 'Clear it', 'when-to-use': 'When builds are stale', content: 'Clear.', sources: [] }
  machine.files.write(`${ROOT}/procedures/clear-cache.json`, JSON.stringify(experience))
})

const script = (lines: string, argv: readonly string[] = [], signal?: AbortSignal) =>
  runCaptured(['repl', ...argv], machine, signal, lines)

describe('a script', () => {
  test('is answered line by line, without prompts', async () => {
    const { exit, out, error } = await script('stale builds\n\n/read 1\n')
    expect({ exit, error }).toEqual({ exit: 0, error: '' })
    expect(out).toMatch(/^1\. Clear it\n[\s\S]*Sources: none\n$/)
  })

  test('needs no line end at its end, and may have those of Windows', async () => {
    expect((await script('/limit\r\nstale builds')).out).toMatch(/^limit: [^\r]*\n1\. Clear it\n/)
  })

  test('ends where it says so', async () => {
    expect(await script('/quit\n/nope\n')).toEqual({ exit: 0, out: '', error: '' })
  })

  test.each([
    ['0 where all is well', 'stale\nzebra\n', 0],
    ['1 for what cannot be done', 'stale\n/read procedures/none\nstale\n', 1],
    ['2 for wrong usage, which counts more', '/nope\n/read procedures/none\n', 2],
  ])('ends with %s', async (_, lines, exit) => {
    expect((await script(lines)).exit).toBe(exit)
  })

  test('goes on behind an error, which is told beside the answers', async () => {
    const { out, error } = await script('/nope\nstale\n')
    expect(error).toMatch(/^knowhow: there is no command "\/nope"/)
    expect(out).toStartWith('1. Clear it')
  })

  test('gets one document a line with --json, errors among them', async () => {
    const { out, error } = await script('stale\n/nope\n/sessions\n', ['--json'])
    const documents = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(documents).toMatchObject([{ query: 'stale' }, { error: { code: 'unknown_command' } }, { sessions: [] }])
    expect(error).toBe('')
  })

  test('is stopped by an interruption, with its exit code', async () => {
    expect((await script('stale\n', [], AbortSignal.abort())).exit).toBe(130)
  })

  test('keeps no history', async () => {
    machine.environment = { ...machine.environment, HOME: '/home/dev' }
    await script('stale\n')
    expect(machine.privateLines.files.size).toBe(0)
  })
})

test('a line of more than a megabyte is refused, and those behind it answered', async () => {
  const long = 'x'.repeat(1024 * 1024 + 1)
  for (const [input, answered] of [
    [long, 0],
    [`${long}\nstale\n`, 1],
    [`stale\n${long}\r\nstale`, 2],
  ] as const) {
    const { exit, out, error } = await script(input, ['--json'])
    const documents = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly query?: string })
    expect({ exit, error }).toEqual({ exit: 2, error: '' })
    expect(documents.filter(({ query }) => query === 'stale')).toHaveLength(answered)
    expect(out).toContain('a line has more than 1048576 characters')
  }
})

test('lines are whole wherever what is typed is cut', async () => {
  const lines: (string | null)[] = []
  for await (const line of typedLines(new FakeConversation(['a', 'b\nc\r', '\n', '\nd']))) lines.push(line)
  expect(lines).toEqual(['ab', 'c', '', 'd'])
})

test('without a command and without a terminal there is help, as ever', async () => {
  expect(await runCaptured([], machine)).toMatchObject({ exit: 0, out: expect.stringContaining('Usage:') })
})

test('nobody is offered to write an experience or to import a log', async () => {
  for (const line of ['/create x', '/update x', '/import x', '/reindex', '/procedure_create x'])
    expect(await script(`${line}\n`)).toMatchObject({ exit: 2, out: '' })
})

test('a fault of the disk ends no script', async () => {
  machine.privateLines.fault = new MemoryError('disk_full', 'no room')
  expect((await script('stale\n')).exit).toBe(0)
})
