/** `knowhow mcp` as a process that is written to and read byte by byte: what no client would send is what it is for. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

const MAIN = resolve(import.meta.dir, '../../src/main.ts')

/** The sources under the runtime of the tests. */
export const SOURCES = [process.execPath, 'run', MAIN]

export interface Answer {
  readonly jsonrpc?: string
  readonly id?: string | number | null
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export class McpProgram {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  #errors = ''
  readonly #exit: Promise<number | null>

  /** Nothing of this process' environment; without an embedder unless one is given. */
  constructor([command = '', ...args]: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { EMBEDDING_BACKEND: 'none', ...environment }
    this.#child = spawn(command, args, { env })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    // Nobody reads on the other side once the program is over.
    this.#child.stdin.on('error', () => {})
    this.#exit = new Promise((settle) => this.#child.on('close', (code) => settle(code)))
  }

  /** @param text with its line ends */
  write(text: string | Uint8Array): void {
    this.#child.stdin.write(text)
  }

  /** @param message what of it is given; the rest of a request is made up */
  send(message: Readonly<Record<string, unknown>>): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  call(id: number, name: string, input: unknown): void {
    this.send({ id, method: 'tools/call', params: { name, arguments: input } })
  }

  /** Throws when there is a line that is no message. */
  async next(): Promise<Answer> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error(`standard output has ended; standard error: ${this.#errors}`)
    return messageOf(value)
  }

  /** What is still there, until the output ends. */
  async rest(): Promise<readonly Answer[]> {
    const all: Answer[] = []
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true) return all
      all.push(messageOf(value))
    }
  }

  async begin(): Promise<Answer> {
    this.send({
      id: 'begin',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    })
    return this.next()
  }

  endInput(): void {
    this.#child.stdin.end()
  }

  /** Reads no more of what it answers. */
  leave(): void {
    this.#child.stdout.destroy()
  }

  signal(name: 'SIGTERM' | 'SIGINT'): void {
    this.#child.kill(name)
  }

  /** Once it is over. */
  async finished(): Promise<{ readonly exit: number | null; readonly error: string }> {
    return { exit: await this.#exit, error: this.#errors }
  }
}

function messageOf(line: string): Answer {
  const message = JSON.parse(line) as Answer
  if (message.jsonrpc !== '2.0') throw new Error(`no message: ${line}`)
  return message
}
