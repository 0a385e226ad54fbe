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

interface Imported {
  readonly experiences: readonly { readonly path: string }[]
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
})

afterEach(() => {
  reader[Symbol.dispose]()
  rmSync(root, { recursive: true, force: true })
})

describe.each([
  ['by keywords', {}, 'keyword'],
  ['with vectors', { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }, 'hybrid'],
])('the next answer, %s,', (_how, environment, mode) => {
  beforeEach(() => {
    machine = { ...diskMachine(), environment }
    reader = new OpenedWorkspace(machine, choice())
  })

  describe.each(
    VIEW_NAMES.flatMap((index) => [
      [`of a process of its own in ${index}`, index, true] as const,
      [`of a handle that stays open in ${index}`, index, false] as const,
    ]),
  )('%s', (_whose, index, isOneShot) => {
    /** What the words are found in; by vectors alone everything is near to everything. */
    async function find(query: string): Promise<readonly string[]> {
      const question = { query, index, min_fit: 0.9 }
      const answer = isOneShot
        ? await runOnDisk<Answer>(machine, root, 'procedure_search', question)
        : await runIn<Answer>(reader, 'procedure_search', question)
      if (answer.results.length > 0) expect(answer.mode).toBe(mode)
      return answer.results.map(({ path }) => path)
    }

    /** Path of an experience that was imported while somebody searched. */
    async function imported(): Promise<string> {
      expect(await find('anything')).toEqual([])
      const input = { files: [LOG], extractor: 'offline' }
      const { experiences } = await runOnDisk<Imported>(machine, root, 'procedure_import', input)
      return experiences[0]?.path ?? ''
    }

    test('has what was imported', async () => {
      const path = await imported()
      const situation = JSON.parse(readFileSync(fileOf(path), 'utf8'))['when-to-use'] as string
      expect(await find(situation)).toContain(path)
    })

    test('has what was edited, and no longer what stood there', async () => {
      const path = await imported()
      writeByHand(path, 'zebra crossing')
      expect(await find('zebra')).toEqual([path])
      writeByHand(path, 'okapi crossing')
      expect([await find('zebra'), await find('okapi')]).toEqual([[], [path]])
    })

    test('has nothing of what was deleted', async () => {
      const path = await imported()
      writeByHand(path, 'okapi crossing')
      expect(await find('okapi')).toEqual([path])
      rmSync(fileOf(path))
      expect(await find('okapi')).toEqual([])
    })

    test.skipIf(!hasGit)(
      'has what the branch holds that was checked out',
      async () => {
        const path = await imported()
        writeByHand(path, 'okapi crossing')
        git('init', '--quiet', '--initial-branch=one')
        git('add', '.')
        git('commit', '--quiet', '-m', 'one')
        git('checkout', '--quiet', '-b', 'two')
        rmSync(fileOf(path))
        writeByHand('procedures/other.json', 'giraffe feeding')
        git('add', '--all', '.')
        git('commit', '--quiet', '-m', 'two')
        expect([await find('giraffe'), await find('okapi')]).toEqual([['procedures/other.json'], []])
        git('checkout', '--quiet', 'one')
        expect([await find('giraffe'), await find('okapi')]).toEqual([[], [path]])
        git('checkout', '--quiet', 'two')
        expect([await find('giraffe'), await find('okapi')]).toEqual([['procedures/other.json'], []])
      },
      30_000,
    )
  })
})
