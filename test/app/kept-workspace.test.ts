import { describe, expect, test } from 'bun:test'
import { type KeptOptions, KeptWorkspace } from '../../src/app/kept-workspace.ts'
import { operationsFor } from '../../src/app/operation-table.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

const SETTINGS = `${ROOT}/knowhow.json`

/** Of what the tests look at. */
interface Answer {
  readonly results: readonly unknown[]
  readonly sessions: readonly unknown[]
  readonly hits: readonly unknown[]
  readonly text: string
}

function kept(machine: FakeMachine, options?: KeptOptions) {
  const workspace = new KeptWorkspace(machine, { root: ROOT, configPath: null, command: 'serve' }, options)
  const said: string[] = []
  const ask = async (name: string, input: unknown) => {
    const operation = operationsFor('cli').find((one) => one.name === name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    const running = {
      progress: () => {},
      say: (text: string) => void said.push(text),
      yieldToSignals: async () => {},
      signal: new AbortController().signal,
    }
    return (await workspace.ask(operation, input, running)) as Answer
  }
  return { workspace, ask, said }
}

function experience(words: string): string {
  return JSON.stringify({ description: words, 'when-to-use': words, content: words, sources: [] })
}

describe('a workspace that is kept open', () => {
  test('sees what another process has written since the last question', async () => {
    const machine = new FakeMachine()
    const { ask } = kept(machine)
    expect((await ask('procedure_search', { query: 'gateway' })).results).toEqual([])
    machine.files.write(`${ROOT}/procedures/a.json`, experience('the gateway is slow'))
    expect((await ask('procedure_search', { query: 'gateway' })).results).toMatchObject([{ path: 'procedures/a.json' }])
    await machine.run('session_start', { id: 'of another process' })
    expect((await ask('session_list', {})).sessions).toMatchObject([{ session_id: 'of another process' }])
  })

  test('answers by settings that have changed since', async () => {
    const machine = new FakeMachine()
    for (const name of ['a', 'b', 'c'])
      machine.files.write(`${ROOT}/procedures/${name}.json`, experience(`leak ${name}`))
    const { ask } = kept(machine)
    expect((await ask('procedure_search', { query: 'leak' })).results).toHaveLength(3)
    machine.files.write(SETTINGS, '{"search":{"limit":2}}')
    expect((await ask('procedure_search', { query: 'leak' })).results).toHaveLength(2)
    machine.files.remove(SETTINGS)
    expect((await ask('procedure_search', { query: 'leak' })).results).toHaveLength(3)
  })

  test('tells of wrong settings with each question, and answers again once they are right', async () => {
    const machine = new FakeMachine()
    const { ask } = kept(machine)
    await ask('session_list', {})
    machine.files.write(SETTINGS, '{"search":{"limits":2}}')
    for (const _ of [1, 2]) await expect(ask('session_list', {})).rejects.toMatchObject({ code: 'invalid_config' })
    machine.files.remove(SETTINGS)
    expect((await ask('session_list', {})).sessions).toEqual([])
  })

  test('answers what is asked while its settings change', async () => {
    const machine = new FakeMachine()
    machine.files.write(`${ROOT}/procedures/a.json`, experience('the gateway is slow'))
    const { ask, workspace } = kept(machine)
    const first = ask('memory_recall', { query: 'gateway' })
    machine.files.write(SETTINGS, '{"search":{"limit":2}}')
    const second = ask('memory_recall', { query: 'gateway' })
    workspace[Symbol.dispose]()
    for (const answer of await Promise.all([first, second]))
      expect(answer.hits).toMatchObject([{ memory: { memory_id: 'procedures/a.json' } }])
  })

  test('says what is to be said of the workspace with each question', async () => {
    const { ask, said } = kept(new FakeMachine())
    await ask('procedure_search', { query: 'gateway' })
    await ask('procedure_search', { query: 'gateway' })
    expect(said).toEqual([expect.stringContaining('no workspace'), expect.stringContaining('no workspace')])
  })

  test('hides the secrets of an original only where that is asked for', async () => {
    const machine = new FakeMachine()
    const path = 'session/trajectories/run.log'
    machine.files.write(`${ROOT}/${path}`, 'export DB_PASSWORD=hunter2-but-longer\n')
    const plain = await kept(machine).ask('procedure_read', { path })
    expect(plain.text).toContain('hunter2')
    const masked = await kept(machine, { masksOriginals: true }).ask('procedure_read', { path })
    expect(masked.text).toBe('export DB_PASSWORD=[secret:password:1]\n')
  })
})
