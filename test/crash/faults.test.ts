/** Everything that a disk, a clock or a damaged log may do in the middle of an import: a promised result or a named error. */
import { afterAll, describe, expect, test } from 'bun:test'
import { fileFault } from '../../src/adapters/file-fault.ts'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { bytesOf, FINAL, LOG, PLAN, REQUEST, SEGMENTS, TRAJECTORY } from '../fakes/crash-scenario.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { PlannedAgent } from '../fakes/planned-agent.ts'
import type { FileCall } from '../fakes/watched-files.ts'

const FILE = '/logs/run.log'
const LOGS = 'metadata/procedure/default'
const counts: string[] = []
afterAll(() => console.log(`faults: ${counts.join(', ')}`))

function freshFiles(): MemoryFiles {
  const files = new MemoryFiles()
  files.write(FILE, LOG)
  files.write(`${ROOT}/knowhow.json`, JSON.stringify({ token_limits: { segment: 100, context: 5000, reserve: 100 } }))
  return files
}

let machines = 0

function machineOver(files: MemoryFiles, plan = PLAN): FakeMachine {
  machines += 1
  const machine = new FakeMachine(files, new CountingIds(1000 * machines))
  machine.environment = { LLM_MODEL_NAME: 'planned' }
  machine.chat = new PlannedAgent(plan)
  return machine
}

const importRun = (machine: FakeMachine) =>
  machine.run<ImportResult>('procedure_import', { files: [FILE], request_id: REQUEST })

/** `complete`, or the code of the error that stopped the import. Throws what is no MemoryError. */
async function endingOf(machine: FakeMachine): Promise<string> {
  try {
    const { status, error } = await importRun(machine)
    return status === 'complete' ? status : (error?.code ?? 'no error')
  } catch (error) {
    if (error instanceof MemoryError) return error.code
    throw error
  }
}

async function requireGoesOn(files: MemoryFiles): Promise<void> {
  const result = await importRun(machineOver(files))
  expect(result).toMatchObject({ status: 'complete', segments: { done: SEGMENTS, total: SEGMENTS } })
  requireFinished(files)
}

function requireFinished(files: MemoryFiles): void {
  expect(files.text(`${ROOT}/${TRAJECTORY}`)).toBe(LOG)
  expect(files.names(`${ROOT}/session/trajectories`)).toEqual(['run.log'])
  expect(files.names(`${ROOT}/procedures`)).toEqual(Object.keys(FINAL).map((name) => `${name}.json`))
  for (const [name, content] of Object.entries(FINAL))
    expect(files.read(`${ROOT}/procedures/${name}.json`)).toEqual(bytesOf(content))
}

/** Calls of the disk that an undisturbed import makes. */
async function callsOfImport(): Promise<readonly FileCall[]> {
  const calls: FileCall[] = []
  const machine = machineOver(freshFiles())
  machine.watcher = (call) => calls.push(call)
  expect(await endingOf(machine)).toBe('complete')
  return calls
}

function fault(errno: string, { name, path }: FileCall): MemoryError {
  return fileFault(String(name), path, Object.assign(new Error(errno), { code: errno }))
}

describe.each([
  ['EIO', 'io_failed'],
  ['EACCES', 'permission_denied'],
  ['EROFS', 'read_only'],
  ['ENOSPC', 'disk_full'],
  ['ENOENT', 'io_failed'],
])('%s', (errno, code) => {
  test.each([
    ['at any one call', 1],
    ['from any call on', Number.POSITIVE_INFINITY],
  ])('%s ends in that error or in the result, and the import goes on afterwards', async (_when, times) => {
    const calls = await callsOfImport()
    const endings: Record<string, number> = {}
    for (const start of calls.keys()) {
      // A read that finds nothing is no fault of the port.
      if (errno === 'ENOENT' && calls[start]?.changes === false) continue
      const files = freshFiles()
      const machine = machineOver(files)
      const agent = new PlannedAgent(PLAN)
      machine.chat = agent
      let count = 0
      machine.watcher = (call) => {
        count += 1
        if (errno === 'ENOENT' && !call.changes) return
        if (count > start && count <= start + times) throw fault(errno, call)
      }
      const ending = await endingOf(machine)
      endings[ending] = (endings[ending] ?? 0) + 1
      // A file that cannot be read is told to the model, which may go on without it: this one does.
      if (agent.failures.length === 0) await requireGoesOn(files)
      else expect(agent.failures[0]).toBe('permission_denied')
    }
    const others = Object.keys(endings).filter((ending) => !['complete', 'index_pending', 'io_failed'].includes(ending))
    expect(others).toEqual(code === 'io_failed' ? [] : [code])
    counts.push(`${errno} ${JSON.stringify(endings)}`)
  })
})

test('a clock that goes backwards at every change changes nothing but the times', async () => {
  const files = freshFiles()
  const machine = machineOver(files)
  machine.watcher = ({ changes }) => {
    if (changes) machine.clock.advance(-3_600_000)
  }
  expect(await endingOf(machine)).toBe('complete')
  requireFinished(files)
  expect(await machineOver(files).run('procedure_search', { query: 'breaks' })).toMatchObject({ index_complete: true })
})

const KINDS = ['imports', 'processing', 'operations']
const pathOf = (kind: string) => `${LOGS}/${kind}/${REQUEST}.jsonl`

/** As an import leaves them that was stopped in its last piece. */
async function interruptedFiles(): Promise<MemoryFiles> {
  const files = freshFiles()
  const machine = machineOver(files)
  const agent = new PlannedAgent(PLAN)
  machine.chat = {
    model: 'planned',
    reply: async (messages, tools, options) => {
      const reply = await agent.reply(messages, tools, options)
      if (agent.askedPieces.at(-1) === SEGMENTS && agent.acknowledged.length === 5)
        throw new MemoryError('llm_unavailable', 'the model is away')
      return reply
    },
  }
  expect(await endingOf(machine)).toBe('llm_unavailable')
  return files
}

describe.each(KINDS)('the log of %s', (kind) => {
  test('cut off at any byte of its last record is continued from the record before', async () => {
    const files = await interruptedFiles()
    const bytes = files.read(`${ROOT}/${pathOf(kind)}`) ?? new Uint8Array()
    const lastStart = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
    for (let length = lastStart; length < bytes.length; length += 1)
      for (const filling of [null, 0]) {
        const left = files.killed()
        const whole = new Uint8Array(filling === null ? length : bytes.length)
        whole.set(bytes.subarray(0, length))
        left.write(`${ROOT}/${pathOf(kind)}`, whole)
        await requireGoesOn(left)
      }
    counts.push(`${kind} cut at ${bytes.length - lastStart} bytes`)
  })

  test('with any byte changed is damaged by name, and nothing is written to it', async () => {
    const files = await interruptedFiles()
    const path = `${ROOT}/${pathOf(kind)}`
    const bytes = files.read(path) ?? new Uint8Array()
    for (let at = 0; at < bytes.length; at += 1) {
      const left = files.killed()
      const changed = bytes.slice()
      changed[at] = (changed[at] ?? 0) ^ 1
      left.write(path, changed)
      const line = bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1
      // Without its end the last record is one that was written in part.
      if (at === bytes.length - 1) {
        await requireGoesOn(left)
        continue
      }
      const listed = await machineOver(left).run<{ readonly damaged?: readonly { path: string; error: string }[] }>(
        'procedure_imports',
        {},
      )
      expect(listed.damaged).toMatchObject([{ path: pathOf(kind) }])
      // The version in the first line is believed before its checksum: another one may have other checksums.
      const isLineEnd = bytes[at] === 0x0a
      if (!isLineEnd)
        expect(listed.damaged?.[0]?.error).toMatch(line === 1 ? /line 1|version/ : new RegExp(`line ${line}\\b`))
      expect(await endingOf(machineOver(left))).toMatch(/^(?:log_corrupt|format_too_new|format_unsupported)$/)
      expect(left.read(path)).toEqual(changed)
    }
    counts.push(`${kind} changed at ${bytes.length} bytes`)
  })
})
