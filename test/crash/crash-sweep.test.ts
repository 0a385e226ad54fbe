/**
 * A run is stopped before each change that it makes of the disk: killed, or with the power cut so that what was not
 * synced is lost, or is there in part. What is left is then opened, searched, continued and held against contract §6.
 */
import { describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { PROCESSING_LOG, segmentsDone } from '../../src/importer/processing-log.ts'
import type { RequestId } from '../../src/model/request-id.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { readRequestLog } from '../../src/workspace/request-log.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { type AcknowledgedWrite, PLANNED_TEXTS, PlannedAgent, type PlannedWrite } from '../fakes/planned-agent.ts'

const FILE = '/logs/run.log'
const TEXT = Array.from({ length: 60 }, (_, line) => `line ${line} went wrong\n`).join('')
const TRAJECTORY = 'session/trajectories/run.log'
const REQUEST = 'run-1' as RequestId
const SEEDS = [1, 2, 3]

const PLAN: readonly (readonly PlannedWrite[])[] = [
  [write('created', 'alpha', 'First way.'), write('created', 'beta', 'Second way.')],
  [write('updated', 'alpha', 'Better first way.'), write('created', 'gamma', 'Third way.')],
  [write('updated', 'beta', 'Better second way.')],
]
const FINAL = { alpha: 'Better first way.', beta: 'Better second way.', gamma: 'Third way.' }

function write(action: PlannedWrite['action'], name: string, text: string): PlannedWrite {
  return { action, name, key: `${action}-${name}`, text }
}

const layout = layoutOf(ROOT, WORKSPACE_FOLDERS)
const bytesOf = (content: string) =>
  new TextEncoder().encode(`${JSON.stringify({ ...PLANNED_TEXTS, content, sources: [TRAJECTORY] }, null, 2)}\n`)

/** What must be there whatever happens next. */
interface Acknowledged {
  readonly writes: readonly AcknowledgedWrite[]
  readonly segments: number
}

interface Stop {
  readonly how: string
  readonly files: MemoryFiles
  readonly acknowledged: Acknowledged
}

const AGENT_LESS = new PlannedAgent([])
let machines = 0

function machineOver(files: MemoryFiles, agent = AGENT_LESS): FakeMachine {
  machines += 1
  const machine = new FakeMachine(files, new CountingIds(1000 * machines))
  machine.environment.LLM_MODEL_NAME = 'planned'
  machine.chat = agent
  return machine
}

/** Every state that the machine may be found in when the run is stopped before one of its changes. */
async function stopsOf(files: MemoryFiles, work: (machine: FakeMachine, agent: PlannedAgent) => Promise<unknown>) {
  const stops: Stop[] = []
  const agent = new PlannedAgent(PLAN)
  const machine = machineOver(files, agent)
  let changes = 0
  const take = (what: string) => {
    const acknowledged = { writes: [...agent.acknowledged], segments: machine.segmentsDone }
    const at = `before change ${changes} (${what})`
    stops.push({ how: `killed ${at}`, files: files.killed(), acknowledged })
    stops.push({ how: `all unsynced lost ${at}`, files: files.crash(), acknowledged })
    for (const seed of SEEDS)
      stops.push({
        how: `power cut with seed ${seed} ${at}`,
        files: files.crash({ seed: seed + 10 * changes }),
        acknowledged,
      })
  }
  machine.watcher = ({ changes: isChange, name, path }) => {
    if (!isChange) return
    take(`${String(name)} ${path}`)
    changes += 1
  }
  await work(machine, agent)
  take('the end')
  return { stops, changes }
}

async function requireSound({ files, acknowledged, how }: Stop, isForgetful: boolean): Promise<void> {
  try {
    const before = doneIn(files)
    expect(before.segments).toBeGreaterThanOrEqual(acknowledged.segments)
    for (const { path, version } of acknowledged.writes) expect(versionsUpTo(files, path)).toContain(version)
    await machineOver(files).run('procedure_search', { query: 'breaks' })

    const agent = new PlannedAgent(PLAN, { isForgetful })
    const result = await machineOver(files, agent).run<ImportResult>('procedure_import', {
      files: [FILE],
      request_id: REQUEST,
    })
    expect(result).toMatchObject({ status: 'complete', segments: { done: 3, total: 3 } })
    for (const piece of agent.askedPieces) expect(piece).toBeGreaterThan(before.answered)
    requireFinished(files)

    const truth = truthOf(files)
    const again = new PlannedAgent(PLAN)
    const repeated = await machineOver(files, again).run('procedure_import', { files: [FILE], request_id: REQUEST })
    expect(repeated).toEqual(result)
    expect(again.askedPieces).toEqual([])
    expect(truthOf(files)).toEqual(truth)
    await requireFound(files)
  } catch (error) {
    throw new Error(`${how}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

/** Segments behind their checkpoint, and those whose closing message is logged. */
function doneIn(files: MemoryFiles): { readonly segments: number; readonly answered: number } {
  const state = readRequestLog({ files, digest }, layout, PROCESSING_LOG, REQUEST)
  if (state === null) return { segments: 0, answered: 0 }
  return { segments: segmentsDone(state), answered: Math.max(segmentsDone(state), (state.closing?.index ?? -1) + 1) }
}

/** Of the file as it is, and of what the plan had it be before: a later write may have followed. */
function versionsUpTo(files: MemoryFiles, path: string): readonly string[] {
  const now = digest.sha256(files.read(`${ROOT}/${path}`) ?? new Uint8Array())
  const planned = PLAN.flat()
    .filter(({ name }) => path === `procedures/${name}.json`)
    .map(({ text }) => digest.sha256(bytesOf(text)))
  return planned.slice(0, planned.indexOf(now) + 1)
}

function requireFinished(files: MemoryFiles): void {
  expect(files.text(FILE)).toBe(TEXT)
  expect(files.names(`${ROOT}/session/trajectories`)).toEqual(['run.log'])
  expect(files.text(`${ROOT}/${TRAJECTORY}`)).toBe(TEXT)
  expect(files.names(`${ROOT}/procedures`)).toEqual(Object.keys(FINAL).map((name) => `${name}.json`))
  for (const [name, content] of Object.entries(FINAL))
    expect(files.read(`${ROOT}/procedures/${name}.json`)).toEqual(bytesOf(content))
  expect(files.tree().filter((path) => path.endsWith('.tmp'))).toEqual([])
}

/** All that is not derived. */
function truthOf(files: MemoryFiles): Readonly<Record<string, string>> {
  const paths = files.tree().filter((path) => !path.endsWith('/') && !/metadata\/(?:index|lock)/.test(path))
  return Object.fromEntries(paths.map((path) => [path, files.text(path)]))
}

/** In both views, and as a build from nothing would have it. */
async function requireFound(files: MemoryFiles): Promise<void> {
  for (const index of ['when_to_use', 'when_to_use_content']) {
    const ask = (machine: FakeMachine) => machine.run('procedure_search', { query: 'breaks way', index })
    const found = await ask(machineOver(files))
    const bare = files.killed()
    for (const path of bare.tree()) if (path.includes('/metadata/index/') && !path.endsWith('/')) bare.remove(path)
    expect(found).toEqual(await ask(machineOver(bare)))
    expect(found).toMatchObject({ index_complete: true, pending_indexes: [], invalid: [] })
    expect(found.results).toHaveLength(3)
  }
}

function freshMachine(): MemoryFiles {
  const files = new MemoryFiles()
  files.write(FILE, TEXT)
  files.write(`${ROOT}/knowhow.json`, JSON.stringify({ token_limits: { segment: 100, context: 5000, reserve: 100 } }))
  return files
}

describe('an import of three segments with creates and updates', () => {
  test('is whole again wherever it is stopped', async () => {
    const { stops, changes } = await stopsOf(freshMachine(), async (machine) => {
      const result = await machine.run<ImportResult>('procedure_import', { files: [FILE], request_id: REQUEST })
      expect(result).toMatchObject({ status: 'complete', segments: { done: 3, total: 3 } })
    })
    for (const [at, stop] of stops.entries()) await requireSound(stop, at % 2 === 1)
    console.log(`import: ${changes} changes, ${stops.length} stop points`)
  })
})
