import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitFiles, layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'

let root: string

const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
const hasGit = spawnSync('git', ['--version']).status === 0

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-git-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test.skipIf(!hasGit).each([
  ['as they are by default', WORKSPACE_FOLDERS],
  ['with spaces', { ...WORKSPACE_FOLDERS, procedure_dir: 'a b/c', session_dir: '#s pé !' }],
  ['with what is special in patterns', { ...WORKSPACE_FOLDERS, procedure_dir: '![x]é', session_dir: '#[!a-z] [b]' }],
])('git leaves the bytes alone in folders named %s', (_, folders) => {
  git('init', '--quiet')
  const layout = layoutOf(root, folders)
  const files = gitFiles(layout)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  for (const folder of [layout.procedures, layout.trajectories]) {
    const { stdout, stderr } = git('check-attr', '-z', 'text', '--', `${folder}/x.json`, `${folder}/deep/x`, 'other')
    expect(stderr).toBe('')
    expect(stdout.split('\0').filter((_, index) => index % 3 === 2)).toEqual(['unset', 'unset', 'unspecified'])
  }
})
