import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeptWorkspace } from '../../../src/app/kept-workspace.ts'
import { Dialogue } from '../../../src/surfaces/repl/dialogue.ts'
import { diskMachine, runOnDisk } from '../../fakes/disk-machine.ts'

const root = join(mkdtempSync(join(tmpdir(), 'knowhow-kept-')), 'workspace')
const common = { json: true, quiet: false, workspace: null, config: null, envFile: null }
const running = { progress: () => {}, signal: new AbortController().signal }

afterAll(() => rmSync(join(root, '..'), { recursive: true }))

test('a second query in Cypher is answered by the same engine, and one behind a change by what is there now', async () => {
  const machine = diskMachine()
  let engines = 0
  const openCypherEngine = () => {
    engines += 1
    return machine.openCypherEngine()
  }
  const choice = { root, configPath: null, command: 'repl' }
  using workspace = new KeptWorkspace({ ...machine, openCypherEngine }, choice)
  const dialogue = new Dialogue({ machine, workspace, common, version: '1.2.3', colour: false, say: () => {} })
  const sessions = async () => {
    const { text } = await dialogue.reply('/cypher "MATCH (s:Session) RETURN count(s) AS n"', running)
    return { count: JSON.parse(text).rows[0].n, engines }
  }
  await runOnDisk(machine, root, 'session_start', { id: 'one' })
  expect(await sessions()).toEqual({ count: 1, engines: 1 })
  expect(await sessions()).toEqual({ count: 1, engines: 1 })
  await runOnDisk(machine, root, 'session_start', { id: 'two' })
  expect((await sessions()).count).toBe(2)
})
