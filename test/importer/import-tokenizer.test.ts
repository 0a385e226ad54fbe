/** An import goes on with the tokenizer that it was cut by, whatever that is called by then, and with no other. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import type { Machine } from '../../src/app/machine.ts'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { COMMIT, HubHome } from '../adapters/hub-home.ts'
import { file, HubServer, NAME } from '../adapters/hub-server.ts'
import { diskMachine, runOnDisk } from '../fakes/disk-machine.ts'
import { type LogLine, rewriteLog } from '../fakes/rewritten-log.ts'
import { smallTokenizer } from '../fakes/tokenizer-json.ts'

const ONE = JSON.stringify(smallTokenizer([['a', 'b']]))
const OTHER = JSON.stringify(smallTokenizer([]))
const ID = 'run-1'

let home: HubHome
let root: string
let log: string
/** `tokenizer.json` in a folder of its own. */
let path: string
let openings: number

beforeEach(() => {
  home = new HubHome()
  root = join(home.folder, 'workspace')
  log = join(home.folder, 'run.log')
  path = join(home.folder, 'one', 'tokenizer.json')
  openings = 0
  mkdirSync(dirname(path))
  mkdirSync(root)
  // Two bytes of one character, which no merge joins.
  writeFileSync(log, 'aé')
  writeFileSync(path, ONE)
})
afterEach(() => home[Symbol.dispose]())

/** Where one token is the most the second character does not fit. */
const allow = (segment: number) =>
  writeFileSync(join(root, 'knowhow.json'), JSON.stringify({ token_limits: { segment } }))

function machineWith(source: string, more: Record<string, string> = {}): Machine {
  const machine = diskMachine()
  return {
    ...machine,
    environment: { ...home.environment(more), PROCEDURE_TOKENIZER_SOURCE: source },
    openTokenizer: (name, options) => {
      openings += 1
      return machine.openTokenizer(name, options)
    },
  }
}

const begin = (machine: Machine) =>
  runOnDisk<ImportResult>(machine, root, 'procedure_import', { files: [log], request_id: ID, extractor: 'offline' })
const resume = (machine: Machine) => runOnDisk<ImportResult>(machine, root, 'procedure_import', { resume: ID })
const shown = (machine: Machine) => runOnDisk<{ imports: unknown[] }>(machine, root, 'procedure_imports', {})

const logs = () => join(root, 'metadata', 'procedure', 'default')
const logTexts = () =>
  readdirSync(logs(), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => [name, readFileSync(join(logs(), name), 'utf8')])

const STOPPED = { status: 'incomplete', error: { code: 'budget_too_small' } }
const COMPLETE = { status: 'complete' }

describe.each([
  ['stopped', 1, STOPPED],
  ['complete', 100, COMPLETE],
] as const)('an import that is %s', (_, segment, outcome) => {
  beforeEach(() => allow(segment))

  const refused = async (machine: Machine) => {
    const before = logTexts()
    const wasShown = await shown(machine)
    await expect(resume(machine)).rejects.toMatchObject({
      code: 'settings_changed',
      message: expect.stringMatching(/the tokenizer sha256:[0-9a-f]{64}, now it is .*, which is sha256:[0-9a-f]{64};/),
    })
    expect(logTexts()).toEqual(before)
    expect(await shown(machine)).toEqual(wasShown)
  }

  test('refuses other bytes behind the same path, and alters nothing', async () => {
    expect(await begin(machineWith(path))).toMatchObject(outcome)
    for (const bytes of [OTHER, 'no JSON at all']) {
      writeFileSync(path, bytes)
      await refused(machineWith(path))
    }
    writeFileSync(path, ONE)
    expect(await resume(machineWith(path))).toMatchObject(outcome)
  })

  test('takes the same bytes by any path', async () => {
    expect(await begin(machineWith(relative(process.cwd(), path)))).toMatchObject(outcome)
    expect(await resume(machineWith(path))).toMatchObject(outcome)
    expect(await resume(machineWith(dirname(path)))).toMatchObject(outcome)
    const moved = join(home.folder, 'moved.json')
    renameSync(path, moved)
    expect(await resume(machineWith(moved))).toMatchObject(outcome)
  })

  test('takes a log with the path as an earlier program recorded it', async () => {
    const spelling = relative(process.cwd(), path)
    expect(await begin(machineWith(path))).toMatchObject(outcome)
    record(spelling)
    for (const source of [spelling, path]) expect(await resume(machineWith(source))).toMatchObject(outcome)
    writeFileSync(path, OTHER)
    await refused(machineWith(spelling))
  })

  test('refuses other bytes of the same name of the hub', async () => {
    home.write('refs/main', COMMIT)
    const cached = home.write(`snapshots/${COMMIT}/tokenizer.json`, ONE)
    const offline = machineWith(NAME, { HF_HUB_OFFLINE: '1' })
    expect(await begin(offline)).toMatchObject(outcome)
    expect(await resume(machineWith(path))).toMatchObject(outcome)
    writeFileSync(cached, OTHER)
    await refused(offline)
  })
})

/** Changes the tokenizer's name in the import log. */
function record(tokenizer: string): void {
  rewriteLog(diskFiles, join(logs(), 'imports', `${ID}.jsonl`), ([first, ...records]) => [
    { ...first, settings: { ...(first?.settings as LogLine), tokenizer } },
    ...records,
  ])
}

test('an import records the path of its tokenizer absolute, and a name as it is', async () => {
  allow(100)
  const recorded = async (source: string, id: string) => {
    const request = { files: [log], request_id: id, extractor: 'offline' }
    await runOnDisk(machineWith(source, { HF_HUB_OFFLINE: '1' }), root, 'procedure_import', request)
    const [first = ''] = readFileSync(join(logs(), 'imports', `${id}.jsonl`), 'utf8').split('\n')
    return JSON.parse(first).settings.tokenizer
  }
  expect(await recorded(relative(process.cwd(), path), 'by-path')).toBe(path.replaceAll('\\', '/'))
  expect(await recorded('builtin:qwen3', 'built-in')).toBe('builtin:qwen3')
  expect(await recorded(NAME, 'of-the-hub')).toBe(NAME)
})

test('one that is complete is told without opening its tokenizer, and when that is gone', async () => {
  allow(100)
  expect(await begin(machineWith(path))).toMatchObject(COMPLETE)
  openings = 0
  expect(await resume(machineWith(path))).toMatchObject(COMPLETE)
  rmSync(path)
  expect(await resume(machineWith(path))).toMatchObject(COMPLETE)
  expect(openings).toBe(0)
})

test('one that is stopped waits for a tokenizer that is gone', async () => {
  allow(1)
  expect(await begin(machineWith(path))).toMatchObject(STOPPED)
  rmSync(path)
  const unavailable = { status: 'incomplete', error: { code: 'tokenizer_unavailable', resumable: true } }
  expect(await resume(machineWith(path))).toMatchObject(unavailable)
  expect(openings).toBe(2)
  writeFileSync(path, ONE)
  expect(await resume(machineWith(path))).toMatchObject(STOPPED)
})

test('of one that was not cut yet the path counts, however it is written', async () => {
  allow(100)
  const broken = join(home.folder, 'run.json')
  writeFileSync(broken, '{')
  const request = { files: [broken], request_id: ID, extractor: 'offline' }
  const malformed = { status: 'incomplete', error: { code: 'malformed_input' } }
  expect(await runOnDisk<ImportResult>(machineWith(path), root, 'procedure_import', request)).toMatchObject(malformed)
  expect(await resume(machineWith(relative(process.cwd(), path)))).toMatchObject(malformed)
  record(relative(process.cwd(), path))
  expect(await resume(machineWith(path))).toMatchObject(malformed)
  await expect(resume(machineWith('builtin:qwen3'))).rejects.toMatchObject({ code: 'settings_changed' })
})

test('one of the hub that has to be downloaded again is compared before anything is recorded', async () => {
  allow(1)
  using hub = new HubServer(file(ONE), file(OTHER))
  const machine = machineWith(NAME, { HF_ENDPOINT: hub.address })
  expect(await begin(machine)).toMatchObject(STOPPED)
  rmSync(home.cache, { recursive: true })
  const before = logTexts()
  await expect(resume(machine)).rejects.toMatchObject({ code: 'settings_changed' })
  expect(logTexts()).toEqual(before)
})
