/**
 * A run is stopped before each change that it makes of the disk: killed, or with the power cut so that what was not
 * synced is lost, or is there in part. What is left is then opened, searched, continued and held against contract §6.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { PROCESSING_LOG, segmentsDone } from '../../src/importer/processing-log.ts'
import type { RequestId } from '../../src/model/request-id.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { readRequestLog } from '../../src/workspace/request-log.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { bytesOf, FINAL, LOG, PLAN, planned, REQUEST, SEGMENTS, TRAJECTORY } from '../fakes/crash-scenario.ts'
import { digest } from '../fakes/digest.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { randomFrom } from '../fakes/memory-power-cut.ts'
import { type AcknowledgedWrite, PlannedAgent, type PlannedWrite } from '../fakes/planned-agent.ts'
import { checkEach, type StopPoint, stopPoints } from '../fakes/stop-points.ts'

const GRAPH = `${ROOT}/memory/memory.db`
const FILE = '/logs/run.log'
const SETTINGS = { token_limits: { segment: 100, context: 5000, reserve: 100 } }
const SEEDS = [1, 2, 3]
/** Of the stops of the first crash, how many are stopped again while they are continued. */
const DOUBLE_COUNT = 40
const layout = layoutOf(ROOT, WORKSPACE_FOLDERS)

/** An embedder is there for some: it refuses what speaks of poison. */
const OPENAI = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }

interface Scenario {
  readonly name: string
  readonly log: string
  readonly segments: number
  readonly plan: readonly (readonly PlannedWrite[])[]
  /** Content of each experience at the end. */
  readonly final: Readonly<Record<string, string>>
  /** Of the workspace; null: it is not there yet. */
  readonly settings: unknown
  readonly environment: Readonly<Record<string, string>>
}

const IMPORTS: readonly Scenario[] = [
  {
    name: 'an import of three segments with creates and updates',
    log: LOG,
    segments: SEGMENTS,
    plan: PLAN,
    final: FINAL,
    settings: SETTINGS,
    environment: { LLM_MODEL_NAME: 'planned' },
  },
  {
    name: 'an import that is the first into a folder that is not there',
    log: LOG,
    segments: 1,
    plan: [[planned('created', 'alpha', 'First way.')]],
    final: { alpha: 'First way.' },
    settings: null,
    environment: { LLM_MODEL_NAME: 'planned' },
  },
  {
    name: 'an update that no view takes, and its correction',
    log: 'it went wrong again\n'.repeat(10),
    segments: 1,
    plan: [
      [
        planned('created', 'alpha', 'First way.'),
        planned('updated', 'alpha', 'The poison way.'),
        planned('updated', 'alpha', 'The corrected way.'),
      ],
    ],
    final: { alpha: 'The corrected way.' },
    settings: SETTINGS,
    environment: { LLM_MODEL_NAME: 'planned', ...OPENAI },
  },
]

interface Promised {
  readonly writes: readonly AcknowledgedWrite[]
  readonly segments: number
}

const counts: string[] = []
afterAll(() => console.log(`stop points: ${counts.join(', ')}`))

let machines = 0

function machineOver(files: MemoryFiles, { environment }: Scenario, agent = new PlannedAgent([])): FakeMachine {
  machines += 1
  const machine = new FakeMachine(files, new CountingIds(1000 * machines))
  machine.environment = { ...environment }
  machine.chat = agent
  machine.embedder.refusal = (text) => (text.includes('poison') ? 'it is poison' : null)
  return machine
}

function freshFiles({ log, settings }: Scenario): MemoryFiles {
  const files = new MemoryFiles()
  files.write(FILE, log)
  if (settings !== null) files.write(`${ROOT}/knowhow.json`, JSON.stringify(settings))
  return files
}

const importRun = (machine: FakeMachine) =>
  machine.run<ImportResult>('procedure_import', { files: [FILE], request_id: REQUEST })

/** The stops of an import that begins on `files`, or goes on there. */
function importStops(files: MemoryFiles, scenario: Scenario, seeds: readonly number[]) {
  const agent = new PlannedAgent(scenario.plan)
  const machine = machineOver(files, scenario, agent)
  return stopPoints<Promised>({
    files,
    seeds,
    promised: () => ({ writes: [...agent.acknowledged], segments: machine.segmentsDone }),
    work: async (watcher) => {
      machine.watcher = watcher
      expect(await importRun(machine)).toMatchObject({ status: 'complete', segments: { done: scenario.segments } })
    },
  })
}

async function requireSound({ files, promised }: StopPoint<Promised>, scenario: Scenario, isForgetful: boolean) {
  const before = doneIn(files)
  expect(before.segments).toBeGreaterThanOrEqual(promised.segments)
  for (const { path, version } of promised.writes) expect(versionsUpTo(files, scenario, path)).toContain(version)
  // Whoever reads first finds no half of anything, and is in nobody's way.
  const found = await machineOver(files, scenario).run('procedure_search', { query: 'breaks' })
  expect(found).toMatchObject({ invalid: [] })

  const agent = new PlannedAgent(scenario.plan, { isForgetful })
  const result = await importRun(machineOver(files, scenario, agent))
  expect(result).toMatchObject({ status: 'complete', segments: { done: scenario.segments, total: scenario.segments } })
  for (const piece of agent.askedPieces) expect(piece).toBeGreaterThan(before.answered)
  requireFinished(files, scenario)

  const truth = truthOf(files)
  const again = new PlannedAgent([])
  expect(await importRun(machineOver(files, scenario, again))).toEqual(result)
  expect(again.askedPieces).toEqual([])
  expect(truthOf(files)).toEqual(truth)
  await requireFound(files, scenario)

  // A reindex gives memories the vectors that they lack, and changes nothing else.
  const reindexed = await afterReindex(files, scenario)
  expect(files.tree().filter((path) => path.endsWith('.tmp'))).toEqual([])
  expect(Object.entries(reindexed).filter(isNoGraph)).toEqual(Object.entries(truth).filter(isNoGraph))
  expect(await afterReindex(files, scenario)).toEqual(reindexed)
}

const isNoGraph = ([path]: readonly [string, string]) => path !== GRAPH

async function afterReindex(files: MemoryFiles, scenario: Scenario): Promise<Readonly<Record<string, string>>> {
  await machineOver(files, scenario).run('procedure_reindex', {})
  return truthOf(files)
}

/** Segments behind their checkpoint, and those whose closing message is logged. */
function doneIn(files: MemoryFiles): { readonly segments: number; readonly answered: number } {
  const state = readRequestLog({ files, digest }, layout, PROCESSING_LOG, REQUEST as RequestId)
  if (state === null) return { segments: 0, answered: 0 }
  return { segments: segmentsDone(state), answered: Math.max(segmentsDone(state), (state.closing?.index ?? -1) + 1) }
}

/** Of the file as it is, and of what the plan had it be before: a later write may have followed. */
function versionsUpTo(files: MemoryFiles, { plan }: Scenario, path: string): readonly string[] {
  const now = digest.sha256(files.read(`${ROOT}/${path}`) ?? new Uint8Array())
  const versions = plan
    .flat()
    .filter(({ name }) => path === `procedures/${name}.json`)
    .map(({ text }) => digest.sha256(bytesOf(text)))
  return versions.slice(0, versions.indexOf(now) + 1)
}

function requireFinished(files: MemoryFiles, { log, final }: Scenario): void {
  expect(files.text(FILE)).toBe(log)
  expect(files.names(`${ROOT}/session/trajectories`)).toEqual(['run.log'])
  expect(files.text(`${ROOT}/${TRAJECTORY}`)).toBe(log)
  expect(files.names(`${ROOT}/procedures`)).toEqual(Object.keys(final).map((name) => `${name}.json`))
  for (const [name, content] of Object.entries(final))
    expect(files.read(`${ROOT}/procedures/${name}.json`)).toEqual(bytesOf(content))
}

/** All that is not derived, and no leftover. */
function truthOf(files: MemoryFiles): Readonly<Record<string, string>> {
  const paths = files.tree().filter((path) => !/\/$|metadata\/(?:index|lock)|\.tmp$/.test(path))
  return Object.fromEntries(paths.map((path) => [path, files.text(path)]))
}

/** In both views, and as a build from nothing would have it. */
async function requireFound(files: MemoryFiles, scenario: Scenario): Promise<void> {
  for (const index of ['when_to_use', 'when_to_use_content']) {
    const ask = (from: MemoryFiles) =>
      machineOver(from, scenario).run('procedure_search', { query: 'breaks way', index })
    const found = await ask(files)
    expect(found).toEqual(await ask(withoutDerived(files)))
    expect(found).toMatchObject({ index_complete: true, pending_indexes: [], invalid: [] })
    expect(found.results).toHaveLength(Object.keys(scenario.final).length)
  }
}

function withoutDerived(files: MemoryFiles): MemoryFiles {
  const bare = files.killed()
  for (const path of derivedIn(bare)) bare.remove(path)
  return bare
}

function derivedIn(files: MemoryFiles): readonly string[] {
  return files.tree().filter((path) => path.includes('/metadata/index/') && !path.endsWith('/'))
}

describe.each(IMPORTS)('$name', (scenario) => {
  test('is whole again wherever it is stopped', async () => {
    const stops = await importStops(freshFiles(scenario), scenario, SEEDS)
    await checkEach(stops, (stop, at) => requireSound(stop, scenario, at % 2 === 1))
    counts.push(`${scenario.name} ${stops.length}`)
  })

  test('and wherever it is stopped a second time while it goes on', async () => {
    const seed = Number(process.env.CRASH_SEED ?? 20261130)
    const random = randomFrom(seed)
    const stops = await importStops(freshFiles(scenario), scenario, SEEDS)
    let count = 0
    for (let n = 0; n < DOUBLE_COUNT; n += 1) {
      const first = stops[Math.floor(random() * stops.length)]
      if (first === undefined) continue
      const second = await importStops(first.files, scenario, [Math.floor(random() * 1000)])
      const sampled = second.filter(() => random() < 0.05)
      await checkEach(
        sampled.map((stop) => ({ ...stop, how: `CRASH_SEED=${seed}: ${first.how}; then ${stop.how}` })),
        (stop, at) => requireSound(stop, scenario, at % 2 === 1),
      )
      count += sampled.length
    }
    counts.push(`the same twice (seed ${seed}) ${count}`)
  })
})

/** Work that writes nothing but what is derived, over a workspace whose index is missing, old, or another embedder's. */
const DERIVED: readonly (readonly [name: string, operation: string, input: unknown])[] = [
  ['a reindex with an embedder, which also drops what is no longer needed', 'procedure_reindex', {}],
  ['the search that first writes the index down', 'procedure_search', { query: 'breaks' }],
]

describe.each(DERIVED)('%s', (name, operation, input) => {
  const scenario: Scenario = { ...IMPORTS[0], environment: { ...IMPORTS[0]?.environment, ...OPENAI } } as Scenario

  /** Experiences by an import, one that no view takes, and vectors of texts that are no more. */
  async function indexedFiles(): Promise<MemoryFiles> {
    const files = freshFiles(scenario)
    expect(await importRun(machineOver(files, scenario, new PlannedAgent(PLAN)))).toMatchObject({ status: 'complete' })
    const gone = JSON.stringify({ description: 'd', 'when-to-use': 'gone soon', content: 'c', sources: [] })
    files.write(`${ROOT}/procedures/gone.json`, gone)
    files.write(`${ROOT}/procedures/poison.json`, gone.replace('gone soon', 'poison'))
    await machineOver(files, scenario).run('procedure_reindex', {})
    files.remove(`${ROOT}/procedures/gone.json`)
    files.syncFolder(`${ROOT}/procedures`)
    if (operation === 'procedure_search') for (const path of derivedIn(files)) files.remove(path)
    return files
  }

  test('leaves all truth as it was and an index that is right, wherever it is stopped', async () => {
    const files = await indexedFiles()
    const truth = truthOf(files)
    const ask = (from: MemoryFiles) => machineOver(from, scenario).run('procedure_search', { query: 'breaks way' })
    const right = await ask(withoutDerived(files))
    const machine = machineOver(files, scenario)
    const stops = await stopPoints({
      files,
      seeds: SEEDS,
      promised: () => null,
      work: async (watcher) => {
        machine.watcher = watcher
        await machine.run(operation, input)
      },
    })
    await checkEach(stops, async (stop) => {
      expect(truthOf(stop.files)).toEqual(truth)
      expect(await ask(stop.files)).toEqual(right)
      expect(await machineOver(stop.files, scenario).run('procedure_reindex', {})).toMatchObject({
        experiences: 4,
        indexed: 3,
      })
      expect(await ask(stop.files)).toEqual(right)
      expect(truthOf(stop.files)).toEqual(truth)
      expect(stop.files.tree().filter((path) => path.endsWith('.tmp'))).toEqual([])
    })
    counts.push(`${name} ${stops.length}`)
  })
})
