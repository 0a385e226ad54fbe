import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { databasesBeside } from '../fakes/memory-databases.ts'
import { RememberingMachine } from '../fakes/remembering.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'

const TEXTS = { description: 'Rebuild', 'when-to-use': 'stale results', content: 'rebuild the index' }

let machine: RememberingMachine

beforeEach(() => {
  machine = new RememberingMachine()
  machine.files.write('/logs/run.log', 'one line\n'.repeat(20))
})

function importRun(input: Readonly<Record<string, unknown>> = {}): Promise<ImportResult> {
  machine.script(callTool('procedure_create', { filename: 'rebuild.json', ...TEXTS, operation_key: 'a' }), say('done'))
  return machine.run<ImportResult>('procedure_import', { files: ['/logs/run.log'], request_id: 'run-1', ...input })
}

const EVENT = {
  sequence_number: 1,
  memory_id: 'import:run-1',
  timestamp: '2026-01-02T03:04:05.000Z',
  content: 'Import run-1 of session/trajectories/run.log wrote procedures/rebuild.json (created).',
  event_type: 'learning',
  emotional_valence: null,
  importance_score: 0.8,
}

describe('what an import learnt', () => {
  test('is an event of a completed session of its own', async () => {
    await importRun()
    expect(await machine.show('run-1')).toMatchObject({
      start_time: '2026-01-02T03:04:05.000Z',
      end_time: '2026-01-02T03:04:05.000Z',
      context: 'import of session/trajectories/run.log',
      status: 'completed',
      episodic: [EVENT],
    })
  })

  test('is an event of the session that the run belongs to, in the order of its events', async () => {
    await machine.begin('s')
    await machine.remember('episodic', { session: 's', memory_id: 'before', content: 'it began' })
    await importRun({ session: 's' })
    const { episodic } = await machine.show('s')
    expect(episodic).toMatchObject([{ memory_id: 'before' }, { ...EVENT, sequence_number: 2 }])
    const { sessions } = await machine.run<{ sessions: unknown[] }>('session_list', {})
    expect(sessions).toHaveLength(1)
  })

  test('matters little when nothing was written', async () => {
    await machine.run('procedure_import', { files: ['/logs/run.log'], request_id: 'run-1', extractor: 'offline' })
    const { episodic } = await machine.show('run-1')
    expect(episodic).toMatchObject([
      { content: 'Import run-1 of session/trajectories/run.log wrote no procedures.', importance_score: 0.2 },
    ])
  })

  test('is told once, however often the import is called', async () => {
    await importRun()
    await importRun()
    expect((await machine.show('run-1')).episodic).toHaveLength(1)
  })

  test('is there when the import is complete, and not twice when it was stopped between the two', async () => {
    machine.watcher = ({ name, path }) => {
      if (name !== 'append' || !path.includes('/imports/')) return
      const graph = databasesBeside(machine.files)(`${ROOT}/memory/memory.db`, 'read')
      if (graph !== null && graph.all('SELECT 1 FROM "EpisodicMemory"').length > 0) throw new Error('killed')
    }
    await expect(importRun()).rejects.toThrow('killed')
    machine.watcher = null
    expect((await machine.show('run-1')).episodic).toHaveLength(1)
    expect(await machine.run('procedure_imports', {})).toMatchObject({ imports: [{ status: 'incomplete' }] })
    machine.clock.advance(60_000)
    expect(await importRun()).toMatchObject({ status: 'complete' })
    expect((await machine.show('run-1')).episodic).toEqual([EVENT])
  })

  test('goes into a session that has ended in the meantime, too', async () => {
    await machine.begin('s')
    machine.chat = {
      model: 'm',
      reply: async () => {
        await machine.run('session_end', { id: 's' })
        return { content: 'done', toolCalls: [], finish: 'stop', promptTokens: null, completionTokens: null }
      },
    }
    machine.environment.LLM_MODEL_NAME = 'm'
    const input = { files: ['/logs/run.log'], request_id: 'run-1', session: 's' }
    expect(await machine.run('procedure_import', input)).toMatchObject({ status: 'complete' })
    expect((await machine.show('s')).episodic).toMatchObject([{ memory_id: 'import:run-1' }])
  })
})

describe('the session of an import', () => {
  test('is refused with nothing stored when there is none of that id, or it has ended', async () => {
    await expect(importRun({ session: 'no' })).rejects.toMatchObject({ code: 'session_not_found' })
    expect(machine.files.names(ROOT)).toBeNull()
    await machine.begin('s')
    await machine.run('session_end', { id: 's' })
    await expect(importRun({ session: 's' })).rejects.toMatchObject({ code: 'session_ended' })
    expect(machine.files.names(`${ROOT}/metadata`)).toBeNull()
  })

  test('stays what it was when the import goes on', async () => {
    await machine.begin('s')
    await machine.begin('other')
    machine.script(() => {
      throw new MemoryError('llm_unavailable', 'away')
    })
    const input = { files: ['/logs/run.log'], request_id: 'run-1', session: 's' }
    expect(await machine.run('procedure_import', input)).toMatchObject({ status: 'incomplete' })
    await expect(importRun({ session: 'other' })).rejects.toMatchObject({
      code: 'request_conflict',
      message: expect.stringMatching(/session was s, now it is other/),
    })
    expect(await importRun()).toMatchObject({ status: 'complete' })
    expect((await machine.show('s')).episodic).toHaveLength(1)
    expect(await importRun({ session: 's' })).toMatchObject({ status: 'complete' })
    await expect(importRun({ session: 'other' })).rejects.toMatchObject({ code: 'request_conflict' })
  })
})

test('a graph that cannot take it leaves the import incomplete, and resumed it is complete', async () => {
  const { loadDatabase } = machine
  const damaged = async () => () => {
    throw new MemoryError('memory_corrupt', 'memory.db is damaged')
  }
  Object.assign(machine, { loadDatabase: damaged })
  const stopped = await importRun()
  expect(stopped).toMatchObject({
    status: 'incomplete',
    experiences: [{ path: 'procedures/rebuild.json' }],
    error: { code: 'memory_corrupt', resumable: true },
  })
  expect(stopped.error?.message).toMatch(/memory\.db is damaged.*experiences are written.*--resume run-1/)
  Object.assign(machine, { loadDatabase })
  machine.script()
  expect(await machine.run('procedure_import', { resume: 'run-1' })).toMatchObject({ status: 'complete' })
  expect((await machine.show('run-1')).episodic).toHaveLength(1)
})
