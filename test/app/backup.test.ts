import { beforeEach, describe, expect, test } from 'bun:test'
import type { Examination } from '../../src/app/doctor/examination.ts'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import type { MemoryFiles } from '../fakes/memory-files.ts'
import { PlannedAgent, type PlannedWrite } from '../fakes/planned-agent.ts'

const TARGET = '/mnt/backup/knowhow'
const PLAN: readonly (readonly PlannedWrite[])[] = [
  [
    { action: 'created', name: 'alpha', key: 'a', text: 'First way.' },
    { action: 'updated', name: 'alpha', key: 'b', text: 'Better way.' },
    { action: 'created', name: 'beta', key: 'c', text: 'Second way.' },
  ],
]

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  prepare(machine)
})

function prepare(one: FakeMachine): void {
  planning(one)
  one.files.write('/mnt/backup/others.txt', '')
  one.files.write('/logs/run.log', 'one line\n'.repeat(20))
}

function planning(one: FakeMachine, plan = PLAN): FakeMachine {
  one.environment = { LLM_MODEL_NAME: 'planned' }
  one.chat = new PlannedAgent(plan)
  return one
}

const importRun = (id: string, on = machine) =>
  on.run<ImportResult>('procedure_import', { files: ['/logs/run.log'], request_id: id })
const backup = (dir = TARGET) => machine.run('backup', { dir })

type Truth = Readonly<Record<string, string>>

/** Texts of all truth in a workspace, by its path there. */
function truthIn(files: MemoryFiles, root: string): Truth {
  const paths = files.tree().filter((path) => path.startsWith(`${root}/`) && !path.endsWith('/'))
  const truth = paths
    .map((path) => path.slice(root.length + 1))
    .filter((path) => !/^(?:metadata\/(?:index|lock)|memory\/)/.test(path))
  return Object.fromEntries(truth.map((path) => [path, files.text(`${root}/${path}`)]))
}

test('a backup is everything but what is derived, byte for byte', async () => {
  machine.configure({ search: { limit: 3 } })
  machine.files.write(`${ROOT}/procedures/notes/mine.txt`, 'notes')
  await importRun('run-1')
  const answer = await backup()
  expect(answer).toMatchObject({ backup: TARGET, experiences: 2, trajectories: 1, imports: 1 })
  const truth = truthIn(machine.files, ROOT)
  expect(truthIn(machine.files, TARGET)).toEqual(truth)
  // And the memory graph, which is no copy of bytes.
  expect(answer.files).toBe(Object.keys(truth).length + 1)
  expect(machine.files.tree().filter((path) => path.startsWith('/mnt') && path.includes('.knowhow-'))).toEqual([])
})

test('and outlives a power cut', async () => {
  await importRun('run-1')
  await backup()
  expect(truthIn(machine.files.crash(), TARGET)).toEqual(truthIn(machine.files, ROOT))
})

test('an interrupted import is in it, and goes on from it', async () => {
  machine.script(() => {
    throw new Error('the process dies')
  })
  await expect(importRun('run-1')).rejects.toThrow('dies')
  await backup()
  const restored = restoredFrom(machine.files)
  expect(await importRun('run-1', restored)).toMatchObject({ status: 'complete' })
})

/** A machine whose workspace is the backup. */
function restoredFrom(files: MemoryFiles): FakeMachine {
  const left = files.killed()
  left.rename(ROOT, '/lost')
  left.rename(TARGET, ROOT)
  return planning(new FakeMachine(left, new CountingIds(100_000)))
}

describe('while an import writes', () => {
  const LATER: readonly (readonly PlannedWrite[])[] = [
    [
      { action: 'created', name: 'gamma', key: 'g', text: 'Third way.' },
      { action: 'updated', name: 'beta', key: 'h', text: 'Better second way.' },
    ],
  ]

  /** What an import that begins here leaves of all truth before each of its changes, and at its end. */
  async function statesOfImport(files: MemoryFiles): Promise<Truth[]> {
    const worker = planning(new FakeMachine(files.killed(), new CountingIds(10_000)), LATER)
    const states: Truth[] = []
    worker.watcher = ({ changes }) => {
      if (changes) states.push(truthIn(worker.files, ROOT))
    }
    await importRun('later', worker)
    return [...states, truthIn(worker.files, ROOT)]
  }

  // A change of the import before every n-th call that the backup makes of the disk.
  test.each([1, 2, 3, 4, 5, 8, 13, 21, 34])('every %d calls, the copy goes on as after a kill', async (stride) => {
    await importRun('earlier')
    const states = await statesOfImport(machine.files)
    const stateCount = states.length
    let now = truthIn(machine.files, ROOT)
    let calls = 0
    const copier = new FakeMachine(machine.files, new CountingIds(50_000))
    copier.watcher = () => {
      calls += 1
      const next = calls % stride === 0 ? states.shift() : undefined
      if (next === undefined) return
      apply(machine.files, now, next)
      now = next
    }
    await copier.run('backup', { dir: TARGET })
    expect(states.length).toBeLessThan(stateCount)
    const restored = planning(restoredFrom(machine.files), LATER)
    const { checks } = await restored.run<Examination>('doctor', {})
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(await importRun('later', restored)).toMatchObject({ status: 'complete' })
    const contents = ['alpha', 'beta', 'gamma'].map(
      (name) => JSON.parse(restored.files.text(`${ROOT}/procedures/${name}.json`)).content,
    )
    expect(contents).toEqual(['Better way.', 'Better second way.', 'Third way.'])
    expect(restored.files.names(`${ROOT}/procedures`)).toHaveLength(3)
    expect(restored.files.names(`${ROOT}/session/trajectories`)).toEqual(['run-2.log', 'run.log'])
  })
})

/** Makes one truth the other, file by file. */
function apply(files: MemoryFiles, before: Truth, after: Truth): void {
  for (const path of Object.keys(before)) if (!(path in after)) files.remove(`${ROOT}/${path}`)
  for (const [path, text] of Object.entries(after)) if (before[path] !== text) files.write(`${ROOT}/${path}`, text)
}

test('what several imports make of one file meanwhile is in the copy as the last of them left it', async () => {
  await importRun('earlier')
  const worker = new FakeMachine(machine.files.killed(), new CountingIds(10_000))
  // Neither the names of the imports nor the clock tell which came first.
  for (const [id, text] of [
    ['zz', 'Third way.'],
    ['aa', 'Fourth way.'],
  ] as const) {
    planning(worker, [[{ action: 'updated', name: 'alpha', key: 'k', text }]])
    await importRun(id, worker)
    worker.clock.advance(-1_000_000)
  }
  const copier = new FakeMachine(machine.files, new CountingIds(50_000))
  let isDone = false
  copier.watcher = ({ name, path }) => {
    // The file is copied by now, and no log is.
    if (isDone || name !== 'openRead' || !path.endsWith('/procedures/beta.json')) return
    isDone = true
    apply(machine.files, truthIn(machine.files, ROOT), truthIn(worker.files, ROOT))
  }
  await copier.run('backup', { dir: TARGET })
  expect(truthIn(machine.files, TARGET)).toEqual(truthIn(worker.files, ROOT))
  expect(machine.files.text(`${TARGET}/procedures/alpha.json`)).toContain('Fourth way.')
})

test('what is renamed, added or removed by hand meanwhile is in the copy as it is in the end', async () => {
  await importRun('run-1')
  const at = (name: string) => `${ROOT}/procedures/${name}.json`
  machine.files.write(at('delta'), machine.files.text(at('alpha')))
  machine.files.write(at('zeta'), machine.files.text(at('alpha')))
  const copier = new FakeMachine(machine.files, new CountingIds(50_000))
  let isDone = false
  copier.watcher = ({ name, path }) => {
    // Alpha is copied by now, and delta is not.
    if (isDone || name !== 'openRead' || path !== at('beta')) return
    isDone = true
    machine.files.rename(at('alpha'), at('was-alpha'))
    machine.files.rename(at('delta'), at('a-delta'))
    machine.files.remove(at('zeta'))
    machine.files.write(at('gamma'), machine.files.text(at('beta')))
  }
  expect(await copier.run('backup', { dir: TARGET })).toMatchObject({ experiences: 4 })
  expect(truthIn(machine.files, TARGET)).toEqual(truthIn(machine.files, ROOT))
})

test('a copy out of which something is taken while it is made is none', async () => {
  await importRun('run-1')
  const copier = new FakeMachine(machine.files, new CountingIds(50_000))
  copier.watcher = ({ name, path }) => {
    if (name !== 'openRead' || !path.includes('/trajectories/')) return
    for (const found of machine.files.tree())
      if (found.startsWith('/mnt') && found.endsWith('/alpha.json')) machine.files.remove(found)
  }
  await expect(copier.run('backup', { dir: TARGET })).rejects.toMatchObject({
    code: 'io_failed',
    message: expect.stringContaining('alpha.json was removed or changed'),
  })
  expect(machine.files.tree().filter((path) => path.startsWith('/mnt'))).toEqual([
    '/mnt/',
    '/mnt/backup/',
    '/mnt/backup/others.txt',
  ])
})

test('what lies in folders that are no longer the configured ones is in the copy too', async () => {
  await importRun('run-1')
  machine.configure({ session_dir: 'runs', procedure_dir: 'ways' })
  expect(await backup()).toMatchObject({ experiences: 2, trajectories: 1, imports: 1 })
  expect(truthIn(machine.files, TARGET)).toEqual(truthIn(machine.files, ROOT))
})

test('a folder of logs that is a link is named and not followed', async () => {
  await importRun('run-1')
  const imports = 'metadata/procedure/default/imports'
  machine.files.makeFolder('/elsewhere')
  machine.files.rename(`${ROOT}/${imports}/run-1.jsonl`, '/elsewhere/run-1.jsonl')
  for (const path of machine.files.tree())
    if (path.startsWith(`${ROOT}/${imports}`))
      machine.files[path.endsWith('/') ? 'removeFolder' : 'remove'](path.replace(/\/$/, ''))
  machine.files.linkTo(`${ROOT}/${imports}`, '/elsewhere')
  expect(await backup()).toMatchObject({
    imports: 0,
    skipped: [{ path: imports, error: expect.stringContaining('link') }],
  })
  expect(machine.files.stat(`${TARGET}/${imports}/run-1.jsonl`)).toBeNull()
})

describe('a target is refused', () => {
  test.each([
    ['in the workspace', `${ROOT}/copy`, 'invalid_argument'],
    ['that is the workspace', ROOT, 'invalid_argument'],
    ['that holds something', '/logs', 'name_taken'],
    ['that is a file', '/logs/run.log', 'name_taken'],
    ['in a folder that is not there', '/none/copy', 'not_found'],
  ])('%s', async (_where, dir, code) => {
    await importRun('run-1')
    const before = machine.files.tree()
    await expect(machine.run('backup', { dir })).rejects.toMatchObject({ code })
    expect(machine.files.tree()).toEqual(before)
  })

  test('when there is no workspace', async () => {
    await expect(machine.run('backup', { dir: TARGET })).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('an empty folder is filled', async () => {
  await importRun('run-1')
  machine.files.makeFolder(TARGET)
  expect(await backup()).toMatchObject({ experiences: 2 })
})

test('what is no regular file is left out and named', async () => {
  await importRun('run-1')
  machine.files.linkTo(`${ROOT}/procedures/away.json`, '/etc/passwd')
  expect(await backup()).toMatchObject({
    experiences: 2,
    skipped: [{ path: 'procedures/away.json', error: 'it is a symbolic link' }],
  })
})

test('a backup that fails leaves nothing, and one that was killed is cleaned by the next', async () => {
  await importRun('run-1')
  let changesLeft = 6
  machine.watcher = ({ path, changes }) => {
    if (!changes || !path.startsWith('/mnt')) return
    changesLeft -= 1
    if (changesLeft === 0) throw new MemoryError('disk_full', 'the disk is full')
  }
  await expect(machine.run('backup', { dir: TARGET })).rejects.toMatchObject({ code: 'disk_full' })
  expect(machine.files.names('/mnt/backup')).toEqual(['others.txt'])
  machine.watcher = null
  const temporary = '/mnt/backup/.knowhow-99-abc.tmp'
  machine.files.write(`${temporary}/procedures/half.json`, '{')
  expect(await backup()).toMatchObject({ experiences: 2 })
  expect(machine.files.names('/mnt/backup')).toEqual(['knowhow', 'others.txt'])
})

test('the memory graph is in it, and stays as it was then', async () => {
  await importRun('run-1')
  await backup()
  await machine.run('session_start', { id: 'later' })
  const restored = restoredFrom(machine.files)
  expect(await restored.run('session_list', {})).toMatchObject({ sessions: [{ session_id: 'run-1' }] })
  expect(await restored.run('session_show', { id: 'run-1' })).toMatchObject({
    episodic: [{ memory_id: 'import:run-1' }],
  })
})

test('a damaged memory graph is left out and named', async () => {
  await machine.run('session_start', { id: 's' })
  const damaged = async () => () => {
    throw new MemoryError('memory_corrupt', 'it is damaged')
  }
  Object.assign(machine, { loadDatabase: damaged })
  expect(await backup()).toMatchObject({ skipped: [{ path: 'memory/memory.db', error: 'it is damaged' }] })
})
