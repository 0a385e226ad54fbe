/**
 * The compiled program, killed at random moments of an import on a real disk. What is left is searched, resumed and held
 * against the plan. `CRASH_SEED` and `CRASH_KILLS` change the moments and how many there are.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AgentServer } from '../fakes/agent-server.ts'
import {
  AS_INSTALLED,
  compiledProgram,
  type Finished,
  newWorkspace,
  start,
  writeConfig,
} from '../fakes/compiled-program.ts'
import { bytesOf, FINAL, LOG, PLAN, plannedVersions, REQUEST, SEGMENTS, TRAJECTORY } from '../fakes/crash-scenario.ts'
import { randomFrom } from '../fakes/memory-power-cut.ts'
import { PlannedAgent } from '../fakes/planned-agent.ts'

const SEED = Number(process.env.CRASH_SEED ?? 20261130)
const KILLS = Number(process.env.CRASH_KILLS ?? 40)
const TIMEOUT_MS = 15 * 60_000

let program: string
let server: AgentServer

beforeAll(async () => {
  program = await compiledProgram()
  server = new AgentServer(new PlannedAgent(PLAN))
}, TIMEOUT_MS)

afterAll(() => {
  server[Symbol.dispose]()
  rmSync(dirname(program), { recursive: true, force: true })
})

interface Place {
  readonly folder: string
  readonly root: string
  readonly file: string
  readonly config: string
}

function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-kill-'))
  return { folder, ...newWorkspace(folder, LOG), config: writeConfig(folder) }
}

function startImport({ root, file, config }: Place) {
  const argv = ['import', file, '--request-id', REQUEST, '--workspace', root, '--config', config, '--json']
  return start(program, argv, { ...server.environment, ...AS_INSTALLED })
}

async function run({ root, config }: Place, ...argv: string[]): Promise<Finished> {
  return start(program, [...argv, '--workspace', root, '--config', config, '--json'], AS_INSTALLED).finished
}

function versionAt({ root }: Place, path: string): string {
  return createHash('sha256')
    .update(readFileSync(join(root, path)))
    .digest('hex')
}

/** What was acknowledged is there, or what the plan puts in its place. */
function requireAcknowledged(place: Place, agent: PlannedAgent): void {
  for (const { path, version } of agent.acknowledged) {
    const versions = plannedVersions(path)
    expect(versions.slice(0, versions.indexOf(versionAt(place, path)) + 1)).toContain(version)
  }
}

function requireFinished({ root, file }: Place): void {
  expect(readFileSync(file, 'utf8')).toBe(LOG)
  expect(readFileSync(join(root, TRAJECTORY), 'utf8')).toBe(LOG)
  expect(readdirSync(join(root, 'session/trajectories'))).toEqual(['run.log'])
  expect(readdirSync(join(root, 'procedures')).sort()).toEqual(Object.keys(FINAL).map((name) => `${name}.json`))
  for (const [name, content] of Object.entries(FINAL))
    expect(new Uint8Array(readFileSync(join(root, 'procedures', `${name}.json`)))).toEqual(bytesOf(content))
}

/** How long an import takes that nobody disturbs. */
async function undisturbedMs(): Promise<number> {
  const place = newPlace()
  const began = performance.now()
  expect(await startImport(place).finished).toMatchObject({ exit: 0 })
  const ms = performance.now() - began
  requireFinished(place)
  rmSync(place.folder, { recursive: true })
  return ms
}

test(
  `an import killed at ${KILLS} random moments loses nothing`,
  async () => {
    const random = randomFrom(SEED)
    const durationMs = Math.min(await undisturbedMs(), await undisturbedMs(), await undisturbedMs())
    const found = { killed: 0, unbegun: 0, begun: 0, ended: 0 }
    for (let n = 0; found.killed < KILLS; n += 1) {
      const place = newPlace()
      server.agent = new PlannedAgent(PLAN)
      const child = startImport(place)
      await Bun.sleep(random() * durationMs)
      child.kill()
      const { exit } = await child.finished
      if (exit === null) found.killed += 1
      requireAcknowledged(place, server.agent)
      const search = await run(place, 'search', 'breaks')
      expect(search).toMatchObject({ exit: 0 })
      expect(JSON.parse(search.out)).toMatchObject({ invalid: [] })
      const { imports } = JSON.parse((await run(place, 'imports')).out)
      found[imports.length === 0 ? 'unbegun' : imports[0].status === 'complete' ? 'ended' : 'begun'] += 1
      server.agent = new PlannedAgent(PLAN, { isForgetful: n % 2 === 1 })
      const resumed = await startImport(place).finished
      expect(resumed).toMatchObject({ exit: 0 })
      expect(JSON.parse(resumed.out)).toMatchObject({
        status: 'complete',
        segments: { done: SEGMENTS, total: SEGMENTS },
      })
      requireFinished(place)
      const all = Object.keys(FINAL).length
      const present = { documents: all, present: all, owed: 0 }
      expect(JSON.parse((await run(place, 'index', 'stats')).out)).toMatchObject({
        vectors: { when_to_use: present, when_to_use_content: present },
      })
      const doctor = JSON.parse((await run(place, 'doctor')).out)
      for (const name of ['logs', 'writes', 'originals', 'experiences', 'index'])
        expect(doctor.checks).toContainEqual(expect.objectContaining({ name, ok: true }))
      rmSync(place.folder, { recursive: true })
    }
    console.log(`kills (seed ${SEED}): ${JSON.stringify(found)}`)
    expect(found.begun).toBeGreaterThan(KILLS / 10)
  },
  TIMEOUT_MS,
)
