/** An import without a model. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { type FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { FILE, importInto, machineWithLog, texts } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

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

  describe('of an experience that differs in what the passing command printed', () => {
    const later = async (log: string) => {
      await importFile({ request_id: 'a' })
      machine.files.write(FILE, log)
      return (await importFile({ request_id: 'b' })).experiences
    }

    test('adds its source, and leaves what is quoted there', async () => {
      expect(await later(LOG.replace('3 files', '5 files'))).toMatchObject([{ action: 'updated' }])
      const [path = '', ...others] = written()
      expect(others).toEqual([])
      const { content, sources } = JSON.parse(machine.files.text(path))
      expect(content).toEndWith('\n    3 files written')
      expect(sources).toHaveLength(2)
    })

    test.each([
      ['another error', LOG.replace('target x', 'target y')],
      ['another step', LOG.replace('vi Makefile', 'vi rules.mk')],
      ['other evidence of the pass', LOG.replace('files written', 'files written\n[exit 0]')],
    ])('writes one of its own at %s', async (_, log) => {
      expect(await later(log)).toMatchObject([{ action: 'created' }])
    })

    test('writes one of its own beside one whose end a hand has gone on with', async () => {
      await importFile({ request_id: 'a' })
      const [path = ''] = written()
      const stored = JSON.parse(machine.files.text(path))
      machine.files.write(path, JSON.stringify({ ...stored, content: `${stored.content}\nNever on Mondays.` }))
      expect((await importFile({ request_id: 'b' })).experiences).toMatchObject([{ action: 'created' }])
    })
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
