/** What an import asks of a model, in requests and time: counted, capped and told. */
import { beforeEach, describe, expect, test } from 'bun:test'
import type { ChatReply } from '../../src/ports.ts'
import { type FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { type ChatStep, callTool, say } from '../fakes/scripted-chat.ts'
import { create, FILE, importInto, LIMITS, machineWithLog } from './import-scene.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = machineWithLog()
})

const importFile = (options: Record<string, unknown> = {}, file = FILE) => importInto(machine, options, file)

test('requests that are repeated or in flight count against the cap', async () => {
  const flaky: ChatStep = () => {
    throw new Error('the process dies here')
  }
  machine.script(flaky)
  await expect(importFile({ max_requests: 2 })).rejects.toThrow('dies')
  machine.script(callTool('procedure_search', { query: 'x' }), say('never asked'))
  const result = await importFile({ max_requests: 2 })
  expect(result).toMatchObject({ error: { code: 'budget_reached' }, usage: { requests: 2, prompt_tokens: 100 } })
})

describe('a talk about one segment that takes too long', () => {
  const thinking = (ms: number, reply: ChatReply) => () => {
    machine.clock.advance(ms)
    return reply
  }
  const search = callTool('procedure_search', { query: 'x' })

  beforeEach(() => {
    machine.files.write(FILE, `${'first part\n'.repeat(40)}${'second part\n'.repeat(40)}`)
    machine.configure({ token_limits: LIMITS, llm: { segment_timeout_ms: 60_000 } })
  })

  test('gets no further request, and the import says which limit it was and can be resumed', async () => {
    const chat = machine.script(thinking(1_000, say('one')), thinking(59_000, search), thinking(1_000, search))
    const result = await importFile()
    expect(result).toMatchObject({
      status: 'incomplete',
      segments: { done: 1 },
      error: { code: 'llm_unavailable', resumable: true },
    })
    expect(result.error?.message).toMatch(/segment 2.*60 s.*llm\.segment_timeout_ms.*; resume to go on/)
    expect(chat.timeLimits).toEqual([60_000, 60_000, 1_000])
    machine.script(thinking(30_000, search), say('two'))
    expect(await importFile()).toMatchObject({ status: 'complete', segments: { done: 2, total: 2 } })
  })

  test('is half an hour of one unless it is set', async () => {
    machine.configure({ token_limits: LIMITS })
    const chat = machine.script(say('one'), say('two'))
    await importFile()
    expect(chat.timeLimits).toEqual([1_800_000, 1_800_000])
  })
})

describe('what a model cost, by segment', () => {
  const usage = (requests: number) => ({ requests, prompt_tokens: requests * 100, completion_tokens: requests * 10 })
  const logPath = (folder: string) => `${ROOT}/metadata/procedure/default/${folder}/run-1.jsonl`

  beforeEach(() => {
    machine.files.write(FILE, `${'first part\n'.repeat(40)}${'second part\n'.repeat(40)}`)
  })

  test('is counted from the first segment on, and told again by a finished import', async () => {
    machine.script(create('a'), say('one'), say('two'))
    const result = await importFile()
    expect(result.usage_by_segment).toEqual([
      { segment: 1, ...usage(2) },
      { segment: 2, ...usage(1) },
    ])
    expect(result.usage).toEqual(usage(3))
    expect((await importFile()).usage_by_segment).toEqual(result.usage_by_segment)
  })

  test('goes on counting when the import is resumed', async () => {
    machine.script(say('one'), say(''), say(''), say(''), say(''))
    const stopped = await importFile()
    expect(stopped).toMatchObject({ status: 'incomplete', usage: usage(5) })
    expect(stopped.usage_by_segment).toEqual([
      { segment: 1, ...usage(1) },
      { segment: 2, ...usage(4) },
    ])
    machine.script(say('two'))
    expect((await importFile()).usage_by_segment).toEqual([
      { segment: 1, ...usage(1) },
      { segment: 2, ...usage(5) },
    ])
  })

  test('stays out of the import log, which other versions read', async () => {
    machine.script(say('one'), say('two'))
    await importFile()
    expect(machine.files.text(logPath('imports'))).toContain('"usage"')
    expect(machine.files.text(logPath('imports'))).not.toContain('usage_by_segment')
  })

  test('lists no segment that no model was asked about, and none offline', async () => {
    expect(await importFile({ extractor: 'offline' })).toMatchObject({ usage: usage(0), usage_by_segment: [] })
    machine.files.write(FILE, ' \n\t\n')
    machine.script()
    expect(await importFile({ request_id: 'blank' })).toMatchObject({ segments: { done: 1 }, usage_by_segment: [] })
  })
})
