/** An empty workspace beside a log of twenty lines, and a model that writes experiences when it is told to. */
import type { ImportResult } from '../../src/importer/import-result.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'
import { callTool } from '../fakes/scripted-chat.ts'

export const FILE = '/logs/run.log'

/** So small that twenty lines are one segment, and eighty are several. */
export const LIMITS = {
  segment: 100,
  summary: 40,
  description: 10,
  when_to_use: 20,
  content: 50,
  context: 5_000,
  reserve: 100,
}

export const texts = {
  description: 'Rebuild the search index',
  'when-to-use': 'When results appear stale after a change of settings',
  content: 'Rebuild the index, then check a known query.',
}

export function machineWithLog(): FakeMachine {
  const machine = new FakeMachine()
  machine.configure({ token_limits: LIMITS })
  machine.files.write(FILE, 'one line\n'.repeat(20))
  return machine
}

/** As `run-1` unless `options` say otherwise. */
export function importInto(machine: FakeMachine, options: Record<string, unknown> = {}, file = FILE) {
  return machine.run<ImportResult>('procedure_import', { files: [file], request_id: 'run-1', ...options })
}

export function create(name: string, changes: Partial<typeof texts> = {}, key = name) {
  return callTool('procedure_create', { filename: `${name}.json`, ...texts, ...changes, operation_key: key })
}
