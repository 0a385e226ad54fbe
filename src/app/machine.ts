/** The ports of the machine a program runs on, as `main` wires them. */
import type { ChatModel, Clock, Digest, Files, Ids, Lock, OpenTokenizer, OutsideFiles } from '../ports.ts'

export interface ChatModelOptions {
  /** Undefined: OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly model: string
  readonly timeoutMs: number
  readonly retries: number
}

export interface Machine {
  readonly files: Files
  readonly outside: OutsideFiles
  readonly lock: Lock
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
  readonly openTokenizer: OpenTokenizer
  /** The engine that `openTokenizer` will use, known without opening it. */
  readonly tokenEngineOf: (source: string) => 'wasm' | 'js'
  readonly openChat: (options: ChatModelOptions) => ChatModel
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly pid: number
}
