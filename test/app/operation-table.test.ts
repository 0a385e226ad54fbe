import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import { inputJsonSchema } from '../../src/app/json-schema.ts'
import { OPERATIONS, operationsFor } from '../../src/app/operation-table.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { retrievalSet } from '../fakes/retrieval-set.ts'

describe('the operation table', () => {
  test('offers create and update to an extraction run alone', () => {
    const writing = OPERATIONS.filter(({ name }) => /create|update/.test(name))
    expect(writing.map(({ name, exposure }) => [name, exposure])).toEqual([
      ['procedure_create', ['extraction']],
      ['procedure_update', ['extraction']],
    ])
  })

  test('lets the service write memories, and nothing else', () => {
    const writing = operationsFor('service').filter(({ writes }) => writes)
    expect(writing.map(({ name }) => name)).toEqual([
      'session_start',
      'session_end',
      'memory_remember',
      'memory_link',
      'memory_used',
      'memory_trigger',
      'memory_complete',
    ])
  })

  test('offers the extraction agent exactly its four tools', () => {
    expect(operationsFor('extraction').map(({ name }) => name)).toEqual([
      'procedure_search',
      'procedure_read',
      'procedure_create',
      'procedure_update',
    ])
  })

  test('has names, summaries and described fields for every surface', () => {
    const names = OPERATIONS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const operation of OPERATIONS) {
      expect(operation.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(operation.summary).toMatch(/^[A-Z].*\.$/)
      const { properties = {} } = inputJsonSchema(operation) as {
        properties?: Record<string, { description?: string }>
      }
      for (const field of Object.values(properties)) expect(field.description).toMatch(/\S/)
      if (operation.exposure.includes('cli')) expect(operation.examples.length).toBeGreaterThan(0)
    }
  })

  test('describes its answers truly', async () => {
    const { machine, inputs } = await stage()
    for (const operation of operationsFor('cli')) {
      const output = await machine.run(operation.name, inputs[operation.name] ?? {})
      expect(v.safeParse(operation.output(), output)).toMatchObject({ success: true })
    }
  })

  test('says of each operation that remembers or forgets that it writes', async () => {
    const { machine, inputs } = await stage()
    const remembered = () => machine.run<unknown>('memory_export', {})
    for (const { name, writes } of operationsFor('cli')) {
      const before = await remembered()
      await machine.run(name, inputs[name] ?? {})
      if (!writes) expect([name, await remembered()]).toEqual([name, before])
    }
  })
})

/** A machine, and input with which each operation does something on it. */
async function stage() {
  const machine = new FakeMachine()
  machine.openCypherEngine = async () => openCypherEngine()
  machine.files.write('/logs/run.log', 'some text')
  machine.files.write('/sets/small.jsonl', retrievalSet())
  const inputs: Record<string, unknown> = {
    procedure_import: { files: ['/logs/run.log'] },
    procedure_search: { query: 'cache' },
    procedure_read: { path: 'session/trajectories/run.log', kind: 'trajectory' },
    eval: { file: '/sets/small.jsonl' },
    index_export: { view: 'when_to_use', file: '/sets/view.json' },
    procedure_export: { format: 'skills', dir: '/sets/skills' },
    schema: { kind: 'experience' },
    backup: { dir: '/sets/backup' },
    tokens: { files: ['/logs/run.log'] },
    inspect: { file: '/logs/run.log' },
    scan: { file: '/logs/run.log' },
    session_start: { id: 's' },
    session_end: { id: 's' },
    session_archive: { id: 's' },
    session_show: { id: 's' },
    memory_remember: { kind: 'semantic', concept: 'retries', content: 'twice' },
    memory_recall: { query: 'retries' },
    memory_link: { relation: 'CONTRIBUTES_TO_SEMANTIC', from: 's', to: 'fact' },
    memory_used: { procedure: 'procedures/a.json', session: 't', success: true },
    memory_trigger: { event: 'it rains', session: 't' },
    memory_complete: { id: 'plan' },
    memory_graph: { session: 's' },
    memory_history: { concept: 'retries' },
    memory_cypher: { query: 'MATCH (n) RETURN n' },
    memory_migrate: { file: '/logs/old.jsonl' },
    memory_import: { file: '/logs/graph.jsonl' },
  }
  const experience = { description: 'd', 'when-to-use': 'cache', content: 'c', sources: [] }
  machine.files.write(`${ROOT}/procedures/a.json`, JSON.stringify(experience))
  machine.files.write('/logs/old.jsonl', '{"memory_type":"nothing"}\n')
  machine.files.write('/logs/graph.jsonl', '{"format":"knowhow-memory","version":1}\n{"end":"knowhow-memory"}\n')
  await machine.run('session_start', { id: 't' })
  await machine.run('memory_remember', { kind: 'semantic', memory_id: 'fact', concept: 'c', content: 'x' })
  await machine.run('memory_remember', { kind: 'prospective', memory_id: 'plan', intention: 'i' })
  return { machine, inputs }
}
