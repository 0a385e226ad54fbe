import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine } from '../../src/app/machine.ts'
import { OpenedWorkspace } from '../../src/app/opened-workspace.ts'
import { VIEW_NAMES } from '../../src/model/experience.ts'
import { diskMachine, runIn, runOnDisk } from '../fakes/disk-machine.ts'

const LOG = join(import.meta.dir, '..', '..', 'examples', 'trajectories', 'shell-session.log')
const hasGit = spawnSync('git', ['--version'], { stdio: 'ignore' }).status === 0

interface Answer {
  readonly mode: string
  readonly results: readonly { readonly path: string; readonly version: string }[]
}

let root: string
let machine: Machine
let reader: OpenedWorkspace

const choice = () => ({ root, configPath: null, command: 'test' })
const fileOf = (path: string) => join(root, path)

function git(...args: readonly string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'core.autocrlf=false']
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** One text in all three fields, so that both views hold the same words. */
function writeByHand(path: string, text: string): void {
  writeFileSync(fileOf(path), JSON.stringify({ description: text, 'when-to-use': text, content: text, sources: [] }))
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-life-'))
  machine = diskMachine()
  reader = new OpenedWorkspace(machine, choice())
})

afterEach(() => {
  reader[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
})

describe.each([
  ['by keywords', {}, 'keyword'],
  ['with vectors', { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }, 'hybrid'],
])('what is saved, edited, deleted and checked out is in the next answer, %s', (_how, environment, mode) => {
  describe.each([...VIEW_NAMES])('in the view %s', (index) => {
    test.skipIf(!hasGit).each([
      ['of a process of its own', true],
      ['of a handle that stays open', false],
    ])(
      '%s',
      async (_whose, isOneShot) => {
        machine = { ...machine, environment }
        reader[Symbol.dispose]()
        reader = new OpenedWorkspace(machine, choice())
        /** What the words are found in; by vectors alone everything is near to everything. */
        const find = async (query: string) => {
          const question = { query, index, min_fit: 0.9 }
          const answer = isOneShot
            ? await runOnDisk<Answer>(machine, root, 'procedure_search', question)
            : await runIn<Answer>(reader, 'procedure_search', question)
          if (answer.results.length > 0) expect(answer.mode).toBe(mode)
          return answer.results.map(({ path }) => path)
        }
        expect(await find('anything')).toEqual([])

        const imported = await runOnDisk<{ experiences: { path: string }[] }>(machine, root, 'procedure_import', {
          files: [LOG],
          extractor: 'offline',
        })
        const path = imported.experiences[0]?.path ?? ''
        const situation = JSON.parse(readFileSync(fileOf(path), 'utf8'))['when-to-use'] as string
        expect(await find(situation)).toContain(path)

        writeByHand(path, 'zebra crossing')
        expect(await find('zebra')).toEqual([path])
        writeByHand(path, 'okapi crossing')
        expect([await find('zebra'), await find('okapi')]).toEqual([[], [path]])

        git('init', '--quiet', '--initial-branch=one')
        git('add', '.')
        git('commit', '--quiet', '-m', 'one')
        rmSync(fileOf(path))
        expect(await find('okapi')).toEqual([])

        git('checkout', '--quiet', '-b', 'two')
        writeByHand('procedures/other.json', 'giraffe feeding')
        git('add', '--all', '.')
        git('commit', '--quiet', '-m', 'two')
        expect(await find('giraffe')).toEqual(['procedures/other.json'])
        git('checkout', '--quiet', 'one')
        expect([await find('giraffe'), await find('okapi')]).toEqual([[], [path]])
        git('checkout', '--quiet', 'two')
        expect([await find('giraffe'), await find('okapi')]).toEqual([['procedures/other.json'], []])
      },
      30_000,
    )
  })
})
