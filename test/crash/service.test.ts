/**
 * The compiled program as a service: what other processes do to its workspace is in its next answer, many clients at once
 * get whole answers, and it ends as it is told. `CRASH_SECONDS` says how long the crowd asks.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AgentServer } from '../fakes/agent-server.ts'
import { AS_INSTALLED, compiledProgram, newWorkspace, start, writeConfig } from '../fakes/compiled-program.ts'
import { PlannedAgent } from '../fakes/planned-agent.ts'

const SECONDS = Number(process.env.CRASH_SECONDS ?? 10)
const CLIENTS = 200
const TIMEOUT_MS = SECONDS * 1000 + 120_000

let program: string
let folder: string

beforeAll(async () => {
  program = await compiledProgram()
  folder = mkdtempSync(join(tmpdir(), 'knowhow-served-'))
}, 60_000)

afterAll(() => {
  for (const path of [folder, dirname(program)]) rmSync(path, { recursive: true, force: true })
})

class Served implements AsyncDisposable {
  readonly url: string
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>

  private constructor(url: string, child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>) {
    this.url = url
    this.#child = child
  }

  static async start(root: string, flags: readonly string[] = []): Promise<Served> {
    const child = Bun.spawn([program, 'serve', '--port', '0', '--json', '--workspace', root, ...flags], {
      env: AS_INSTALLED,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const { value } = await child.stdout.getReader().read()
    return new Served((JSON.parse(new TextDecoder().decode(value)) as { readonly url: string }).url, child)
  }

  async ask<O = Record<string, unknown>>(route: string, input: unknown): Promise<O> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${this.url}/${route}`, { method: 'POST', headers, body: JSON.stringify(input) })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${route} ${JSON.stringify(input)}: ${response.status} ${text}`)
    return JSON.parse(text) as O
  }

  /** Paths that a search finds. */
  async found(query: string): Promise<readonly string[]> {
    const { results } = await this.ask<Found>('procedure_search', { query })
    return results.map(({ path }) => path)
  }

  /** Sends a signal. */
  kill(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.#child.kill(signal)
  }

  get exited(): Promise<number> {
    return this.#child.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
  }
}

interface Found {
  readonly results: readonly {
    readonly path: string
    readonly version: string
    readonly experience: Readonly<Record<string, unknown>>
  }[]
  readonly invalid: readonly unknown[]
}

const bytesOf = (when: string, content = 'c') =>
  `${JSON.stringify({ description: 'd', 'when-to-use': when, content, sources: [] }, null, 2)}\n`

/** As an editor saves: whole, in one step. */
function put(root: string, name: string, text: string): void {
  mkdirSync(join(root, 'procedures'), { recursive: true })
  const draft = join(root, 'procedures', `.draft-${name}`)
  writeFileSync(draft, text)
  renameSync(draft, join(root, 'procedures', `${name}.json`))
}

async function run(...argv: string[]): Promise<unknown> {
  const { exit, out, error } = await start(program, [...argv, '--json'], AS_INSTALLED).finished
  if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}: ${out}${error}`)
  return JSON.parse(out)
}

test(
  'what other processes change is in the next answer, also when they replace the whole workspace',
  async () => {
    const home = mkdtempSync(join(folder, 'live-'))
    const { root, file } = newWorkspace(home, 'line one went wrong\n')
    await using served = await Served.start(root, ['--config', writeConfig(home)])
    expect(await served.found('stale cache')).toEqual([])
    put(root, 'clear-cache', bytesOf('the build cache is stale'))
    expect(await served.found('stale cache')).toEqual(['procedures/clear-cache.json'])
    put(root, 'clear-cache', bytesOf('a lock is held'))
    expect(await served.found('lock held')).toEqual(['procedures/clear-cache.json'])
    rmSync(join(root, 'procedures', 'clear-cache.json'))
    expect(await served.found('lock held')).toEqual([])

    using server = new AgentServer(new PlannedAgent([[{ action: 'created', name: 'way', key: 'k', text: 'The way.' }]]))
    const argv = ['import', file, '--workspace', root, '--config', writeConfig(home), '--json']
    const imported = await start(program, argv, { ...server.environment, ...AS_INSTALLED }).finished
    expect([imported.exit, imported.error]).toEqual([0, expect.any(String)])
    expect(await served.found('it breaks again')).toEqual(['procedures/way.json'])

    await run('memory', 'remember', 'semantic', '--concept', 'retries', '--content', 'twice', '--workspace', root)
    const recalled = async () => JSON.stringify(await served.ask('memory_recall', { query: 'retries' }))
    expect(await recalled()).toContain('"content":"twice"')
    await served.ask('memory_remember', { kind: 'semantic', concept: 'retries', content: 'three times' })
    expect(JSON.stringify(await run('memory', 'recall', 'retries', '--workspace', root))).toContain('three times')

    put(root, 'second', bytesOf('it breaks again and again'))
    writeFileSync(join(root, 'knowhow.json'), '{"search":{"limit":1}}')
    expect(await served.found('it breaks again')).toHaveLength(1)
    rmSync(join(root, 'knowhow.json'))
    expect(await served.found('it breaks again')).toHaveLength(2)

    const other = join(home, 'other')
    put(other, 'elsewhere', bytesOf('something else it is'))
    await run('session', 'start', '--id', 'of-the-other', '--workspace', other)
    renameSync(root, `${root}-old`)
    expect(await served.found('it breaks again')).toEqual([])
    expect(await served.ask('session_list', {})).toEqual({ sessions: [] })
    renameSync(other, root)
    expect(await served.found('something else')).toEqual(['procedures/elsewhere.json'])
    expect(await served.found('it breaks again')).not.toContain('procedures/way.json')
    expect(await served.ask('session_list', {})).toMatchObject({ sessions: [{ session_id: 'of-the-other' }] })
    expect(await recalled()).not.toContain('three times')
  },
  TIMEOUT_MS,
)

test(
  `${CLIENTS} clients beside an importer and an editor, for ${SECONDS} s, get whole answers, and lose no memory`,
  async () => {
    const home = mkdtempSync(join(folder, 'crowd-'))
    const { root, file } = newWorkspace(home, 'line one went wrong\n'.repeat(10))
    const config = writeConfig(home)
    for (let one = 0; one < 20; one += 1) put(root, `standing-${one}`, bytesOf(`case ${one} of the standing ones`))
    await using served = await Served.start(root, ['--config', config])
    using server = new AgentServer(new PlannedAgent([]))
    const until = Date.now() + SECONDS * 1000
    const counts = { imports: 0, edits: 0, answers: 0 }
    let acknowledged = 0

    async function importing(): Promise<void> {
      for (let round = 0; Date.now() < until; round += 1) {
        const text = `Way number ${round}.`
        const action = round === 0 ? 'created' : 'updated'
        server.agent = new PlannedAgent([[{ action, name: 'way', key: 'k', text }]])
        const argv = ['import', file, '--request-id', `run-${round}`, '--workspace', root, '--config', config]
        const { exit, error } = await start(program, argv, { ...server.environment, ...AS_INSTALLED }).finished
        if (exit !== 0) throw new Error(`import ${round} ended with ${exit}: ${error}`)
        counts.imports += 1
      }
    }

    /** One file that tells its number twice, so that a torn one would show. */
    async function editing(): Promise<void> {
      for (; Date.now() < until; counts.edits += 1) {
        const number = counts.edits
        put(root, 'edited', bytesOf(`the edited one, number ${number}`, `number ${number}`))
        acknowledged = number
        await Bun.sleep(5)
      }
    }

    async function searching(): Promise<void> {
      const before = acknowledged
      const { results, invalid } = await served.ask<Found>('procedure_search', { query: 'the edited one', limit: 30 })
      expect(invalid).toEqual([])
      for (const { version, experience } of results) {
        const bytes = `${JSON.stringify(experience, null, 2)}\n`
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(version)
      }
      const edited = results.find(({ path }) => path === 'procedures/edited.json')?.experience
      if (before === 0) return
      const [, number] = /^the edited one, number (\d+)$/.exec(String(edited?.['when-to-use'])) ?? []
      expect(edited?.content).toBe(`number ${number}`)
      expect(Number(number)).toBeGreaterThanOrEqual(before)
    }

    async function client(id: number): Promise<void> {
      const session = `client-${id}`
      await served.ask('session_start', { id: session })
      for (let round = 0; Date.now() < until; round += 1) {
        await searching()
        const content = `event ${round} of client ${id}`
        await served.ask('memory_remember', { kind: 'episodic', session, content, event_type: 'learning' })
        if (round === 0)
          await served.ask('memory_remember', { kind: 'semantic', concept: session, content, memory_id: `fact-${id}` })
        await served.ask('memory_link', { relation: 'CONTRIBUTES_TO_SEMANTIC', from: session, to: `fact-${id}` })
        const { hits } = await served.ask<{
          readonly hits: readonly { readonly memory: Readonly<Record<string, unknown>> }[]
        }>('memory_recall', { query: `of client ${id}`, session, types: 'episodic', limit: 200 })
        // Neither another session's, nor one that is not there.
        for (const { memory } of hits) expect(memory.content).toMatch(new RegExp(`^event \\d+ of client ${id}$`))
        expect(hits.map(({ memory }) => memory.content)).toContain(content)
        const { episodic } = await served.ask<{ readonly episodic: readonly unknown[] }>('session_show', {
          id: session,
        })
        expect(episodic).toHaveLength(round + 1)
        counts.answers += 5
      }
      await served.ask('session_end', { id: session })
    }

    await Promise.all([importing(), editing(), ...Array.from({ length: CLIENTS }, (_, id) => client(id))])
    console.log(`beside each other: ${counts.imports} imports, ${counts.edits} edits, ${counts.answers} answers`)
    expect(counts.imports).toBeGreaterThan(1)
    expect(counts.answers).toBeGreaterThan(CLIENTS)
    const { ok } = (await run('memory', 'validate', '--workspace', root)) as { readonly ok: boolean }
    expect(ok).toBe(true)
  },
  TIMEOUT_MS + 60_000,
)

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it well', async (signal) => {
  await using served = await Served.start(join(folder, 'none'))
  await served.found('anything')
  served.kill(signal)
  expect(await served.exited).toBe(0)
})

test('a second interruption ends it at once, whatever is in flight', async () => {
  await using served = await Served.start(join(folder, 'none'))
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  socket.on('error', () => {})
  // A body that never comes keeps it waiting.
  socket.write(
    'POST /session_list HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  )
  await served.found('anything')
  served.kill('SIGINT')
  // The port is closed once the first one has come through.
  for (;;)
    if (
      await fetch(`${served.url}/health`).then(
        () => false,
        () => true,
      )
    )
      break
  served.kill('SIGINT')
  expect(await served.exited).toBe(130)
  socket.destroy()
})
