/** The built-in embedder as people have it: in the compiled program, without any setting, and under the other runtime. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { AS_INSTALLED, compiledProgram, start } from '../fakes/compiled-program.ts'

const REPOSITORY = resolve(import.meta.dir, '../..')
const LAUNCHER = join(REPOSITORY, 'scripts', 'run.mjs')
const COMPILE_TIME_MAX_MS = 120_000
const EMBEDDER_BYTES_MIN = 7_000_000
/** Shares no word with what it should find. */
const PARAPHRASE = 'no space left on device'
const EXPERIENCES = {
  'full-disk': 'The hard drive is full and files can not be saved',
  'merge-conflict': 'Two branches changed the same lines',
  'database-refused': '数据库连接失败',
}

let folder: string
let program: string
let without: string
let root: string
let count = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-builtin-'))
  program = await compiledProgram()
  without = await compiledProgram({ hasEmbedder: false })
}, COMPILE_TIME_MAX_MS)
afterAll(() => {
  for (const path of [folder, dirname(program), dirname(without)]) rmSync(path, { recursive: true, force: true })
})

beforeEach(() => {
  root = join(folder, `workspace-${count++}`)
  mkdirSync(join(root, 'procedures'), { recursive: true })
  for (const [name, when] of Object.entries(EXPERIENCES)) {
    const experience = { description: 'd', 'when-to-use': when, content: 'c', sources: [] }
    writeFileSync(join(root, 'procedures', `${name}.json`), JSON.stringify(experience))
  }
})

const searchOf = (query: string) => ['search', query, '--json', '--workspace', root]

async function found(binary: string, query: string, environment: Record<string, string> = {}): Promise<unknown> {
  const { exit, out, error } = await start(binary, searchOf(query), { ...AS_INSTALLED, ...environment }).finished
  expect({ exit, error }).toEqual({ exit: 0, error: '' })
  return JSON.parse(out)
}

test('finds what shares no word with the query, without any setting, and unpacks nothing', async () => {
  const home = join(folder, 'home')
  mkdirSync(home)
  const answer = await found(program, PARAPHRASE, { HOME: home, TMPDIR: home })
  expect(answer).toMatchObject({
    mode: 'hybrid',
    fusion: 'score',
  })
  const [first] = (answer as { results: unknown[] }).results
  expect(first).toMatchObject({ path: 'procedures/full-disk.json', keyword: null, vector: { rank: 1 } })
  expect(answer).not.toHaveProperty('notice')
  expect(readdirSync(home)).toEqual([])
})

test('leaves a question in another script to the keywords', async () => {
  expect(await found(program, '数据库')).toMatchObject({
    mode: 'keyword',
    results: [{ path: 'procedures/database-refused.json' }],
  })
})

const { status: missing } = spawnSync('node', [LAUNCHER, 'deno', '--version'], { stdio: 'ignore' })

test.skipIf(missing !== 0)(
  'gives the same scores under Deno',
  async () => {
    const main = [LAUNCHER, 'deno', 'run', '-A', '--quiet', join(REPOSITORY, 'src', 'main.ts')]
    const { stdout } = spawnSync('node', [...main, ...searchOf(PARAPHRASE)], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, DENO_DIR: join(folder, 'deno-cache') },
    })
    const ofDeno = JSON.parse(stdout) as unknown
    expect(ofDeno).toMatchObject({ mode: 'hybrid', fusion: 'score' })
    rmSync(join(root, 'metadata'), { recursive: true })
    expect(await found(program, PARAPHRASE)).toEqual(ofDeno)
  },
  60_000,
)

test('is not in a program that was built without it, which ranks by keywords and says nothing', async () => {
  expect(statSync(program).size - statSync(without).size).toBeGreaterThan(EMBEDDER_BYTES_MIN)
  expect(await found(without, 'hard drive')).toMatchObject({
    mode: 'keyword',
    fusion: 'rrf',
    results: [{ path: 'procedures/full-disk.json' }],
  })
})
