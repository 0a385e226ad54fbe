/**
 * What one session sees of another: each way to read, each kind of memory, asked for the one session, for the other, and for
 * none. A way to read that is added is added here.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { RememberingMachine } from '../fakes/remembering.ts'

const SESSIONS = ['a', 'b'] as const
type Session = (typeof SESSIONS)[number]
const DUE = '2020-01-01T00:00:00Z'

/** Memories of a session by their ids; what is its own, and what it gave to everybody. */
const own = (session: Session) => [`event-${session}`, `thought-${session}`, `plan-${session}`]
const shared = (session: Session) => [`fact-${session}`, `global-${session}`, `how-${session}`]

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

/** Each way to read, and what of a session's memories it shows to whom. */
interface Reading {
  readonly name: string
  readonly read: (session: Session | null) => Promise<unknown>
  /** Ids that must be in the answer for this session, or for none. */
  readonly shows: (session: Session | null) => readonly string[]
}

const READINGS: readonly Reading[] = [
  {
    name: 'session_show',
    read: async (session) => (session === null ? null : machine.run('session_show', { id: session })),
    shows: (session) => (session === null ? [] : [...own(session), ...shared(session)]),
  },
  {
    name: 'memory_due',
    read: (session) => machine.run('memory_due', session === null ? {} : { session }),
    shows: (session) => ['global-a', 'global-b', ...(session === null ? [] : [`plan-${session}`])],
  },
  { name: 'session_list', read: () => machine.run('session_list', {}), shows: () => [] },
]

const ASKERS = [...SESSIONS, null]

describe.each(READINGS)('$name', ({ read, shows }) => {
  test.each(ASKERS)('shows to session %p what it may see', async (session) => {
    const answer = JSON.stringify(await read(session))
    for (const id of shows(session)) expect(answer).toContain(`"${id}"`)
  })

  test.each(ASKERS.flatMap((session) => SESSIONS.map((other) => [session, other] as const)))(
    'shows to session %p of session %p nothing that is its own',
    async (session, other) => {
      if (session === other) return
      const answer = JSON.stringify(await read(session))
      for (const id of own(other)) expect(answer).not.toContain(`"${id}"`)
    },
  )
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
    expect(JSON.stringify(await machine.show('b'))).toContain('"status":"pending"')
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
