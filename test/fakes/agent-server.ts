/** A planned agent behind the protocol of a chat server, for programs that run as processes of their own. */
import type { PlannedAgent } from './planned-agent.ts'

interface WireMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
}

export class AgentServer implements Disposable {
  readonly #server: ReturnType<typeof Bun.serve>
  agent: PlannedAgent

  constructor(agent: PlannedAgent) {
    this.agent = agent
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const { messages } = (await request.json()) as { readonly messages: readonly WireMessage[] }
        return Response.json(await this.#completion(messages))
      },
    })
  }

  /** For the environment of a program that is to ask this agent. */
  get environment(): Readonly<Record<string, string>> {
    return { LLM_BASE_URL: `http://127.0.0.1:${this.#server.port}/v1`, LLM_MODEL_NAME: 'planned', LLM_API_KEY: 'none' }
  }

  async #completion(messages: readonly WireMessage[]) {
    const asked = messages.map(({ role, content }) => ({ role, content: content ?? '', toolCalls: [], toolCallId: '' }))
    const { content, toolCalls } = await this.agent.reply(asked, [])
    const calls = toolCalls.map((call, at) => ({
      id: `call-${messages.length}-${at}`,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }))
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: calls.length === 0 ? 'stop' : 'tool_calls',
          message:
            calls.length === 0
              ? { role: 'assistant', content }
              : { role: 'assistant', content: null, tool_calls: calls },
        },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    }
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}
