/** A static model inside the compiled program, and the same model beside it under the other runtime. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { builtInModel, modelFault } from '../../scripts/built-in-model.ts'
import { compiledProgram, start } from '../fakes/compiled-program.ts'
import { runtimeArguments } from '../fakes/runtime.ts'
import { writeWordModel } from '../fakes/static-model.ts'

const REPOSITORY = resolve(import.meta.dir, '../..')
const WORDS = ['red', 'apple', 'blue', 'whale', 'fruit']
const COMPILE_TIME_MAX_MS = 60_000

let folder: string
let program: string
let root: string
let count = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-built-in-'))
  const model = writeWordModel(join(folder, 'gone'), WORDS)
  program = await compiledProgram({ plugins: [builtInModel(model)] })
  rmSync(model, { recursive: true })
}, COMPILE_TIME_MAX_MS)
afterAll(() => {
  for (const path of [folder, dirname(program)]) rmSync(path, { recursive: true, force: true })
})

beforeEach(() => {
  root = join(folder, `workspace-${count++}`)
  mkdirSync(join(root, 'procedures'), { recursive: true })
  for (const [name, when] of Object.entries({ a: 'red apple', b: 'blue whale' })) {
    const experience = { description: 'd', 'when-to-use': when, content: 'the fruit', sources: [] }
    writeFileSync(join(root, 'procedures', `${name}.json`), JSON.stringify(experience))
  }
})

const STATIC = { EMBEDDING_BACKEND: 'static' }

async function run(environment: Record<string, string>, ...argv: readonly string[]): Promise<unknown> {
  const { exit, out, error } = await start(program, [...argv, '--json', '--workspace', root], environment).finished
  expect({ exit, error: error.replace(/^knowhow: embedding: .*\n/gm, '') }).toEqual({ exit: 0, error: '' })
  return JSON.parse(out)
}

test('is used as builtin, without its folder and without unpacking anything', async () => {
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const environment = { ...STATIC, EMBEDDING_MODEL_NAME: 'builtin', TMPDIR: temporary, HOME: temporary }
  expect(await run(environment, 'reindex')).toMatchObject({ embedded: 4 })
  const answer = await run(environment, 'search', 'a red fruit')
  expect(answer).toMatchObject({ mode: 'hybrid', results: [{ path: 'procedures/a.json', vector: { rank: 1 } }, {}] })
  expect(answer).not.toHaveProperty('notice')
  expect(readdirSync(temporary)).toEqual([])
})

test('is the same embedder as its folder is', async () => {
  await run({ ...STATIC, EMBEDDING_MODEL_NAME: 'builtin' }, 'reindex')
  const model = writeWordModel(join(folder, 'back'), WORDS)
  expect(await run({ ...STATIC, EMBEDDING_MODEL_NAME: model }, 'reindex')).toMatchObject({ embedded: 0, reused: 4 })
})

test('gives the same scores under Deno', async () => {
  const deno = runtimeArguments('deno')
  if (deno === null) return
  const model = writeWordModel(join(folder, 'deno'), WORDS)
  const environment = { ...STATIC, EMBEDDING_MODEL_NAME: model }
  const main = [...deno, join(REPOSITORY, 'src', 'main.ts')]
  const search = ['search', 'red fruit of the whale', '--json', '--workspace', root]
  const { stdout } = spawnSync('node', [...main, ...search], {
    encoding: 'utf8',
    env: { ...environment, PATH: process.env.PATH, DENO_DIR: join(folder, 'deno-cache') },
  })
  const ofDeno = JSON.parse(stdout) as unknown
  expect(ofDeno).toMatchObject({ mode: 'hybrid' })
  rmSync(join(root, 'metadata'), { recursive: true })
  expect(await run(environment, ...search.slice(0, 2))).toEqual(ofDeno)
}, 60_000)

test('what is no model is told before anything is compiled', async () => {
  const model = writeWordModel(join(folder, 'torn'), WORDS)
  expect(await modelFault(model)).toBeNull()
  writeFileSync(join(model, 'tokenizer.json'), '{}')
  expect(await modelFault(model)).toContain('tokenizer.json does not describe a usable tokenizer')
  const script = join(REPOSITORY, 'build.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--static-model', model], {
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^--static-model: static embedding model: .*tokenizer\.json does not describe/)
})

test.each([
  ['is not there', () => join(folder, 'nowhere'), /nowhere does not exist/],
  ['is empty', () => mkdtempSync(join(folder, 'empty-')), /tokenizer\.json is missing/],
  ['is a file', () => join(REPOSITORY, 'build.ts'), /build\.ts is no folder/],
])('a folder that %s is told with what belongs in one and how to name it', async (_, wrong, why) => {
  const fault = await modelFault(wrong())
  expect(fault).toMatch(why)
  expect(fault).toEndWith(
    '; give the folder of a Model2Vec model, with the files tokenizer.json, model.safetensors, config.json in it: npm run build -- --static-model DIR',
  )
})
