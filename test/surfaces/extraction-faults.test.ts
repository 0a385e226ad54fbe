/**
 * What the compiled program makes of everything that can go wrong while a model extracts. `EXTRACTION_FAULTS=write` writes
 * the table for people, docs/extraction-faults.md, anew.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { compiledProgram, type Finished, newWorkspace, start } from '../fakes/compiled-program.ts'
import {
  EXTRACTION_FAULTS,
  type ExtractionFault,
  elsewhere,
  LEAKED_TOKEN,
  type Outcome,
  type Settings,
  THOUGHT,
} from '../fakes/extraction-faults.ts'
import { faultsDocument } from '../fakes/extraction-faults-document.ts'
import { brokenChat, type ChatServer, faultyChat, say } from '../fakes/faulty-chat.ts'

const DOCUMENT = resolve(import.meta.dir, '../../docs/extraction-faults.md')
const KEY = 'Zebra7421Quartz9058Lantern'
const PASSWORD = 'Walnut5530Harbour'
const LOG = `step one went wrong\ntoken ${LEAKED_TOKEN}\nget https://ann:${PASSWORD}@git.example/x\nstep two passed\n`
const REQUEST = 'run-1'
const TIMEOUT_MS = 5 * 60_000

let program: string
let folder: string
let mended: ChatServer
let other: ChatServer

beforeAll(async () => {
  program = await compiledProgram()
  folder = mkdtempSync(join(tmpdir(), 'knowhow-faults-'))
  mended = faultyChat([say('All is well.')])
  other = faultyChat([say('Nobody should come here.')])
  elsewhere.address = other.baseUrl
}, TIMEOUT_MS)

afterAll(() => {
  mended[Symbol.dispose]()
  other[Symbol.dispose]()
  rmSync(dirname(program), { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

interface Place {
  readonly folder: string
  readonly root: string
  readonly file: string
}

function newPlace(fault: string): Place {
  const own = join(folder, fault.replace(/\W+/g, '-'))
  mkdirSync(own)
  return { folder: own, ...newWorkspace(own, LOG) }
}

function configFile({ folder }: Place, { llm, extraction = {}, token_limits }: Settings): string {
  const path = join(folder, 'config.json')
  const limits = { segment: 100, summary: 30, context: 20_000, reserve: 100, ...token_limits }
  const tokenizer = join(folder, 'tokenizer.json')
  writeFileSync(path, JSON.stringify({ tokenizer, llm: { retries: 1, ...llm }, extraction, token_limits: limits }))
  return path
}

function run(place: Place, argv: readonly string[], settings: Settings, environment: Readonly<Record<string, string>>) {
  const common = ['--workspace', place.root, '--config', configFile(place, settings), '--json']
  return start(program, [...argv, ...common], { LLM_MODEL_NAME: 'faulty', LLM_API_KEY: KEY, ...environment })
}

interface ImportAnswer {
  readonly status?: string
  readonly experiences?: readonly { readonly path: string }[]
  readonly usage?: { readonly requests: number }
  readonly error?: { readonly code: string; readonly resumable: boolean }
}

const answerOf = ({ out }: Finished): ImportAnswer => (out === '' ? {} : JSON.parse(out))

/** Imports while all goes wrong. */
async function measured(place: Place, server: ChatServer, asked: Promise<void>, fault: ExtractionFault) {
  const environment = { LLM_BASE_URL: server.baseUrl, ...fault.environment }
  const argv = ['import', place.file, '--request-id', REQUEST, ...(fault.argv ?? [])]
  const started = run(place, argv, fault.settings ?? {}, environment)
  if (fault.signal !== undefined) {
    await Promise.race([asked, started.finished])
    started.kill(fault.signal)
  }
  const finished = await started.finished
  const { usage, error, experiences } = answerOf(finished)
  expect((experiences ?? []).map(({ path }) => path)).toEqual([...(fault.keeps ?? [])])
  const outcome: Outcome = {
    requests: usage?.requests ?? server.asked.length,
    exit: finished.exit,
    code: error?.code ?? null,
    resumable: error?.resumable ?? null,
    told: toldCode(server),
  }
  return { finished, outcome }
}

/** Of the first failing call that a request tells of. */
function toldCode({ asked }: ChatServer): string | null {
  for (const { body } of asked)
    for (const { role, content } of JSON.parse(body).messages) {
      const result = role === 'tool' ? JSON.parse(content) : {}
      if (result.status === 'failed') return result.code
    }
  return null
}

function requireNowhere(secret: string, { finished, place }: { finished: Finished; place: Place }): void {
  expect(finished.out + finished.error).not.toContain(secret)
  for (const name of namesIn(place.root)) expect(readFileSync(join(place.root, name), 'latin1')).not.toContain(secret)
}

function namesIn(root: string): readonly string[] {
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return []
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(root, name)).isFile())
}

async function serverOf({ plays, breakage }: ExtractionFault, onAsked: () => void): Promise<ChatServer> {
  return breakage === undefined ? faultyChat(plays, { onAsked }) : brokenChat(breakage)
}

async function playThrough(fault: ExtractionFault): Promise<void> {
  const place = newPlace(fault.fault)
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  using server = await serverOf(fault, onAsked)
  const { finished, outcome } = await measured(place, server, asked, fault)
  expect(outcome).toEqual(fault.outcome)
  if (fault.reaches !== 'nobody') expect(server.asked).toHaveLength(outcome.requests)
  expect(finished.error).toContain(fault.says ?? '')
  requireNowhere(fault.environment?.LLM_API_KEY ?? KEY, { finished, place })
  requireNowhere(THOUGHT, { finished, place })
  for (const each of server.asked) {
    expect(each.key).toBe(KEY)
    for (const secret of [KEY, PASSWORD, LEAKED_TOKEN]) expect(each.body).not.toContain(secret)
  }
  // Where a redirect leads, nobody goes.
  expect(other.asked).toEqual([])
  if (fault.resumedBy === null) expect(namesIn(place.root)).toEqual([])
  else await goOn(place, fault)
}

/** With a server that behaves; what is complete is only told again. */
async function goOn(place: Place, { resumedBy, outcome }: ExtractionFault): Promise<void> {
  const { argv = [], settings = {} } = resumedBy ?? {}
  const environment = { LLM_BASE_URL: mended.baseUrl }
  const finished = await run(place, ['import', '--resume', REQUEST, ...argv], settings, environment).finished
  expect(finished).toMatchObject({ exit: 0 })
  const { status, usage } = answerOf(finished)
  expect({ status, requests: usage?.requests }).toEqual({
    status: 'complete',
    requests: outcome.requests + (outcome.exit === 0 ? 0 : 1),
  })
  requireNowhere(KEY, { finished, place })
}

describe.each(Object.entries(EXTRACTION_FAULTS))('%s:', (_, faults) => {
  test.concurrent.each(faults.map((fault) => [fault.fault, fault] as const))(
    '%s',
    (_, fault) => playThrough(fault),
    TIMEOUT_MS,
  )
})

test('the table for people is the one that is tested', () => {
  const document = faultsDocument(EXTRACTION_FAULTS)
  if (process.env.EXTRACTION_FAULTS === 'write') writeFileSync(DOCUMENT, document)
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(document)
})
