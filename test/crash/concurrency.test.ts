/**
 * One process imports again and again while eight search: no answer is torn, none is stale, nobody waits for anybody. Two
 * that would write at once: one does. `CRASH_SECONDS` says how long.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AgentServer } from '../fakes/agent-server.ts'
import { AS_INSTALLED, compiledProgram, newWorkspace, start, writeConfig } from '../fakes/compiled-program.ts'
import { PLANNED_TEXTS, PlannedAgent } from '../fakes/planned-agent.ts'

const SECONDS = Number(process.env.CRASH_SECONDS ?? 10)
const READERS = 8
const TIMEOUT_MS = SECONDS * 1000 + 120_000

let program: string
let folder: string
let config: string
let root: string
let file: string

beforeAll(async () => {
  program = await compiledProgram()
  folder = mkdtempSync(join(tmpdir(), 'knowhow-many-'))
  ;({ root, file } = newWorkspace(folder, 'line one went wrong\n'.repeat(10)))
  config = writeConfig(folder)
}, 60_000)

afterAll(() => {
  for (const path of [folder, dirname(program)]) rmSync(path, { recursive: true, force: true })
})

const place = () => ['--workspace', root, '--config', config, '--json']

interface Answer {
  readonly results: readonly {
    readonly path: string
    readonly version: string
    readonly experience: Readonly<Record<string, unknown>>
  }[]
  readonly invalid: readonly unknown[]
  readonly pending_indexes: readonly unknown[]
}

test(
  `${READERS} readers beside an importer, for ${SECONDS} s, see whole experiences and never an old one`,
  async () => {
    using server = new AgentServer(new PlannedAgent([]))
    const until = Date.now() + SECONDS * 1000
    /** How far the importer was told that it has come. */
    let acknowledged = 0
    let isOver = false
    const counts = { imports: 0, searches: 0 }

    async function importAgainAndAgain(): Promise<void> {
      for (let round = 0; Date.now() < until; round += 1) {
        const write = {
          action: round === 0 ? 'created' : 'updated',
          name: 'way',
          key: 'k',
          text: `Way number ${round}.`,
        } as const
        const agent = new PlannedAgent([[write]])
        server.agent = agent
        const argv = ['import', file, '--request-id', `run-${round}`, ...place()]
        const { exit, error } = await start(program, argv, { ...server.environment, ...AS_INSTALLED }).finished
        if (exit !== 0) throw new Error(`import ${round} ended with ${exit}: ${error}`)
        expect(agent.acknowledged).toMatchObject([{ status: 'committed' }])
        acknowledged = round
        counts.imports += 1
      }
      isOver = true
    }

    async function searchAgainAndAgain(): Promise<void> {
      while (!isOver) {
        const before = acknowledged
        const { exit, out, error } = await start(program, ['search', 'it breaks again', ...place()], AS_INSTALLED)
          .finished
        if (exit !== 0) throw new Error(`a search ended with ${exit}: ${error}`)
        requireWhole(JSON.parse(out), before, counts.imports > 0)
        counts.searches += 1
      }
    }

    const importing = importAgainAndAgain().finally(() => {
      isOver = true
    })
    await Promise.all([importing, ...Array.from({ length: READERS }, searchAgainAndAgain)])
    console.log(`beside each other: ${counts.imports} imports, ${counts.searches} searches`)
    expect(counts.imports).toBeGreaterThan(3)
    expect(counts.searches).toBeGreaterThan(READERS)
  },
  TIMEOUT_MS,
)

function requireWhole(
  { results, invalid, pending_indexes: pending }: Answer,
  roundMin: number,
  isThere: boolean,
): void {
  expect({ invalid, pending }).toEqual({ invalid: [], pending: [] })
  expect(results.length).toBeLessThanOrEqual(1)
  if (isThere) expect(results).toHaveLength(1)
  for (const { path, version, experience } of results) {
    expect(path).toBe('procedures/way.json')
    const bytes = `${JSON.stringify(experience, null, 2)}\n`
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(version)
    expect(experience).toMatchObject(PLANNED_TEXTS)
    const round = Number(/^Way number (\d+)\.$/.exec(String(experience.content))?.[1])
    expect(round).toBeGreaterThanOrEqual(roundMin)
    // Each import adds its own copy once.
    expect(experience.sources).toHaveLength(round + 1)
  }
}

test(
  'of two that write at once exactly one does, and the other names it',
  async () => {
    using server = new AgentServer(new PlannedAgent([]))
    let lockedCount = 0
    for (let round = 0; round < 20; round += 1) {
      server.agent = new PlannedAgent([])
      const both = ['left', 'right'].map((side) =>
        start(program, ['import', file, '--request-id', `both-${round}-${side}`, ...place()], server.environment),
      )
      const ends = await Promise.all(both.map(({ finished }) => finished))
      const exits = ends.map(({ exit }) => exit ?? -1).sort((a, b) => a - b)
      // One after the other is as well: then both have written.
      expect([
        [0, 4],
        [0, 0],
      ]).toContainEqual(exits)
      for (const { exit, out } of ends)
        if (exit === 4) {
          lockedCount += 1
          expect(JSON.parse(out).error).toMatchObject({ code: 'workspace_locked', resumable: true })
        }
    }
    // Otherwise they never met, and nothing was shown.
    expect(lockedCount).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

test(
  'a writer that is stopped keeps its lock, and readers go on',
  async () => {
    using server = new AgentServer(new PlannedAgent([]))
    let isAsked: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    // The agent never answers, so the importer holds the lock for as long as it lives.
    server.agent = Object.assign(new PlannedAgent([]), {
      reply: () => {
        isAsked()
        return new Promise<never>(() => {})
      },
    })
    const child = Bun.spawn([program, 'import', file, '--request-id', 'stopped', ...place()], {
      env: { ...server.environment },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await asked
    child.kill('SIGSTOP')
    const second = await start(program, ['import', file, '--request-id', 'second', ...place()], server.environment)
      .finished
    expect(second.exit).toBe(4)
    expect(JSON.parse(second.out).error.message).toContain(`process ${child.pid} (knowhow import)`)
    for (const argv of [['search', 'it breaks'], ['status'], ['imports'], ['doctor']])
      expect((await start(program, [...argv, ...place()]).finished).exit).toBe(0)
    child.kill('SIGKILL')
    await child.exited
    server.agent = new PlannedAgent([])
    const third = await start(program, ['import', file, '--request-id', 'stopped', ...place()], server.environment)
      .finished
    expect(third.exit).toBe(0)
  },
  TIMEOUT_MS,
)
