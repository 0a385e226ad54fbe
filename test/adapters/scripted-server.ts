/** A model server on this machine that answers from a script and remembers what it was asked. */

export interface SeenRequest {
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly raw: string
  readonly body: Record<string, unknown>
}

export type Answer = (request: SeenRequest) => Response | Promise<Response>

export class ScriptedServer implements Disposable {
  readonly requests: SeenRequest[] = []
  #answers: Answer[]
  #server: ReturnType<typeof Bun.serve>

  constructor(answers: readonly Answer[]) {
    this.#answers = [...answers]
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const raw = await request.text()
        const url = new URL(request.url)
        const seen = { path: url.pathname, query: url.search, headers: request.headers, raw, body: JSON.parse(raw) }
        this.requests.push(seen)
        const answer = this.#answers.shift()
        return answer === undefined ? new Response('the script ended', { status: 418 }) : answer(seen)
      },
    })
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return () => Response.json(body, { status, headers })
}

export function raw(text: string, status = 200, type = 'text/html'): Answer {
  return () => new Response(text, { status, headers: { 'content-type': type } })
}

export function failure(status: number, message = 'broken', headers: Record<string, string> = {}): Answer {
  return json({ error: { message, type: 'some_error' } }, status, headers)
}

/** A good answer; `message` is laid over the usual one. */
export function answer(message: Record<string, unknown> = {}, finish_reason: unknown = 'stop'): Answer {
  return json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: 'fine', ...message } }],
    usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
  })
}
