import { beforeEach, describe, expect, test } from 'bun:test'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write('/home/dev/run.log', 'one two three\n'.repeat(100))
})

const run = (...argv: readonly string[]) => runCaptured(argv, machine)
const answerOf = async (...argv: readonly string[]) => JSON.parse((await run(...argv, '--json')).out) as unknown
const smallSegments = () => machine.configure({ token_limits: { segment: 60 }, extraction: { iterations_max: 10 } })

describe('knowhow import --dry-run', () => {
  test('tells what an import would do, and neither stores nor asks', async () => {
    smallSegments()
    const chat = machine.script()
    const before = machine.files.tree()
    const forecast = await answerOf('import', 'run.log', '--dry-run')
    expect(machine.files.tree()).toEqual(before)
    expect(chat.requests).toEqual([])
    expect(forecast).toMatchObject({ dry_run: true, file: 'run.log', format: 'log', extractor: 'llm', tokens: 300 })
    const { segments, requests } = forecast as { segments: number; requests: unknown }
    expect(requests).toEqual({ least: segments, most: 10 * segments })
    expect(await answerOf('import', 'run.log', '--extractor', 'offline')).toMatchObject({
      segments: { done: segments, total: segments },
    })
  })

  test('asks nobody offline, and no more than the cap', async () => {
    expect(await answerOf('import', 'run.log', '--dry-run')).toMatchObject({
      extractor: 'offline',
      requests: { least: 0, most: 0 },
    })
    smallSegments()
    machine.script()
    expect(await answerOf('import', 'run.log', '--dry-run', '--max-requests', '2')).toMatchObject({
      requests: { least: 2, most: 2 },
    })
  })

  test('counts no calls for segments of white space alone', async () => {
    machine.script()
    machine.files.write('/home/dev/blank.log', ' \n'.repeat(50))
    expect(await answerOf('import', 'blank.log', '--dry-run')).toMatchObject({ requests: { least: 0, most: 0 } })
  })

  test('answers for each of several files, a fault of one included', async () => {
    machine.files.write('/home/dev/broken.jsonl', '{"a":\n')
    const answer = await answerOf('import', 'run.log', 'broken.jsonl', '--dry-run')
    expect(answer).toMatchObject({
      imports: [
        { dry_run: true, file: 'run.log' },
        { status: 'failed', file: 'broken.jsonl', error: { code: 'malformed_input' } },
      ],
    })
    expect(await run('import', 'run.log', 'broken.jsonl', '--dry-run')).toMatchObject({ exit: 1 })
  })

  test('is shown to people, and makes no workspace', async () => {
    const { exit, out } = await run('import', 'run.log', '--dry-run')
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'dry run  run.log\n  log · offline · 300 tokens, 1 segment, no model calls; nothing was stored\n',
    })
    expect(machine.files.read(`${ROOT}/.gitignore`)).toBeNull()
  })

  test.each([
    [['--filename', 'CON.txt'], 'invalid_name'],
    [['--filename', '../x'], 'invalid_name'],
    [['--request-id', 'bad id'], 'invalid_argument'],
    [['--extractor', 'llm'], 'llm_unavailable'],
  ])('refuses what the import would refuse: %j', async (flags, code) => {
    expect(await answerOf('import', 'run.log', '--dry-run', ...flags)).toMatchObject({ error: { code } })
  })

  test('does not go with --resume', async () => {
    expect(await answerOf('import', '--resume', 'a', '--dry-run')).toMatchObject({
      error: { code: 'invalid_argument' },
    })
  })
})
