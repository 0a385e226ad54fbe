/**
 * Questions to one kept workspace that are asked while others wait, among edits of files: each answer is that of one of
 * the moments between its question and itself, whoever else asks.
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeptWorkspace } from '../../src/app/kept-workspace.ts'
import { OPERATIONS } from '../../src/app/operation-table.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

const QUIET = {
  progress: () => {},
  say: () => {},
  yieldToSignals: async () => {},
  signal: new AbortController().signal,
}

function operationOf(name: string) {
  const found = OPERATIONS.find((operation) => operation.name === name)
  if (found === undefined) throw new Error(`no operation ${name}`)
  return found
}

function ask<O>(kept: KeptWorkspace, name: string, input: unknown): Promise<O> {
  return kept.ask(operationOf(name), input, QUIET) as Promise<O>
}

const keptIn = (machine: FakeMachine) =>
  new KeptWorkspace(machine, { root: ROOT, configPath: null, command: 'test' }, { masksOriginals: true })

interface Change {
  readonly name: string
  /** Null takes it away; '' is no experience. */
  readonly text: string | null
}

function apply(machine: FakeMachine, { name, text }: Change): void {
  const path = `${ROOT}/procedures/${name}.json`
  if (text === null) machine.files.remove(path)
  else if (text === '') machine.files.write(path, 'no experience')
  else machine.files.write(path, JSON.stringify({ description: 'd', 'when-to-use': text, content: 'c', sources: [] }))
}

const changes = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  text: fc.constantFrom(null, '', 'stale cache', 'stale lock', 'stale cache and lock'),
})
const steps = fc.oneof(
  fc.record({ kind: fc.constant('change' as const), change: changes }),
  fc.record({ kind: fc.constant('search' as const), query: fc.constantFrom('stale', 'cache', 'lock') }),
  fc.record({ kind: fc.constant('recall' as const), query: fc.constantFrom('stale', 'cache', 'lock') }),
  fc.record({ kind: fc.constant('wait' as const), turns: fc.integer({ min: 1, max: 12 }) }),
)

/** What one process that asked nothing else would be told. */
const NAMES = { search: 'procedure_search', recall: 'memory_recall' } as const

describe('questions beside each other', () => {
  test.each([false, true])('are answered as of one moment each, with an embedder: %p', async (hasEmbedder) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 24 }), async (plan) => {
        const machine = new FakeMachine()
        machine.hasBuiltinEmbedder = hasEmbedder
        apply(machine, { name: 'a', text: 'stale cache' })
        using kept = keptIn(machine)
        // So that there is a graph, whose rows have to follow the files.
        await ask(kept, 'session_start', { id: 's' })
        const moments: FakeMachine[] = [copyOf(machine)]
        const asked: {
          readonly step: Extract<(typeof plan)[number], { query: string }>
          readonly since: number
          until: number
          readonly answer: Promise<unknown>
        }[] = []
        for (const step of plan) {
          if (step.kind === 'change') {
            apply(machine, step.change)
            moments.push(copyOf(machine))
          } else if (step.kind === 'wait') {
            await turns(step.turns)
          } else {
            const one = {
              step,
              since: moments.length - 1,
              until: Number.POSITIVE_INFINITY,
              answer: ask(kept, NAMES[step.kind], { query: step.query }),
            }
            asked.push(one)
            void one.answer.finally(() => {
              one.until = moments.length - 1
            })
          }
        }
        for (const { step, since, answer, ...one } of asked) {
          const told = await answer
          const until = Math.min(one.until, moments.length - 1)
          const possible: unknown[] = []
          for (const moment of moments.slice(since, until + 1))
            possible.push(await copyOf(moment).run(NAMES[step.kind], { query: step.query }))
          expect(possible.map(comparable)).toContainEqual(comparable(told))
        }
        // Whatever was followed last, what is asked now sees what is there now.
        const now = await ask<unknown>(kept, 'memory_recall', { query: 'stale' })
        expect(comparable(now)).toEqual(comparable(await copyOf(machine).run('memory_recall', { query: 'stale' })))
      }),
      { numRuns: 60 },
    )
  })
})

/** More than a search here waits for in all. */
const TURNS_MAX = 16

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve()
}

test('a search tells of one moment what it found and what is no experience, whenever another one looks anew', async () => {
  for (let before = 0; before < TURNS_MAX; before += 1)
    for (let after = 0; after < TURNS_MAX; after += 1) {
      const machine = new FakeMachine()
      apply(machine, { name: 'a', text: 'stale cache' })
      using kept = keptIn(machine)
      const search = () => ask<Found>(kept, 'procedure_search', { query: 'stale' })
      await search()
      const first = search()
      await turns(before)
      const second = search()
      await turns(after)
      apply(machine, { name: 'a', text: '' })
      for (const { results, invalid } of await Promise.all([first, second]))
        expect([before, after, results.length + invalid.length]).toEqual([before, after, 1])
    }
})

interface Found {
  readonly results: readonly unknown[]
  readonly invalid: readonly unknown[]
}

test('a recall that waits for its embedder misses nothing that was replaced meanwhile', async () => {
  const machine = new FakeMachine()
  machine.hasBuiltinEmbedder = true
  const held = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const embedder = new FakeEmbedder()
  let isHeld = false
  machine.embedder = Object.assign(new FakeEmbedder(), {
    embed: async (...args: Parameters<FakeEmbedder['embed']>) => {
      if (isHeld && args[0].includes('retries')) {
        asked.resolve()
        await held.promise
      }
      return embedder.embed(...args)
    },
  })
  using kept = keptIn(machine)
  const remember = (content: string) => ask(kept, 'memory_remember', { kind: 'semantic', concept: 'retries', content })
  await remember('retries happen twice')
  isHeld = true
  const recalled = ask<{ readonly hits: readonly { readonly memory: { readonly content: string } }[] }>(
    kept,
    'memory_recall',
    {
      query: 'retries',
    },
  )
  await asked.promise
  await remember('retries happen three times')
  held.resolve()
  expect((await recalled).hits.map(({ memory }) => memory.content)).toEqual(['retries happen three times'])
})

test('questions that come at once open one search between them', async () => {
  const machine = new FakeMachine()
  machine.hasBuiltinEmbedder = true
  apply(machine, { name: 'a', text: 'stale cache' })
  using kept = keptIn(machine)
  const search = () => ask(kept, 'procedure_search', { query: 'stale' })
  const answers = await Promise.all([search(), search(), search()])
  expect(machine.opened).toHaveLength(1)
  for (const answer of answers) expect(answer).toMatchObject({ results: [{ path: 'procedures/a.json' }] })
})

/**
 * Equals among memories stand in the order in which they came, which copies of one graph do not share. While another
 * question has texts embedded, an answer does without their vectors and says so: what is found is compared, and not its rank.
 */
function comparable(answer: unknown): unknown {
  const { results, invalid, pending_indexes: pending } = answer as Partial<SearchedAnswer>
  if (results !== undefined) {
    const found = results.map(({ path, version }) => `${path} ${version}`).sort()
    return { found, invalid, pending }
  }
  const { hits } = answer as { readonly hits?: readonly { readonly memory: Readonly<Record<string, unknown>> }[] }
  if (hits === undefined) return answer
  return hits.map(({ memory }) => JSON.stringify([memory.memory_id, memory.preconditions])).sort()
}

interface SearchedAnswer {
  readonly results: readonly { readonly path: string; readonly version: string }[]
  readonly invalid: readonly unknown[]
  readonly pending_indexes: readonly unknown[]
}

/** The same disk and clock, as it is now. */
function copyOf(machine: FakeMachine): FakeMachine {
  const copy = new FakeMachine(machine.files.killed())
  copy.hasBuiltinEmbedder = machine.hasBuiltinEmbedder
  return copy
}
