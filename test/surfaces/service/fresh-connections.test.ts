/** Clients that come by a new connection for each question, as many programs do. The service is a process of its own. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Statuses } from '../../fakes/fresh-connections.ts'
import { SOURCES } from '../../fakes/mcp-program.ts'

const CLIENTS = 8
/** More connections in all than may be open at once. */
const QUESTIONS = 400

let folder: string
let service: Bun.Subprocess<'ignore', 'pipe', 'ignore'>
let port: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowhow-connections-'))
  service = Bun.spawn([...SOURCES, 'serve', '--port', '0', '--json', '--workspace', join(folder, 'w')], {
    env: { EMBEDDING_BACKEND: 'none' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const { value } = await service.stdout.getReader().read()
  port = (JSON.parse(new TextDecoder().decode(value)) as { readonly port: number }).port
})

afterEach(async () => {
  service.kill('SIGKILL')
  await service.exited
  rmSync(folder, { recursive: true, force: true })
})

/** Each a process of its own: among those of one thread the service would have time to breathe. */
async function crowd(questions: number): Promise<Statuses> {
  const program = join(import.meta.dir, '../../fakes/fresh-connections.ts')
  const told = Array.from({ length: CLIENTS }, async () => {
    const client = Bun.spawn([process.execPath, program, String(port), String(questions)], { stdout: 'pipe' })
    return JSON.parse(await new Response(client.stdout).text()) as Statuses
  })
  const sum = new Map<string, number>()
  for (const statuses of await Promise.all(told))
    for (const [status, count] of Object.entries(statuses)) sum.set(status, (sum.get(status) ?? 0) + count)
  return Object.fromEntries(sum)
}

test('all are answered, however many have come before', async () => {
  expect(await crowd(QUESTIONS)).toEqual({ 200: CLIENTS * QUESTIONS })
})

test('a service that is told to end hears it among them', async () => {
  const asked = crowd(Number.POSITIVE_INFINITY)
  // Of what it answers to others it answers this too.
  for (let question = 0; question < CLIENTS; question += 1)
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
  service.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect((await asked)['503']).toBeUndefined()
})
