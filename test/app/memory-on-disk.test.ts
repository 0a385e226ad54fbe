/** The memory graph's file as it lies on a real disk: made, refused, damaged, replaced, and what is beside it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OpenedWorkspace } from '../../src/app/opened-workspace.ts'
import { diskMachine, runIn, runOnDisk } from '../fakes/disk-machine.ts'

let folder: string
let root: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-'))
  root = join(folder, 'workspace')
  file = join(root, 'memory', 'memory.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const machine = diskMachine()
const run = <O = Record<string, unknown>>(name: string, input: unknown = {}) => runOnDisk<O>(machine, root, name, input)

test('a reading command makes nothing, the first writing one the folder, the file and the git files', async () => {
  await run('session_list')
  expect(existsSync(root)).toBe(false)
  await run('session_start', { id: 's' })
  expect(readdirSync(root).sort()).toEqual(['.gitattributes', '.gitignore', 'memory'])
  expect(readdirSync(join(root, 'memory'))).toEqual(['memory.db'])
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toContain('/memory/memory.db*')
})

test('git files that a person has made stay as they are', async () => {
  mkdirSync(root)
  writeFileSync(join(root, '.gitignore'), 'mine')
  await run('session_start')
  expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('mine')
})

describe('a link', () => {
  test.each(['memory', 'memory/memory.db', 'memory/memory.db-wal', 'memory/memory.db-journal'])(
    'in the place of %s is refused, and nothing is made where it leads',
    async (path) => {
      mkdirSync(join(root, path === 'memory' ? '.' : 'memory'), { recursive: true })
      const elsewhere = join(folder, 'elsewhere')
      symlinkSync(elsewhere, join(root, path))
      for (const name of ['session_start', 'session_list', 'memory_stats'])
        await expect(run(name)).rejects.toMatchObject({ code: 'path_outside' })
      expect(existsSync(elsewhere)).toBe(false)
    },
  )
})

test('a newer schema is format_too_new, and nothing is touched', async () => {
  await run('session_start', { id: 's' })
  using database = new DatabaseSync(file)
  database.exec('PRAGMA user_version = 99')
  database.close()
  const before = readFileSync(file)
  for (const name of ['session_list', 'session_start', 'memory_sweep'])
    await expect(run(name)).rejects.toMatchObject({ code: 'format_too_new', message: expect.stringContaining('99') })
  expect(readFileSync(file)).toEqual(before)
})

test("another program's database is memory_corrupt, and nothing is touched", async () => {
  mkdirSync(join(root, 'memory'), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE theirs (a)')
  database.close()
  const before = readFileSync(file)
  for (const name of ['session_list', 'session_start'])
    await expect(run(name)).rejects.toMatchObject({ code: 'memory_corrupt' })
  expect(readFileSync(file)).toEqual(before)
})

test('a damaged file is memory_corrupt, and says what to do', async () => {
  mkdirSync(join(root, 'memory'), { recursive: true })
  writeFileSync(file, 'no database at all, whatever its name says. '.repeat(100))
  for (const name of ['session_list', 'session_start'])
    await expect(run(name)).rejects.toMatchObject({
      code: 'memory_corrupt',
      message: expect.stringMatching(
        /memory\.db.*move it away with the files beside it.*, and restore it from a backup/,
      ),
    })
})

test('a file that somebody made and did not fill is an empty graph', async () => {
  mkdirSync(join(root, 'memory'), { recursive: true })
  writeFileSync(file, '')
  expect(await run('session_list')).toEqual({ sessions: [] })
  await run('session_start', { id: 's' })
  expect(await run('session_list')).toMatchObject({ sessions: [{ session_id: 's' }] })
})

describe('a process that stays', () => {
  test('sees what others write, also where there was no graph before', async () => {
    using workspace = new OpenedWorkspace(machine, { root, configPath: null, command: 'test' })
    expect(await runIn<object>(workspace, 'session_list', {})).toEqual({ sessions: [] })
    await run('session_start', { id: 'theirs' })
    expect(await runIn<object>(workspace, 'session_list', {})).toMatchObject({ sessions: [{ session_id: 'theirs' }] })
    await runIn(workspace, 'session_start', { id: 'ours' })
    expect(await run('session_list')).toMatchObject({ sessions: [{ session_id: 'ours' }, { session_id: 'theirs' }] })
  })

  test('answers many at once, whoever of them writes first', async () => {
    using workspace = new OpenedWorkspace(machine, { root, configPath: null, command: 'test' })
    await run('session_start', { id: 's' })
    mkdirSync(join(root, 'procedures'))
    writeFileSync(
      join(root, 'procedures', 'a.json'),
      JSON.stringify({ description: 'd', 'when-to-use': 'w', content: 'c', sources: [] }),
    )
    const names = ['session_list', 'memory_stats', 'memory_due', 'session_list', 'memory_validate'] as const
    const asked = Array.from({ length: 30 }, (_, n) =>
      n % 3 === 0
        ? runIn<object>(workspace, 'memory_remember', { kind: 'episodic', session: 's', content: `${n}` })
        : runIn<object>(workspace, names[n % names.length] ?? 'session_list', {}),
    )
    await Promise.all(asked)
    expect(await run('memory_stats')).toMatchObject({ memories: { episodic: 10, procedural: 1 } })
  })

  test('looks into the file that is there, not into one that was moved away', async () => {
    using workspace = new OpenedWorkspace(machine, { root, configPath: null, command: 'test' })
    await runIn(workspace, 'session_start', { id: 'before' })
    renameSync(join(root, 'memory'), join(folder, 'away'))
    expect(await runIn<object>(workspace, 'session_list', {})).toEqual({ sessions: [] })
    await runIn(workspace, 'session_start', { id: 'after' })
    expect(await run('session_list')).toMatchObject({ sessions: [{ session_id: 'after' }] })
  })
})

test('many who write at once wait for each other, and nothing is lost', async () => {
  await run('session_start', { id: 's' })
  const program = `
    const { diskMachine, runOnDisk } = await import(${JSON.stringify(join(import.meta.dir, '../fakes/disk-machine.ts'))})
    const machine = diskMachine()
    for (let n = 0; n < 10; n += 1)
      await runOnDisk(machine, ${JSON.stringify(root)}, 'memory_remember', { kind: 'episodic', session: 's', content: 'x' })`
  const children = Array.from({ length: 3 }, () => Bun.spawn([process.execPath, '-e', program], { stderr: 'inherit' }))
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0])
  const { episodic } = await run<{ episodic: readonly { sequence_number: number }[] }>('session_show', { id: 's' })
  expect(episodic.map(({ sequence_number }) => sequence_number)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
})

test('a graph in a backup is whole', async () => {
  await run('session_start', { id: 's' })
  await run('memory_remember', { kind: 'episodic', session: 's', content: 'x' })
  await run('backup', { dir: join(folder, 'copy') })
  const copied = await runOnDisk<object>(machine, join(folder, 'copy'), 'session_show', { id: 's' })
  expect(copied).toMatchObject({ episodic: [{ content: 'x' }] })
  expect(await runOnDisk<object>(machine, join(folder, 'copy'), 'memory_validate', {})).toMatchObject({ ok: true })
})

describe('a graph that may not be written', () => {
  /** Runs an operation as somebody who may only read: root may write everywhere, and becomes another user for it. */
  async function asReader(name: string, input: object = {}): Promise<Record<string, unknown>> {
    const program = `
      const { diskMachine, runOnDisk } = await import(${JSON.stringify(join(import.meta.dir, '../fakes/disk-machine.ts'))})
      const machine = diskMachine()
      await runOnDisk(machine, '/nowhere', 'session_list', {})
      if (process.getuid?.() === 0) process.setuid(65534)
      const answer = runOnDisk(machine, ${JSON.stringify(root)}, ${JSON.stringify(name)}, ${JSON.stringify(input)})
      console.log(JSON.stringify(await answer.catch(({ code, message }) => ({ code, message }))))`
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
    return JSON.parse(await new Response(child.stdout).text())
  }

  beforeEach(async () => {
    await run('session_start', { id: 's' })
    chmodSync(folder, 0o755)
    chmodSync(file, 0o444)
    chmodSync(join(root, 'memory'), 0o555)
  })
  afterEach(() => chmodSync(join(root, 'memory'), 0o755))

  test('is read, and nothing is made beside it', async () => {
    expect(await asReader('session_list')).toMatchObject({ sessions: [{ session_id: 's' }] })
    expect(await asReader('memory_validate')).toMatchObject({ ok: true })
    expect(readdirSync(join(root, 'memory'))).toEqual(['memory.db'])
  })

  test('is not written, and the message says what to look at', async () => {
    expect(await asReader('session_start')).toMatchObject({
      code: 'read_only',
      message: expect.stringMatching(/memory\.db.*owner and mode/),
    })
  })

  test('with a log that was not taken in yet is not read as if it were whole', async () => {
    writeFileSync(`${file}-wal`, 'left by somebody')
    expect(await asReader('session_list')).toMatchObject({ code: expect.stringMatching(/read_only|io_failed/) })
  })
})
