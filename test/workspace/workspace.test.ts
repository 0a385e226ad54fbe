import { describe, expect, test } from 'bun:test'
import type { RequestId } from '../../src/model/request-id.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { logName } from '../../src/workspace/log-name.ts'
import { freeTrajectoryName, shelveTrajectory } from '../../src/workspace/trajectory-shelf.ts'
import { openForWriting } from '../../src/workspace/workspace.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'

const layout = layoutOf('/home/w', WORKSPACE_FOLDERS)
const writer = { pid: 4711, command: 'import' }

function machine() {
  return { files: new MemoryFiles(), lock: new MemoryLock(), clock: new FixedClock(), ids: new CountingIds(), digest }
}

describe('opening for writing', () => {
  test('makes the folders and the git files, and leaves no temporary behind', () => {
    const ports = machine()
    using _ = openForWriting(ports, layout, writer)
    const tree = ports.files.tree()
    for (const path of ['procedures/', 'session/trajectories/', 'metadata/procedure/default/imports/', '.gitignore'])
      expect(tree).toContain(`/home/w/${path}`)
    expect(tree.filter((path) => path.includes('.tmp'))).toEqual([])
    expect(ports.files.text('/home/w/.gitattributes')).toContain('/procedures/** -text')
  })

  test('keeps a .gitignore that is already there', () => {
    const ports = machine()
    ports.files.write('/home/w/.gitignore', 'mine\n')
    using _ = openForWriting(ports, layout, writer)
    expect(ports.files.text('/home/w/.gitignore')).toBe('mine\n')
  })

  test('refuses a second writer, naming pid and command of the first', () => {
    const ports = machine()
    using _ = openForWriting(ports, layout, writer)
    expect(() => openForWriting(ports, layout, { pid: 1, command: 'reindex' })).toThrow(
      expect.objectContaining({ code: 'workspace_locked', message: expect.stringMatching(/4711.*import/) }),
    )
  })

  test('removes what killed runs left half-done, and nothing else', () => {
    const ports = machine()
    ports.files.write('/home/w/procedures/.knowhow-abc1.tmp', 'half')
    ports.files.write('/home/w/procedures/notes.tmp', 'mine')
    using _ = openForWriting(ports, layout, writer)
    expect(ports.files.tree()).not.toContain('/home/w/procedures/.knowhow-abc1.tmp')
    expect(ports.files.text('/home/w/procedures/notes.tmp')).toBe('mine')
  })

  test('refuses a workspace folder that is a link leading out', () => {
    const ports = machine()
    ports.files.write('/elsewhere/x', '')
    ports.files.linkTo('/home/w/procedures', '/elsewhere')
    expect(() => openForWriting(ports, layout, writer)).toThrow(expect.objectContaining({ code: 'path_outside' }))
  })
})

describe('the shelf', () => {
  test('numbers a taken name before its last extension, letter case aside', () => {
    const ports = machine()
    using workspace = openForWriting(ports, layout, writer)
    ports.files.write('/home/w/session/trajectories/Run.tar.JSONL', '')
    expect(freeTrajectoryName(workspace.ports, layout, 'run.tar.jsonl', [])).toBe('run.tar-2.jsonl')
    expect(freeTrajectoryName(workspace.ports, layout, 'run.tar.jsonl', ['run.tar-2.jsonl'])).toBe('run.tar-3.jsonl')
    expect(freeTrajectoryName(workspace.ports, layout, 'plain', ['plain'])).toBe('plain-2')
  })

  test('never replaces a file: other bytes under the name are copy_damaged', () => {
    const ports = machine()
    using workspace = openForWriting(ports, layout, writer)
    ports.files.write('/home/w/session/trajectories/run.log', 'theirs')
    const ours = new TextEncoder().encode('ours')
    expect(() => shelveTrajectory(workspace.ports, layout, 'run.log', ours, digest.sha256(ours))).toThrow(
      expect.objectContaining({ code: 'copy_damaged' }),
    )
    expect(ports.files.text('/home/w/session/trajectories/run.log')).toBe('theirs')
  })
})

test('request ids that a file system could confuse get log files of their own', () => {
  const names = ['run-001', 'Run-001', 'RUN-001', 'con', 'a.', '..', '.hidden'].map((id) =>
    logName(digest, id as RequestId),
  )
  expect(names[0]).toBe('run-001.jsonl')
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  for (const name of names) expect(name).not.toMatch(/^\.|^con\.|\.\./i)
})
