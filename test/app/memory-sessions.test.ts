import { describe, expect, test } from 'bun:test'
import { ROOT } from '../fakes/fake-machine.ts'
import { idsOf, RememberingMachine } from '../fakes/remembering.ts'

describe('session start', () => {
  test('begins an active session now, with what is said of it', async () => {
    const machine = new RememberingMachine()
    expect(await machine.run('session_start', { id: 's', user: 'ann', context: 'repair the build' })).toEqual({
      session_id: 's',
      start_time: '2026-01-02T03:04:05.000Z',
      end_time: null,
      user_id: 'ann',
      context: 'repair the build',
      status: 'active',
    })
  })

  test('makes up an id, another each time', async () => {
    const machine = new RememberingMachine()
    const first = await machine.run<{ session_id: string }>('session_start', {})
    const second = await machine.run<{ session_id: string }>('session_start', {})
    expect(first.session_id).not.toBe(second.session_id)
  })

  test('refuses an id that is taken, also by a session that has ended', async () => {
    const machine = new RememberingMachine()
    await machine.begin('s')
    await expect(machine.begin('s')).rejects.toMatchObject({ code: 'session_exists' })
    await machine.run('session_end', { id: 's' })
    await expect(machine.begin('s')).rejects.toMatchObject({ code: 'session_exists' })
  })

  test.each([[''], [' a'], ['a\nb'], ['x'.repeat(501)], ['\ud800']])('refuses %j as an id', async (id) => {
    await expect(new RememberingMachine().begin(id)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { field: 'id' },
    })
  })
})

/** A session with one memory of each kind and fate. */
async function fullSession() {
  const machine = new RememberingMachine()
  const session = await machine.begin('s')
  await machine.remember('episodic', { session, memory_id: 'trifle', content: 'a', importance_score: 0.7 })
  await machine.remember('episodic', { session, memory_id: 'unrated', content: 'b' })
  await machine.remember('episodic', { session, memory_id: 'important', content: 'c', importance_score: 0.71 })
  await machine.remember('episodic', { session, memory_id: 'source', content: 'd', importance_score: 0.1 })
  await machine.remember('semantic', { session, memory_id: 'fact', concept: 'f', content: 'e' })
  await machine.link('DERIVES_FROM', 'fact', 'source')
  await machine.remember('working', { session, memory_id: 'thought', content: 'g' })
  await machine.remember('prospective', { session, memory_id: 'own-plan', intention: 'h', scope: 'session' })
  await machine.remember('prospective', { session, memory_id: 'plan', intention: 'i', scope: 'global' })
  await machine.remember('procedural', { memory_id: 'how', procedure_name: 'how' })
  await machine.run('memory_used', { procedure: 'how', session, success: true })
  return machine
}

describe('session end', () => {
  test('destroys what is its own, but for what knowledge derives from and what is important', async () => {
    const machine = await fullSession()
    machine.clock.advance(1000)
    expect(await machine.run('session_end', { id: 's' })).toMatchObject({
      status: 'completed',
      end_time: '2026-01-02T03:04:06.000Z',
    })
    const shown = await machine.show('s')
    expect(idsOf(shown.episodic)).toEqual(['important', 'source'])
    expect(shown.working).toEqual([])
    expect(idsOf(shown.prospective)).toEqual(['plan'])
    expect(idsOf(shown.semantic)).toEqual(['fact'])
    expect(idsOf(shown.procedural)).toEqual(['how'])
  })

  test('keeps an important event once it is consolidated, too', async () => {
    const machine = await fullSession()
    await machine.link('DERIVES_FROM', 'fact', 'important')
    await machine.run('session_end', { id: 's' })
    await machine.run('session_archive', { id: 's' })
    expect(idsOf((await machine.show('s')).episodic)).toEqual(['important', 'source'])
  })

  test('cannot end what has ended', async () => {
    const machine = await fullSession()
    await machine.run('session_end', { id: 's' })
    await expect(machine.run('session_end', { id: 's' })).rejects.toMatchObject({ code: 'session_ended' })
  })
})

describe('session archive', () => {
  test.each([[true], [false]])('destroys all but what knowledge derives from (ended before: %p)', async (isEnded) => {
    const machine = await fullSession()
    if (isEnded) await machine.run('session_end', { id: 's' })
    expect(await machine.run('session_archive', { id: 's' })).toMatchObject({
      status: 'archived',
      end_time: '2026-01-02T03:04:05.000Z',
    })
    const shown = await machine.show('s')
    expect(idsOf(shown.episodic)).toEqual(['source'])
    expect(idsOf(shown.prospective)).toEqual(['plan'])
    await expect(machine.run('session_archive', { id: 's' })).rejects.toMatchObject({ code: 'session_ended' })
  })
})

test('nothing more is remembered in a session that has ended', async () => {
  const machine = await fullSession()
  await machine.run('session_end', { id: 's' })
  const session = 's'
  const writes: readonly (readonly [string, Record<string, unknown>])[] = [
    ['memory_remember', { kind: 'episodic', session, content: 'x' }],
    ['memory_remember', { kind: 'working', session, content: 'x' }],
    ['memory_remember', { kind: 'semantic', session, concept: 'x', content: 'x' }],
    ['memory_remember', { kind: 'prospective', session, intention: 'x' }],
    ['memory_used', { procedure: 'how', session, success: true }],
    ['memory_trigger', { event: 'x', session }],
  ]
  for (const [name, input] of writes)
    await expect(machine.run(name, input)).rejects.toMatchObject({ code: 'session_ended' })
})

describe('a session that there is not', () => {
  test.each([
    ['session_end', { id: 'no' }],
    ['session_archive', { id: 'no' }],
    ['session_show', { id: 'no' }],
    ['memory_remember', { kind: 'episodic', session: 'no', content: 'x' }],
    ['memory_remember', { kind: 'working', session: 'no', content: 'x' }],
    ['memory_remember', { kind: 'semantic', session: 'no', concept: 'x', content: 'x' }],
    ['memory_used', { procedure: 'x', session: 'no', success: true }],
    ['memory_trigger', { event: 'x', session: 'no' }],
    ['memory_due', { session: 'no' }],
    ['memory_complete', { id: 'x', session: 'no' }],
  ] as const)('is session_not_found for %s %j, and no workspace is made', async (name, input) => {
    const machine = new RememberingMachine()
    await expect(machine.run(name, input)).rejects.toMatchObject({
      code: 'session_not_found',
      message: expect.stringContaining('"no"'),
    })
    expect(machine.files.names(ROOT)).toBeNull()
  })
})

describe('reading where there is no graph', () => {
  test.each([
    ['session_list', {}, { sessions: [] }],
    ['memory_due', {}, { intentions: [] }],
    ['memory_history', { concept: 'x' }, { concept: 'x', versions: [] }],
    ['memory_sweep', {}, { triggered: [], expired: [], removed: 0 }],
  ] as const)('%s answers as for an empty one and makes nothing', async (name, input, answer) => {
    const machine = new RememberingMachine()
    expect(await machine.run<object>(name, input)).toEqual(answer)
    expect(machine.files.names(ROOT)).toBeNull()
  })
})

test('session list names all, the latest first', async () => {
  const machine = new RememberingMachine()
  for (const id of ['a', 'c', 'b']) {
    await machine.begin(id)
    machine.clock.advance(1)
  }
  const { sessions } = await machine.run<{ sessions: readonly { session_id: string }[] }>('session_list', {})
  expect(sessions.map(({ session_id }) => session_id)).toEqual(['b', 'c', 'a'])
})
