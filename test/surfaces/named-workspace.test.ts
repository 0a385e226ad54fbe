/** What the program says to type next is about the workspace that was named. */
import { expect, test } from 'bun:test'
import { operationsFor } from '../../src/app/operation-table.ts'
import { namingWorkspace } from '../../src/surfaces/named-workspace.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'

test.each([
  ['continue with: knowhow import --resume r-1', 'continue with: knowhow --workspace w import --resume r-1'],
  ['run knowhow reindex, then knowhow doctor', 'run knowhow --workspace w reindex, then knowhow --workspace w doctor'],
  ['knowhow: it is not there', 'knowhow: it is not there'],
  ['the knowhow that wrote it', 'the knowhow that wrote it'],
  ['the index of knowhow', 'the index of knowhow'],
  ['client add it -- /opt/knowhow mcp', 'client add it -- /opt/knowhow mcp'],
])('%j', (text, expected) => {
  expect(namingWorkspace(text, 'w')).toBe(expected)
  expect(namingWorkspace(text, null)).toBe(text)
})

test.each(operationsFor('cli').flatMap(({ command }) => command ?? []))('knowhow %s is a command', (command) => {
  expect(namingWorkspace(`see knowhow ${command}, or not`, 'w')).toBe(`see knowhow --workspace w ${command}, or not`)
})

test.each([
  ['my notes', "'my notes'"],
  ["it's", `'it'\\''s'`],
  ['$&', "'$&'"],
])('the folder %j is quoted as shells want it', (folder, quoted) => {
  expect(namingWorkspace('knowhow reindex', folder)).toBe(`knowhow --workspace ${quoted} reindex`)
})

test.each([
  [['imports'], 'Begin with: knowhow --workspace /other import FILE'],
  [['session', 'show', 'none'], 'knowhow --workspace /other session list'],
])('%j says it on a terminal, and not in JSON', async (argv, expected) => {
  const { out, error } = await runCaptured([...argv, '--workspace', '/other'], new FakeMachine())
  expect(out + error).toContain(expected)
  const { out: json } = await runCaptured([...argv, '--workspace', '/other', '--json'], new FakeMachine())
  expect(json).not.toContain('--workspace')
})
