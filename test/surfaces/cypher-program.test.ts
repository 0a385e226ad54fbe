/** Cypher in the compiled program: the engine inside it, unpacked for one process alone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packedEngine } from '../../scripts/packed-engine.ts'
import { cypherEntry } from '../../src/adapters/cypher-entry.ts'
import { compiledProgram, start } from '../fakes/compiled-program.ts'

/** Compiling three programs; no test waits for it to be over. */
const PATIENT_MS = 180_000

const folder = mkdtempSync(join(tmpdir(), 'knowhow-cypher-program-'))
const TEMPORARY = join(folder, 'tmp')
const packed = packedEngine()
let [whole, damaged, without] = ['', '', '']

beforeAll(async () => {
  mkdirSync(TEMPORARY)
  without = await compiledProgram()
  if (packed === null) return
  whole = await compiledProgram({ engine: packed })
  damaged = await compiledProgram({ engine: { ...packed, sha256: '0'.repeat(64) } })
}, PATIENT_MS)

afterAll(() => {
  for (const file of [whole, damaged, without, packed?.packedPath ?? '']) if (file !== '') rmSync(file)
  rmSync(folder, { recursive: true })
})

async function run(program: string, ...argv: readonly string[]) {
  const { exit, out } = await start(program, [...argv, '--workspace', join(folder, 'w'), '--json'], {
    TMPDIR: TEMPORARY,
  }).finished
  return { exit, answer: JSON.parse(out) as Record<string, unknown> }
}

describe.skipIf(packed === null)('a program with the engine inside', () => {
  test('answers, and leaves nothing in the temporary folder', async () => {
    await run(whole, 'session', 'start', '--id', 's')
    const { exit, answer } = await run(whole, 'memory', 'cypher', 'MATCH (s:Session) RETURN s.session_id AS id')
    expect(answer).toEqual({ columns: ['id'], rows: [{ id: 's' }] })
    expect(exit).toBe(0)
    expect(readdirSync(TEMPORARY)).toEqual([])
  })

  test('leaves nothing there either when a query is ended by its time limit', async () => {
    const endless = 'UNWIND range(1, 10000000) AS a UNWIND range(1, 10000000) AS b RETURN sum(a * b) AS s'
    const { exit, answer } = await run(whole, 'memory', 'cypher', endless, '--timeout', '1')
    expect(answer).toMatchObject({ error: { code: 'cypher_timeout' } })
    expect(exit).toBe(1)
    expect(readdirSync(TEMPORARY)).toEqual([])
  })

  test('loads no engine whose bytes are others than were built in', async () => {
    const { answer } = await run(damaged, 'memory', 'cypher', 'RETURN 1 AS x')
    expect(answer).toMatchObject({
      error: { code: 'engine_unavailable', message: expect.stringContaining('damaged') },
    })
    expect(readdirSync(TEMPORARY)).toEqual([])
  })

  test('does not tell of the word by which it starts itself', async () => {
    expect((await start(whole, ['--help']).finished).out).not.toContain(cypherEntry())
  })
})

test('a program without the engine says so, for this command alone', async () => {
  const { exit, answer } = await run(without, 'memory', 'cypher', 'RETURN 1 AS x')
  expect(answer).toMatchObject({
    error: { code: 'engine_unavailable', message: expect.stringContaining('not built in') },
  })
  expect(exit).toBe(1)
  expect((await run(without, 'session', 'list')).exit).toBe(0)
})
