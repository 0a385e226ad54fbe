/**
 * The program, killed at random moments while it writes the memory graph on a real disk. Whatever moment it was, the graph is
 * whole, all that was acknowledged is in it, and of what was not either all or nothing. `CRASH_SEED` and `CRASH_KILLS`
 * change the moments and how many there are.
 */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskMachine, runOnDisk } from '../fakes/disk-machine.ts'
import { randomFrom } from '../fakes/memory-power-cut.ts'

const SEED = Number(process.env.CRASH_SEED ?? 20261130)
const KILLS = Math.ceil(Number(process.env.CRASH_KILLS ?? 40) / 4)
const TIMEOUT_MS = 15 * 60_000
const MACHINE = join(import.meta.dir, '../fakes/disk-machine.ts')
const machine = diskMachine()

interface Place {
  readonly folder: string
  readonly root: string
}

function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-kill-'))
  return { folder, root: join(folder, 'workspace') }
}

/** A process that runs operations one after another, and says after each what it got. */
function writer({ root }: Place, steps: string) {
  const program = `
    const { diskMachine, runOnDisk } = await import(${JSON.stringify(MACHINE)})
    const machine = diskMachine()
    const run = (name, input) => runOnDisk(machine, ${JSON.stringify(root)}, name, input)
    const tell = (words) => require('node:fs').writeSync(1, words + '\\n')
    // What is loaded by now is not what a kill is to meet.
    await run('memory_stats', {})
    tell('ready')
    ${steps}
    tell('end')`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const lines: string[] = []
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const ended = (async () => {
    let text = ''
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      const whole = text.split('\n')
      text = whole.pop() ?? ''
      lines.push(...whole)
      if (lines.length > 0) resolve()
    }
    await child.exited
  })()
  return { child, lines, ready, ended }
}

const run = <O>({ root }: Place, name: string, input: unknown = {}) => runOnDisk<O>(machine, root, name, input)

async function requireWhole(place: Place): Promise<void> {
  const { problems } = await run<{ problems: unknown[] }>(place, 'memory_validate')
  expect(problems).toEqual([])
}

interface Scenario {
  readonly name: string
  readonly prepare: (place: Place) => Promise<void>
  readonly steps: string
  /** @param acknowledged how often a step had been told when the process was killed */
  readonly check: (place: Place, acknowledged: number) => Promise<void>
}

const LEGACY_COUNT = 2_000
const LESSONS = 60
const GIVEN = (n: number) => ({
  memory_type: 'episodic',
  memory_id: `e${n}`,
  session_id: `s${n % 7}`,
  timestamp: '2025-01-01',
  content: `event ${n}`,
})

/** What a migration that nobody disturbs comes to. */
let migrated: unknown

async function exported(place: Place): Promise<readonly unknown[]> {
  return (await run<{ records: readonly unknown[] }>(place, 'memory_export')).records
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'remember',
    prepare: async (place) => void (await run(place, 'session_start', { id: 's' })),
    steps: `for (let n = 1; n <= 60; n += 1) {
      await run('memory_remember', { kind: 'episodic', session: 's', memory_id: 'e' + n, content: 'stale cache ' + n })
      tell(n)
    }`,
    check: async (place, acknowledged) => {
      const { episodic } = await run<{ episodic: { memory_id: string; sequence_number: number }[] }>(
        place,
        'session_show',
        { id: 's' },
      )
      expect(episodic.length).toBeGreaterThanOrEqual(acknowledged)
      expect(episodic.length).toBeLessThanOrEqual(acknowledged + 1)
      const expected = episodic.map((_, at) => [`e${at + 1}`, at + 1])
      expect(episodic.map(({ memory_id, sequence_number }) => [memory_id, sequence_number])).toEqual(
        expected as [string, number][],
      )
    },
  },
  {
    name: 'used',
    prepare: async (place) => {
      await run(place, 'session_start', { id: 's' })
      await run(place, 'memory_remember', { kind: 'procedural', memory_id: 'p', procedure_name: 'p' })
    },
    steps: `for (let n = 1; n <= 60; n += 1) {
      await run('memory_used', { procedure: 'p', session: 's', success: n % 2 === 0 })
      tell(n)
    }`,
    check: async (place, acknowledged) => {
      const { procedural } = await run<{
        procedural: { usage_count: number; success_rate: number; success: boolean }[]
      }>(place, 'session_show', { id: 's' })
      expect(procedural.length).toBeGreaterThanOrEqual(acknowledged)
      expect(procedural.length).toBeLessThanOrEqual(acknowledged + 1)
      const successes = procedural.filter(({ success }) => success).length
      for (const { usage_count, success_rate } of procedural) {
        expect(usage_count).toBe(procedural.length)
        expect(success_rate).toBe(successes / procedural.length)
      }
    },
  },
  {
    name: 'sweep',
    prepare: async (place) => {
      await run(place, 'session_start', { id: 's' })
      const lines = Array.from({ length: 40 }, (_, n) => [
        JSON.stringify({
          memory_type: 'prospective',
          memory_id: `i${n}`,
          session_id: 's',
          intention: 'x',
          due_date: '2025-01-01',
          scope: 'global',
        }),
        JSON.stringify({
          memory_type: 'working',
          memory_id: `w${n}`,
          session_id: 's',
          content: 'x',
          created_at: '2025-01-01',
        }),
      ])
      writeFileSync(join(place.folder, 'old.jsonl'), lines.flat().join('\n'))
      await run(place, 'memory_migrate', { file: join(place.folder, 'old.jsonl') })
    },
    steps: `await run('memory_sweep', {})
      tell(1)`,
    check: async (place, acknowledged) => {
      const { memories, relations } = await run<{
        memories: Record<string, number>
        relations: Record<string, number>
      }>(place, 'memory_stats')
      // Before: 40 that are over, which nobody counts. After: 40 reminders, one of each intention.
      const isSwept = relations.TRIGGERS === 40
      expect([0, 40]).toContain(relations.TRIGGERS as number)
      expect(memories.working).toBe(isSwept ? 40 : 0)
      if (acknowledged > 0) expect(isSwept).toBe(true)
      await run(place, 'memory_sweep')
      expect(await run<object>(place, 'memory_stats')).toMatchObject({
        relations: { TRIGGERS: 40 },
        memories: { working: 40 },
      })
    },
  },
  {
    name: 'consolidate',
    prepare: async (place) => {
      // Two events tell each.
      const lines = Array.from({ length: 2 * LESSONS }, (_, n) =>
        JSON.stringify({ ...GIVEN(n), content: `lesson ${n % LESSONS}`, importance_score: 0.9 }),
      )
      writeFileSync(join(place.folder, 'old.jsonl'), lines.join('\n'))
      await run(place, 'memory_migrate', { file: join(place.folder, 'old.jsonl') })
    },
    steps: `await run('memory_consolidate', { apply: true, extractor: 'offline' })
      tell(1)`,
    check: async (place, acknowledged) => {
      const { candidates } = await run<{ candidates: unknown[] }>(place, 'memory_consolidate')
      const { memories, relations } = await run<{
        memories: Record<string, number>
        relations: Record<string, number>
      }>(place, 'memory_stats')
      const written = 2 * LESSONS - candidates.length
      expect(memories.semantic).toBe(written / 2)
      expect(relations).toMatchObject({ DERIVES_FROM: written, CONTRIBUTES_TO_SEMANTIC: written })
      if (acknowledged > 0) expect(candidates).toEqual([])
    },
  },
  {
    name: 'migrate',
    prepare: async ({ folder }) => {
      writeFileSync(
        join(folder, 'old.jsonl'),
        Array.from({ length: LEGACY_COUNT }, (_, n) => JSON.stringify(GIVEN(n))).join('\n'),
      )
    },
    steps: `await run('memory_migrate', { file: FILE })
      tell(1)`,
    check: async (place, acknowledged) => {
      const file = join(place.folder, 'old.jsonl')
      if (acknowledged === 0) await run(place, 'memory_migrate', { file })
      const found = await exported(place)
      expect(found).toHaveLength(2 + 7 + 2 * LEGACY_COUNT)
      migrated ??= found
      expect(found).toEqual(migrated as unknown[])
    },
  },
]

describe.each(SCENARIOS)('$name', ({ name, prepare, steps, check }) => {
  test(
    `killed at ${KILLS} random moments leaves all or nothing of each step`,
    async () => {
      const random = randomFrom(SEED)
      const begin = async () => {
        const place = newPlace()
        await prepare(place)
        return { place, process: writer(place, steps.replace('FILE', JSON.stringify(join(place.folder, 'old.jsonl')))) }
      }
      const undisturbed = await begin()
      await undisturbed.process.ready
      const began = performance.now()
      await undisturbed.process.ended
      const durationMs = performance.now() - began
      await check(undisturbed.place, undisturbed.process.lines.length - 2)
      rmSync(undisturbed.place.folder, { recursive: true })
      const found = { killed: 0, begun: 0 }
      for (let n = 0; n < KILLS; n += 1) {
        const { place, process } = await begin()
        await process.ready
        await Bun.sleep(random() * durationMs)
        process.child.kill('SIGKILL')
        await process.ended
        const told = process.lines.filter((line) => line !== 'ready' && line !== 'end').length
        if (process.child.signalCode !== null) found.killed += 1
        if (told > 0) found.begun += 1
        await requireWhole(place)
        await check(place, told)
        rmSync(place.folder, { recursive: true })
      }
      console.log(`kills of ${name} (seed ${SEED}): ${JSON.stringify(found)}`)
      expect(found.killed).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )
})
