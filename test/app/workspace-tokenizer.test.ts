/** Who names the tokenizer, how often it is opened, and what a person is told of it. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Examination } from '../../src/app/doctor/examination.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { OpenTokenizerOptions } from '../../src/ports.ts'
import { NAME, status, TOKEN } from '../adapters/hub-server.ts'
import { HubStage } from '../adapters/hub-stage.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { diskMachine } from '../fakes/disk-machine.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'
import { wordTokenizer } from '../fakes/word-tokenizer.ts'

const LOG = '/logs/run.log'
const TRAJECTORY = 'session/trajectories/run.log'
const SLOW = 'it is counted by a slow library'

class WatchedMachine extends FakeMachine {
  readonly openings: OpenTokenizerOptions[] = []
  override readonly openTokenizer = async (_?: string, options: OpenTokenizerOptions = { environment: {} }) => {
    this.openings.push(options)
    options.onWait?.('downloading')
    return this.tokenizer
  }
}

let machine: WatchedMachine
beforeEach(() => {
  machine = new WatchedMachine()
  machine.files.write(LOG, 'one two')
  machine.files.write(`${ROOT}/${TRAJECTORY}`, 'one two')
})

const EACH = [
  ['tokens', ['tokens', LOG]],
  ['read', ['read', TRAJECTORY]],
  ['doctor', ['doctor']],
  ['import', ['import', LOG, '--filename', 'new.log', '--extractor', 'offline']],
] as const

describe.each(EACH)('%s', (_, argv) => {
  test('opens what a workspace names at its word alone, and what a person names at theirs', async () => {
    machine.configure({ tokenizer: NAME })
    await runCaptured([...argv], machine)
    machine.environment.PROCEDURE_TOKENIZER_SOURCE = NAME
    await runCaptured([...argv], machine)
    expect(machine.openings.map(({ namedBy }) => namedBy)).toEqual(['workspace', 'person'])
  })

  test('tells of a wait, and may be interrupted', async () => {
    const { signal } = new AbortController()
    const { error } = await runCaptured([...argv], machine, signal)
    expect(error).toContain('knowhow: downloading\n')
    expect(machine.openings).toMatchObject([{ signal }])
  })

  test('tells once that it counts slowly', async () => {
    machine.tokenizer = { ...wordTokenizer, notice: SLOW }
    const { out, error } = await runCaptured([...argv], machine)
    expect(`${out}${error}`.split(SLOW)).toHaveLength(2)
  })
})

test('what --config names is named by the person', async () => {
  machine.configure({ tokenizer: 'acme/other' })
  machine.files.write('/my.json', JSON.stringify({ tokenizer: NAME }))
  await runCaptured(['tokens', LOG, '--config', '/my.json'], machine)
  expect(machine.openings).toMatchObject([{ namedBy: 'person' }])
})

test('an import opens it once, however often its model reads', async () => {
  machine.files.remove(`${ROOT}/${TRAJECTORY}`)
  const read = callTool('procedure_read', { path: TRAJECTORY })
  const chat = machine.script(read, read, say('done'), say('done'))
  expect(await machine.run('procedure_import', { files: [LOG] })).toMatchObject({ status: 'complete' })
  expect(chat.requests.length).toBeGreaterThan(2)
  expect(machine.openings).toHaveLength(1)
})

test('one that could not be had is asked for again', async () => {
  let fails = true
  const failing = Object.assign(machine, {
    openTokenizer: async () => {
      if (fails) throw new MemoryError('tokenizer_unavailable', 'not now')
      return wordTokenizer
    },
  })
  using workspace = failing.open()
  const doctor = () => workspace.doctor({ ...quiet, signal: new AbortController().signal })
  expect(tokenizerIn(await doctor()).ok).toBe(false)
  fails = false
  expect(tokenizerIn(await doctor()).ok).toBe(true)
})

const quiet = { yieldToSignals: async () => {}, onWait: () => {} }
const tokenizerIn = ({ checks }: Examination) => checks.find(({ name }) => name === 'tokenizer') ?? { ok: null }

describe('a hub that wants a token', () => {
  let stage: HubStage
  beforeEach(() => {
    stage = new HubStage()
  })
  afterEach(() => stage[Symbol.dispose]())

  test('does not get it of a tokenizer that only the workspace names, which the message tells', async () => {
    const hub = stage.serve(status(401, 'private'))
    const root = `${stage.home.folder}/workspace`
    await Bun.write(`${root}/knowhow.json`, JSON.stringify({ tokenizer: NAME }))
    const log = `${stage.home.folder}/run.log`
    await Bun.write(log, 'text')
    const environment = stage.home.environment({ HF_ENDPOINT: hub.address, HF_TOKEN: TOKEN })
    const count = (more: Record<string, string>) =>
      runCaptured(['tokens', log, '--workspace', root], {
        ...diskMachine(),
        environment: { ...environment, ...more },
      })
    expect((await count({})).error).toMatch(/HTTP 401: private.*set PROCEDURE_TOKENIZER_SOURCE to the same name/)
    expect((await count({ PROCEDURE_TOKENIZER_SOURCE: NAME })).error).toContain('the token of HF_TOKEN may not read it')
    expect(hub.requests.map(({ authorization }) => authorization)).toEqual([null, `Bearer ${TOKEN}`])
  })
})
