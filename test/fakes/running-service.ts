/** `knowhow serve` in this process, on the real disk and a port of its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Machine } from '../../src/app/machine.ts'
import { runCommand } from '../../src/surfaces/cli.ts'
import { diskMachine } from './disk-machine.ts'
import { FakeConversation } from './fake-conversation.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of its JSON; undefined where it is none. */
  readonly body: unknown
}

export class RunningService implements AsyncDisposable {
  readonly folder: string
  readonly root: string
  readonly url: string
  readonly port: number
  /** What stands on standard error so far. */
  readonly told: () => string
  readonly #stop: AbortController
  readonly #ended: Promise<number>

  private constructor(facts: {
    folder: string
    root: string
    url: string
    told: () => string
    stop: AbortController
    ended: Promise<number>
  }) {
    this.folder = facts.folder
    this.root = facts.root
    this.url = facts.url
    this.port = Number(new URL(facts.url).port)
    this.told = facts.told
    this.#stop = facts.stop
    this.#ended = facts.ended
  }

  /** @param flags beside those for port and workspace */
  static async start(
    flags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    machine: Machine = diskMachine(),
  ): Promise<RunningService> {
    const folder = mkdtempSync(join(tmpdir(), 'knowhow-service-'))
    const root = join(folder, 'workspace')
    const stop = new AbortController()
    let error = ''
    const argv = ['serve', '--port', '0', '--json', '--workspace', root, ...flags]
    const { promise: listening, resolve } = Promise.withResolvers<string>()
    const terminal = {
      out: resolve,
      error: (text: string) => {
        error += text
      },
      input: () => new Uint8Array(),
      takesColour: async () => false,
      drawsErrors: async () => false,
      isAtTerminal: async () => false,
      converse: async () => new FakeConversation(['']),
      signal: stop.signal,
    }
    const ended = runCommand(
      argv,
      { ...machine, environment: { ...machine.environment, ...environment } },
      terminal,
      '1.2.3',
    )
    const first = JSON.parse(await listening) as { readonly url?: string; readonly error?: unknown }
    if (first.url === undefined) throw new Error(`it does not serve: ${JSON.stringify(first.error)}`)
    return new RunningService({ folder, root, url: first.url, told: () => error, stop, ended })
  }

  /** Puts an experience there, as a hand would. */
  putExperience(name: string, texts: { readonly when: string; readonly content?: string }): void {
    mkdirSync(join(this.root, 'procedures'), { recursive: true })
    const experience = { description: name, 'when-to-use': texts.when, content: texts.content ?? 'c', sources: [] }
    writeFileSync(join(this.root, 'procedures', `${name}.json`), JSON.stringify(experience))
  }

  putOriginal(name: string, text: string): void {
    const folder = join(this.root, 'session', 'trajectories')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
  }

  /** Asks a route with these arguments. */
  async ask(route: string, input: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    }
    return this.send(`/${route}`, init)
  }

  async send(path: string, init: RequestInit = {}): Promise<Answered> {
    const { status, headers, ...response } = await answerOf(await fetch(`${this.url}${path}`, init))
    return { status, headers, ...response }
  }

  /** Everything that comes for these bytes until the service ends the connection. */
  raw(bytes: string | Uint8Array): Promise<string> {
    return new Promise((resolve, reject) => {
      let came = ''
      const socket = connect(this.port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', (chunk) => {
        came += chunk.toString('latin1')
      })
      socket.on('close', () => resolve(came))
      socket.on('error', (error) => (came === '' ? reject(error) : resolve(came)))
    })
  }

  /** @returns the exit code */
  async stop(): Promise<number> {
    this.#stop.abort()
    return this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function answerOf(response: Response): Promise<Answered> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
