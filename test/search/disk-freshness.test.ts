import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import { VIEW_NAMES } from '../../src/model/experience.ts'
import { runtimeArguments } from '../fakes/runtime.ts'
import { experienceJson } from '../fakes/searched-workspace.ts'
import { namesOnDisk, openOnDisk } from './disk-search.ts'

const REPOSITORY = join(import.meta.dir, '..', '..')
const SEARCHER = join(import.meta.dir, 'disk-search.ts')
/** Past what lies beside a base. */
const MANY = 70

let root: string

const pathOf = (name: string) => join(root, 'procedures', `${name}.json`)
const write = (name: string, when: string) => writeFileSync(pathOf(name), experienceJson(when))
const find = (query: string) => {
  using search = openOnDisk(root)
  return namesOnDisk(search, 'when_to_use', query)
}
const index = () => readdirSync(join(root, 'metadata', 'index')).sort()

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-search-'))
  mkdirSync(join(root, 'procedures'))
  for (let n = 0; n < MANY; n += 1) write(`many-${n}`, `alpha ${n}`)
})

afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

describe.each(['bun', 'deno'] as const)('under %s', (runtime) => {
  const runtimeArgs = runtimeArguments(runtime)

  function processFinds(...queries: string[]): { found: string[][]; generation: number; beside: number } {
    const args = [...(runtimeArgs ?? []), SEARCHER, root, 'when_to_use', ...queries]
    const { status, stdout, stderr } = spawnSync('node', args, { encoding: 'utf8', cwd: REPOSITORY })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }

  test.skipIf(runtimeArgs === null)(
    'same-size rewrites at once after the base was built, and a file put in the place of another, are found',
    () => {
      utimesSync(pathOf('many-69'), 1_000_000, 1_000_000)
      expect(processFinds('alpha')).toMatchObject({ generation: 1, beside: 0 })
      for (let n = 0; n < 40; n += 1) write(`many-${n}`, `omega ${n}`)
      const fresh = join(root, 'procedures', 'new.tmp')
      writeFileSync(fresh, experienceJson('gamma 69'))
      utimesSync(fresh, 1_000_000, 1_000_000)
      renameSync(fresh, pathOf('many-69'))
      const { found, beside } = processFinds('omega', 'gamma', 'alpha')
      expect(found.map(({ length }) => length)).toEqual([40, 1, MANY - 41])
      expect(beside).toBe(41)
    },
    30_000,
  )
})

test('a rewrite of the same size whose time was set back is found', () => {
  utimesSync(pathOf('many-3'), 1_000_000, 1_000_000)
  expect(find('alpha')).toHaveLength(MANY)
  write('many-3', 'omega 3')
  utimesSync(pathOf('many-3'), 1_000_000, 1_000_000)
  expect(find('omega')).toEqual(['many-3'])
})

test('a hundred same-size rewrites, each searched at once through one handle, are each found', () => {
  using search = openOnDisk(root)
  search.refresh()
  for (let n = 0; n < 100; n += 1) {
    const word = `w${String(n).padStart(4, '0')}x`
    write('many-3', word)
    expect(namesOnDisk(search, 'when_to_use', word)).toEqual(['many-3'])
  }
})

test('a file whose name is no UTF-8 is named as what it is', () => {
  writeFileSync(Buffer.concat([Buffer.from(`${root}/procedures/bad`), Buffer.of(0xff), Buffer.from('.json')]), '{}')
  using search = openOnDisk(root)
  for (let times = 0; times < 2; times += 1) {
    search.refresh()
    expect(search.invalid).toEqual([{ path: 'procedures/bad\ufffd.json', error: 'its name is not UTF-8; rename it' }])
  }
})

test('a file in whose place a link was put is no more', () => {
  expect(find('alpha')).toHaveLength(MANY)
  rmSync(pathOf('many-3'))
  symlinkSync(pathOf('many-4'), pathOf('many-3'))
  rmSync(pathOf('many-5'))
  mkdirSync(pathOf('many-5'))
  expect(find('alpha')).toHaveLength(MANY - 2)
})

test('a reader keeps its generation while the next is written and its own removed', () => {
  using reader = openOnDisk(root)
  reader.refresh()
  expect(index()).toEqual(['base-00000001.knw', 'lock'])
  for (let n = 0; n < MANY; n += 1) write(`many-${n}`, `omega ${n}`)
  expect(find('omega')).toHaveLength(MANY)
  expect(index()).toEqual(['base-00000002.knw', 'lock'])
  expect(reader.search({ query: 'alpha', limit: 200 }).hits).toHaveLength(MANY)
  expect(namesOnDisk(reader, 'when_to_use', 'omega')).toHaveLength(MANY)
})

test('the lock of another handle is not waited for', () => {
  mkdirSync(join(root, 'metadata', 'index'), { recursive: true })
  using _ = sqliteLock.acquire(join(root, 'metadata', 'index', 'lock'))
  expect(find('alpha')).toHaveLength(MANY)
  expect(index().filter((name) => !name.startsWith('lock'))).toEqual([])
})

test('a missing workspace stays missing', () => {
  rmSync(root, { recursive: true })
  expect(find('alpha')).toEqual([])
  expect(existsSync(root)).toBe(false)
})

test.skipIf(process.getuid?.() === 0)('a workspace that may not be written answers all the same', () => {
  chmodSync(root, 0o555)
  try {
    expect(find('alpha')).toHaveLength(MANY)
    expect(existsSync(join(root, 'metadata'))).toBe(false)
  } finally {
    chmodSync(root, 0o755)
  }
})

const git = (...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'core.autocrlf=false']
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}
const hasGit = spawnSync('git', ['--version'], { stdio: 'ignore' }).status === 0

describe.each([
  ['by new processes', true],
  ['through one handle', false],
])('another branch checked out by git is in the next answer, seen %s', (_how, reopens) => {
  test.skipIf(!hasGit).each([...VIEW_NAMES])(
    'in the view %s',
    (view) => {
      let search = openOnDisk(root)
      const seen = (query: string) => {
        if (reopens) {
          search[Symbol.dispose]()
          search = openOnDisk(root)
        }
        return namesOnDisk(search, view, query)
      }
      writeFileSync(join(root, '.gitignore'), '/metadata/\n')
      git('init', '--quiet', '--initial-branch=one')
      git('add', '.')
      git('commit', '--quiet', '-m', 'one')
      git('checkout', '--quiet', '-b', 'two')
      for (let n = 0; n < MANY; n += 1) write(`many-${n}`, `omega ${n}`)
      rmSync(pathOf('many-7'))
      write('only-here', 'alpha')
      git('add', '.')
      git('commit', '--quiet', '-m', 'two')
      expect([seen('alpha'), seen('omega').length]).toEqual([['only-here'], MANY - 1])
      git('checkout', '--quiet', 'one')
      expect([seen('alpha').length, seen('omega')]).toEqual([MANY, []])
      git('checkout', '--quiet', 'two')
      expect([seen('alpha'), seen('omega').length]).toEqual([['only-here'], MANY - 1])
      search[Symbol.dispose]()
    },
    30_000,
  )
})
