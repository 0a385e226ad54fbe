/** The protocol's own suite of conformance, and a bridge by which it reaches what is no HTTP server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { McpProgram } from './mcp-program.ts'

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

export interface Conformance {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  /** Scenarios that found nothing to check. */
  readonly empty: readonly string[]
}

/** Runs all scenarios for servers. */
export async function conformanceOf(url: URL): Promise<Conformance> {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-conformance-'))
  const argv = ['server', '--url', url.href, '--suite', 'all', '--output-dir', folder]
  const child = Bun.spawn([process.execPath, SUITE, ...argv], { cwd: folder, stdout: 'pipe', stderr: 'pipe', env: {} })
  const [text] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  rmSync(folder, { recursive: true })
  // "✓ ping: 1 passed, 0 failed"
  const lines = [...text.matchAll(/^. (\S+): (\d+) passed, (\d+) failed$/gmu)]
  const results = lines.map(([, name = '', passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }))
  const namesOf = (wanted: (result: (typeof results)[number]) => boolean) =>
    results.filter(wanted).map(({ name }) => name)
  return {
    passed: namesOf(({ passed, failed }) => passed > 0 && failed === 0),
    failed: namesOf(({ failed }) => failed > 0),
    empty: namesOf(({ passed, failed }) => passed === 0 && failed === 0),
  }
}

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** The suite calls tools of its own; two of them do what tools of ours can do as well. */
const CALLS_INSTEAD: Readonly<Record<string, unknown>> = {
  test_simple_text: { name: 'session_list' },
  test_error_handling: { name: 'procedure_read', arguments: { path: 'procedures/none.json' } },
}

function translated(message: Message): Message {
  const instead = message.method === 'tools/call' ? CALLS_INSTEAD[String(message.params?.name)] : undefined
  return instead === undefined ? message : { ...message, params: instead as Record<string, unknown> }
}

/** In front of an endpoint. */
export function translating(fetch: (request: Request) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return fetch(request)
    const message = translated((await request.json()) as Message)
    const { method, headers, signal } = request
    return fetch(new Request(request.url, { method, headers, signal, body: JSON.stringify(message) }))
  }
}

/** An HTTP server's view of programs that speak by lines: one for each connection, one message at a time. */
export class StdioBridge implements AsyncDisposable {
  readonly #argv: readonly string[]
  #program: McpProgram | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** How they ended. */
  readonly ends: Promise<{ readonly exit: number | null; readonly error: string }>[] = []

  constructor(argv: readonly string[]) {
    this.#argv = argv
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const message = translated((await request.json()) as Message)
    const answered = this.#turn.then(() => this.#passOn(message))
    this.#turn = answered.catch(() => {})
    return answered
  }

  async #passOn(message: Message): Promise<Response> {
    if (message.method === 'initialize') {
      this.#end()
      this.#program = new McpProgram(this.#argv)
    }
    this.#program?.send({ ...message })
    if (message.id === undefined || this.#program === null) return new Response(null, { status: 202 })
    return Response.json(await this.#program.next())
  }

  #end(): void {
    if (this.#program === null) return
    this.#program.endInput()
    this.ends.push(this.#program.finished())
    this.#program = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
    await Promise.all(this.ends)
  }
}
