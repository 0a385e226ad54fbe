import { beforeEach, describe, expect, test } from 'bun:test'
import { idsOf, type Memory, RememberingMachine } from '../fakes/remembering.ts'

const HOUR_MS = 3_600_000
/** When the machine's clock begins. */
const NOW = Date.parse('2026-01-02T03:04:05.000Z')
const at = (ms: number) => new Date(NOW + ms).toISOString()

let machine: RememberingMachine

beforeEach(async () => {
  machine = new RememberingMachine()
  await machine.begin('s')
})

interface Swept {
  readonly triggered: readonly Memory[]
  readonly expired: readonly Memory[]
  readonly removed: number
}

const sweep = (input: { readonly at?: string } = {}) => machine.run<Swept>('memory_sweep', input)
const working = async () => idsOf((await machine.show('s')).working)
const stats = () => machine.run<{ memories: Record<string, number> }>('memory_stats', {})

describe('working memory', () => {
  test('is gone to the millisecond when its time is over, before anybody sweeps', async () => {
    await machine.remember('working', { session: 's', memory_id: 'w', content: 'x', ttl_seconds: 10 })
    machine.clock.advance(9_999)
    expect(await working()).toEqual(['w'])
    machine.clock.advance(1)
    expect(await working()).toEqual([])
    expect(await machine.run<object>('memory_stats', {})).toMatchObject({
      memories: { working: 0 },
      relations: { CONTAINS_WORKING: 0 },
    })
    expect(await machine.run<object>('memory_validate', {})).toMatchObject({
      counts: { working: 0 },
      sessions: [{ working_count: 0 }],
    })
    expect((await sweep()).removed).toBe(1)
    expect((await stats()).memories.working).toBe(0)
    expect((await sweep()).removed).toBe(0)
  })

  test('lives an hour unless it says otherwise, or the settings do', async () => {
    expect(await machine.remember('working', { session: 's', content: 'x' })).toMatchObject({ ttl_seconds: 3600 })
    machine.configure({ memory: { working_ttl_seconds: 60 } })
    expect(await machine.remember('working', { session: 's', content: 'x' })).toMatchObject({ ttl_seconds: 60 })
  })

  test('of no time is over at once', async () => {
    await machine.remember('working', { session: 's', content: 'x', ttl_seconds: 0 })
    expect(await working()).toEqual([])
  })

  test.each([[3600], [1800]])('halves its activation every %d seconds', async (halfLife) => {
    machine.configure({ memory: { activation_half_life_seconds: halfLife } })
    await machine.remember('working', { session: 's', content: 'x', ttl_seconds: 1_000_000 })
    const level = async () => (await machine.show('s')).working[0]?.activation_level
    expect(await level()).toBe(1)
    machine.clock.advance(halfLife * 1000)
    expect(await level()).toBe(0.5)
    machine.clock.advance(halfLife * 2000)
    expect(await level()).toBe(0.125)
  })

  test('is shown with what matters most first, and of that the newest', async () => {
    for (const [memory_id, priority] of [
      ['low', 1],
      ['old', 5],
      ['new', 5],
    ] as const) {
      await machine.remember('working', { session: 's', memory_id, content: 'x', priority })
      machine.clock.advance(1)
    }
    expect(await working()).toEqual(['new', 'old', 'low'])
  })

  test('activates the concepts that it is most like, in their current version', async () => {
    await machine.remember('semantic', {
      memory_id: 'old',
      concept: 'cache',
      content: 'the cache of builds goes stale',
    })
    await machine.remember('semantic', {
      memory_id: 'now',
      concept: 'cache',
      content: 'the cache of builds goes stale',
    })
    await machine.remember('semantic', { memory_id: 'far', concept: 'tokens', content: 'renew them monthly' })
    await machine.remember('working', { session: 's', memory_id: 'w', content: 'clear the stale cache' })
    expect(await linksOf('ACTIVATES')).toEqual([
      { relation: 'ACTIVATES', from: 'w', to: 'now', activation_strength: expect.any(Number), timestamp: at(0) },
    ])
  })
})

async function linksOf(relation: string): Promise<readonly Record<string, unknown>[]> {
  const { records } = await machine.run<{ records: readonly Record<string, unknown>[] }>('memory_export', {})
  return records.filter((record) => record.relation === relation)
}

describe('what is due', () => {
  test('is pending and its date has come, the most urgent first', async () => {
    const plans = [
      ['none', 'low', undefined],
      ['later', 'critical', at(1)],
      ['low', 'low', at(-1)],
      ['medium', 'medium', at(0)],
      ['high', 'high', at(-1)],
      ['older', 'high', at(-2)],
      ['critical', 'critical', at(0)],
    ] as const
    for (const [memory_id, priority, due_date] of plans)
      await machine.remember('prospective', { memory_id, intention: 'x', priority, due_date })
    expect(await machine.due()).toEqual(['critical', 'older', 'high', 'medium', 'low'])
    machine.clock.advance(1)
    expect(await machine.due()).toEqual(['critical', 'later', 'older', 'high', 'medium', 'low'])
  })

  test('may be asked of another time', async () => {
    await machine.remember('prospective', { memory_id: 'p', intention: 'x', due_date: at(HOUR_MS) })
    expect(await machine.due({ at: at(HOUR_MS - 1) })).toEqual([])
    expect(await machine.due({ at: at(HOUR_MS) })).toEqual(['p'])
  })

  test.each(['soon', '2026-13-01', ''])('cannot be asked of %j', async (when) => {
    await expect(machine.due({ at: when })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(sweep({ at: when })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  test.each(['triggered', 'completed', 'expired'])('is nothing that is %s', async (status) => {
    await machine.remember('prospective', { intention: 'x', due_date: at(-1), status })
    expect(await machine.due()).toEqual([])
  })
})

describe('a sweep', () => {
  test('triggers what is due without a condition, and lets expire what waited for one', async () => {
    await machine.remember('prospective', { memory_id: 'plain', intention: 'x', due_date: at(0) })
    await machine.remember('prospective', {
      memory_id: 'waits',
      intention: 'x',
      due_date: at(0),
      trigger_condition: 'rain',
    })
    await machine.remember('prospective', { memory_id: 'later', intention: 'x', due_date: at(1) })
    await machine.remember('prospective', { memory_id: 'never', intention: 'x', trigger_condition: 'rain' })
    const swept = await sweep()
    expect(swept.triggered).toMatchObject([{ memory_id: 'plain', status: 'triggered' }])
    expect(swept.expired).toMatchObject([{ memory_id: 'waits', status: 'expired' }])
    expect(await sweep()).toEqual({ triggered: [], expired: [], removed: 0 })
    expect(await sweep({ at: at(1) })).toMatchObject({ triggered: [{ memory_id: 'later' }] })
  })

  test('puts what it triggers before the session that made it, while that is active', async () => {
    await machine.begin('ended')
    await machine.remember('prospective', {
      session: 's',
      scope: 'global',
      intention: 'mine',
      due_date: at(0),
      priority: 'high',
    })
    await machine.remember('prospective', { session: 'ended', scope: 'global', intention: 'past', due_date: at(0) })
    await machine.run('session_end', { id: 'ended' })
    const later = at(5 * HOUR_MS)
    expect((await sweep({ at: later })).triggered).toHaveLength(2)
    machine.clock.advance(5 * HOUR_MS)
    expect((await machine.show('s')).working).toMatchObject([
      { content: 'mine', memory_type: 'goal', priority: 3, created_at: later, activation_level: 1 },
    ])
    expect((await stats()).memories.working).toBe(1)
    expect(await linksOf('TRIGGERS')).toMatchObject([{ trigger_time: later, condition_met: false }])
  })
})

describe('an event', () => {
  const trigger = async (event: string, session = 's') =>
    idsOf((await machine.run<{ intentions: readonly Memory[] }>('memory_trigger', { event, session })).intentions)

  test.each([
    ['token expired', 'The token has expired.', true],
    ['token expired', 'expired tokens everywhere', true],
    ['token expired', 'the token was renewed', false],
    ['E0308', 'error[E0308]: mismatched types', true],
    ['E0308', 'error[E0309]: mismatched types', false],
    ['when the build fails', 'build failing again', true],
    ['src/main.ts', 'I changed src/main.ts', true],
    ['東京', '東京へ行く', true],
    ['東京', '京都へ行く', false],
  ])('meets the condition %j or not: %j', async (trigger_condition, event, isMet) => {
    await machine.remember('prospective', { memory_id: 'p', intention: 'x', trigger_condition })
    expect(await trigger(event)).toEqual(isMet ? ['p'] : [])
  })

  test('triggers once, and comes to mind in its session', async () => {
    await machine.remember('prospective', {
      memory_id: 'p',
      intention: 'renew it',
      trigger_condition: 'token',
      priority: 'critical',
    })
    expect(await trigger('token')).toEqual(['p'])
    expect(await trigger('token')).toEqual([])
    expect((await machine.show('s')).working).toMatchObject([{ content: 'renew it', memory_type: 'goal', priority: 4 }])
    expect(await linksOf('TRIGGERS')).toMatchObject([{ from: 'p', trigger_time: at(0), condition_met: true }])
  })

  test('brings to mind what the concepts know of it', async () => {
    await machine.remember('semantic', { memory_id: 'f', concept: 'tokens', content: 'renew them by the portal' })
    await machine.remember('prospective', { intention: 'renew the token', trigger_condition: 'expired' })
    await trigger('it has expired')
    expect(await linksOf('ACTIVATES')).toMatchObject([{ to: 'f' }])
  })

  test('says something', async () => {
    await expect(trigger(' \n')).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('complete', () => {
  test.each(['pending', 'triggered', 'completed'])('ends what is %s', async (status) => {
    await machine.remember('prospective', { memory_id: 'p', intention: 'x', status })
    expect(await machine.run('memory_complete', { id: 'p' })).toMatchObject({
      kind: 'prospective',
      memory: { memory_id: 'p', status: 'completed' },
    })
  })

  test('does not end what is over, or is not there', async () => {
    await machine.remember('prospective', { memory_id: 'p', intention: 'x', status: 'expired' })
    await expect(machine.run('memory_complete', { id: 'p' })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(machine.run('memory_complete', { id: 'q' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
