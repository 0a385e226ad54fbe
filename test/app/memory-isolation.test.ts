/** What one session can do to another's: nothing. What it sees of another's: see memory-visibility.test.ts. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { RememberingMachine } from '../fakes/remembering.ts'

const SESSIONS = ['a', 'b'] as const
const DUE = '2020-01-01T00:00:00Z'

let machine: RememberingMachine

beforeAll(async () => {
  machine = new RememberingMachine()
  for (const session of SESSIONS) {
    await machine.begin(session)
    const plan = { session, intention: 'ask again', due_date: DUE }
    await machine.remember('episodic', { session, memory_id: `event-${session}`, content: 'the cache is stale' })
    await machine.remember('working', { session, memory_id: `thought-${session}`, content: 'clear the cache' })
    await machine.remember('prospective', { ...plan, memory_id: `plan-${session}`, scope: 'session' })
    await machine.remember('prospective', { ...plan, memory_id: `global-${session}`, scope: 'global' })
    await machine.remember('semantic', {
      session,
      memory_id: `fact-${session}`,
      concept: session,
      content: 'stale cache',
    })
    await machine.remember('procedural', { memory_id: `how-${session}`, procedure_name: `how-${session}` })
    await machine.run('memory_used', { procedure: `how-${session}`, session, success: true })
  }
  await machine.link('DERIVES_FROM', 'fact-a', 'event-a')
})

describe('memory_trigger', () => {
  test("does not reach another session's own intention, nor one's own without its words", async () => {
    const trigger_condition = 'rain'
    for (const session of SESSIONS)
      await machine.remember('prospective', {
        session,
        memory_id: `wet-${session}`,
        intention: 'x',
        trigger_condition,
        scope: 'session',
      })
    const answer = JSON.stringify(await machine.run('memory_trigger', { event: 'rain', session: 'a' }))
    expect(answer).toContain('wet-a')
    expect(answer).not.toContain('wet-b')
    const { prospective } = await machine.show('b')
    expect(prospective.find(({ memory_id }) => memory_id === 'wet-b')).toMatchObject({ status: 'pending' })
  })
})

test("memory_complete in the name of a session does not find another's own intention", async () => {
  await expect(machine.run('memory_complete', { id: 'plan-b', session: 'a' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await machine.run('memory_complete', { id: 'plan-a', session: 'a' })).toMatchObject({
    memory: { status: 'completed' },
  })
})

test('what an event recalls lies in its own session', async () => {
  const { records } = await machine.run<{ records: readonly Record<string, string>[] }>('memory_export', {})
  await machine.remember('episodic', { session: 'a', memory_id: 'event-a2', content: 'the cache is stale again' })
  const after = await machine.run<{ records: readonly Record<string, string>[] }>('memory_export', {})
  const links = after.records.filter(({ relation }) => relation === 'RECALLS')
  expect(records.filter(({ relation }) => relation === 'RECALLS')).toEqual([])
  expect(links.map(({ from, to }) => [from, to])).toEqual([['event-a2', 'event-a']])
})
