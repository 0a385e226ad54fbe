import { beforeEach, describe, expect, test } from 'bun:test'
import { inputJsonSchema } from '../../src/app/json-schema.ts'
import { runOperation } from '../../src/app/operation.ts'
import { OPERATIONS, operationContext, operationsFor } from '../../src/app/operation-table.ts'
import { knownValues } from '../../src/app/operations/known-values.ts'
import { ROOT } from '../fakes/fake-machine.ts'
import { RememberingMachine } from '../fakes/remembering.ts'

let machine: RememberingMachine

const experience = { description: 'Clear it', 'when-to-use': 'When it is stale', content: 'Clear.', sources: [] }

beforeEach(() => {
  machine = new RememberingMachine()
})

async function known(of: string): Promise<readonly string[]> {
  using workspace = machine.open()
  const quiet = { progress: () => {}, say: () => {}, yieldToSignals: async () => {}, signal: AbortSignal.any([]) }
  const answer = await runOperation(knownValues, operationContext(workspace, quiet), { of })
  return (answer as { values: readonly string[] }).values
}

describe('what a field can be given', () => {
  beforeEach(async () => {
    for (const name of ['b-two', 'a-one'])
      machine.files.write(`${ROOT}/procedures/${name}.json`, JSON.stringify(experience))
    machine.files.write(`${ROOT}/procedures/README.md`, 'none')
    machine.files.write(`${ROOT}/session/trajectories/run.log`, 'text')
    await machine.begin('second')
    await machine.begin('first')
    for (const content of ['old', 'new']) await machine.remember('semantic', { concept: 'retries', content })
  })

  test.each([
    ['experience', ['procedures/a-one.json', 'procedures/b-two.json']],
    ['path', ['procedures/a-one.json', 'procedures/b-two.json', 'session/trajectories/run.log']],
    ['session', ['first', 'second']],
    ['concept', ['retries']],
  ])('%s is listed in order, each once', async (of, values) => {
    expect(await known(of)).toEqual(values)
  })

  test('is told without writing a thing', async () => {
    machine.files.write(`${ROOT}/procedures/c-three.json`, JSON.stringify(experience))
    const calls: string[] = []
    machine.watcher = ({ name, changes }) => {
      if (changes) calls.push(String(name))
    }
    for (const of of ['path', 'session', 'concept']) await known(of)
    expect(calls).toEqual([])
  })
})

test('of a missing workspace nothing is known, and nothing is made', async () => {
  for (const of of ['path', 'experience', 'session', 'concept']) expect(await known(of)).toEqual([])
  expect(machine.files.stat(ROOT)).toBeNull()
})

test('where the values of a field are found is no part of what models and programs are told of it', () => {
  for (const operation of OPERATIONS) expect(JSON.stringify(inputJsonSchema(operation))).not.toContain('valuesOf')
})

test('nobody is offered to ask for it', () => {
  expect(OPERATIONS).not.toContain(knownValues)
  expect(operationsFor('cli').concat(operationsFor('repl'), operationsFor('service'))).not.toContain(knownValues)
})
