/** What a person may have written where: never over what is the workspace's own, by whatever links it is named. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskMachine, runOnDisk } from '../fakes/disk-machine.ts'

let folder: string
let root: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-outside-'))
  root = join(folder, 'workspace')
  mkdirSync(join(root, 'procedures'), { recursive: true })
  const experience = { description: 'd', 'when-to-use': 'w', content: 'c', sources: [] }
  writeFileSync(join(root, 'procedures', 'a.json'), JSON.stringify(experience))
  symlinkSync(root, join(folder, 'linked'))
  symlinkSync(join(root, 'procedures'), join(folder, 'inside'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const exportTo = (path: string, from = root) =>
  runOnDisk(diskMachine(), from, 'index_export', { view: 'when_to_use', file: join(folder, path) })
const backupTo = (path: string, from = root) => runOnDisk(diskMachine(), from, 'backup', { dir: join(folder, path) })

test.each([
  'workspace/knowhow.json',
  'workspace/metadata/lock',
  'workspace/metadata',
  'workspace/memory/memory.db',
  'workspace/procedures/view.json',
  'workspace/view.json',
  'linked/view.json',
  'linked/procedures/view.json',
  'inside/view.json',
])('nothing is written to %s', async (path) => {
  for (const write of [exportTo, backupTo]) {
    await expect(write(path)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(existsSync(join(folder, path))).toBe(false)
  }
})

test('nor by the workspace named through a link', async () => {
  await expect(exportTo('workspace/view.json', join(folder, 'linked'))).rejects.toMatchObject({
    code: 'invalid_argument',
  })
})

test('beside the workspace all is well', async () => {
  expect(await exportTo('workspace-view.json')).toMatchObject({ documents: 1 })
  expect(await backupTo('copy')).toMatchObject({ experiences: 1 })
})
