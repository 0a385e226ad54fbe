/** Whatever is done to a memory graph in whatever order: it stays whole, no session sees another, and an export loses nothing. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MemoryError } from '../../src/model/memory-error.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

const SESSIONS = ['a', 'b', 'c'] as const

interface Step {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly waitsMs: number
}

const session = fc.constantFrom(...SESSIONS)
const words = fc.constantFrom('stale cache', 'red green', 'token expired', 'the cache is stale again', 'x')
const id = fc.integer({ min: 0, max: 5 })

/** Ids name the session that a memory is the own of, so that an answer tells what it shows. */
const named = (kind: string, given: { readonly session: string; readonly n: number }) => ({
  kind,
  session: given.session,
  memory_id: `${kind}-of-${given.session}-${given.n}`,
})

const operation = fc.oneof(
  session.map((id) => ({ name: 'session_start', input: { id } })),
  session.map((id) => ({ name: 'session_end', input: { id } })),
  session.map((id) => ({ name: 'session_archive', input: { id } })),
  fc.record({ session, n: id, content: words, importance: fc.constantFrom(null, 0.2, 0.9) }).map((given) => ({
    name: 'memory_remember',
    input: { ...named('episodic', given), content: given.content, importance_score: given.importance },
  })),
  fc.record({ session, n: id, content: words, ttl: fc.constantFrom(0, 5, 3600) }).map((given) => ({
    name: 'memory_remember',
    input: { ...named('working', given), content: given.content, ttl_seconds: given.ttl },
  })),
  fc
    .record({ session, n: id, condition: fc.option(words), due: fc.option(fc.constant('2026-01-02T03:04:10Z')) })
    .map((given) => ({
      name: 'memory_remember',
      input: {
        ...named('prospective', given),
        intention: 'do it',
        scope: 'session',
        trigger_condition: given.condition,
        due_date: given.due,
      },
    })),
  fc.record({ session: fc.option(session), concept: words, content: words }).map(({ session: by, ...given }) => ({
    name: 'memory_remember',
    input: { kind: 'semantic', ...given, ...(by === null ? {} : { session: by }) },
  })),
  fc.record({ session, success: fc.boolean() }).map((given) => ({
    name: 'memory_used',
    input: { ...given, procedure: 'how' },
  })),
  fc.record({ session, event: words }).map((input) => ({ name: 'memory_trigger', input })),
  fc.constant({ name: 'memory_sweep', input: {} }),
  fc.record({ session, n: id }).map(({ session: own, n }) => ({
    name: 'memory_complete',
    input: { id: `prospective-of-${own}-${n}` },
  })),
)

const step: fc.Arbitrary<Step> = fc
  .record({ operation, waitsMs: fc.constantFrom(0, 1, 4000) })
  .map(({ operation: { name, input }, waitsMs }) => ({ name, input, waitsMs }))

async function play(steps: readonly Step[]): Promise<RememberingMachine> {
  const machine = new RememberingMachine()
  await machine.remember('procedural', { memory_id: 'how', procedure_name: 'how' })
  for (const { name, input, waitsMs } of steps) {
    machine.clock.advance(waitsMs)
    try {
      await machine.run(name, input)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
    }
  }
  return machine
}

async function requireIsolation(machine: RememberingMachine): Promise<void> {
  const { sessions } = await machine.run<{ sessions: readonly { session_id: string }[] }>('session_list', {})
  for (const { session_id } of sessions) {
    const answers = [
      await machine.run<object>('session_show', { id: session_id }),
      await machine.run<object>('memory_due', { session: session_id }),
    ]
    const owners = [...JSON.stringify(answers).matchAll(/-of-([abc])-\d/g)].map(([, owner]) => owner ?? '')
    expect(owners.filter((owner) => owner !== session_id)).toEqual([])
  }
  expect(JSON.stringify(await machine.run<object>('memory_due', {}))).not.toMatch(/-of-/)
}

test('steps in any order keep the graph whole, its sessions apart, and an export the same elsewhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const machine = await play(steps)
      expect((await machine.run<{ problems: unknown[] }>('memory_validate', {})).problems).toEqual([])
      await requireIsolation(machine)
      await machine.run('memory_export', { file: '/graph.jsonl' })
      const other = new RememberingMachine(undefined, new CountingIds(9000))
      other.files.write('/graph.jsonl', machine.files.text('/graph.jsonl'))
      await other.run('memory_import', { file: '/graph.jsonl' })
      await other.run('memory_export', { file: '/again.jsonl' })
      expect(other.files.text('/again.jsonl')).toBe(machine.files.text('/graph.jsonl'))
    }),
    { numRuns: 60 },
  )
})

test('an ended session holds nothing but what knowledge derives from and what is important', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const machine = await play(steps)
      const { sessions } = await machine.run<{ sessions: { session_id: string; status: string }[] }>('session_list', {})
      for (const { session_id, status } of sessions) {
        const shown = await machine.show(session_id)
        if (status === 'active') continue
        expect(shown.working).toEqual([])
        expect(shown.prospective).toEqual([])
        if (status === 'archived') expect(shown.episodic).toEqual([])
        for (const { importance_score } of shown.episodic) expect(importance_score).toBe(0.9)
      }
    }),
    { numRuns: 60 },
  )
})
