/** The ports of the machine a program runs on, as `main` wires them. */
import type { AskService } from '../model/service-question.ts'
import type { PrivateLines } from '../ports/private-lines.ts'
import type {
  ChatModel,
  Clock,
  Digest,
  Embedder,
  Files,
  Ids,
  Kernel,
  Lock,
  OpenCypherEngine,
  OpenDatabase,
  OpenTokenizer,
  OpenTokenizerOptions,
  OutsideFiles,
  Tokenizer,
  TokenizerIdentity,
  TrustedCertificates,
  Volume,
} from '../ports.ts'

export interface ChatModelOptions {
  /** Undefined: OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly model: string
  readonly timeoutMs: number
  readonly retries: number
}

/** An OpenAI-compatible server. */
export interface ServerEmbedderOptions {
  readonly backend: 'openai'
  /** Undefined: OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly model: string
  /** Null: whatever the model gives. */
  readonly dimensions: number | null
  /** Texts in one request. */
  readonly batchSize: number
  readonly timeoutMs: number
  readonly retries: number
}

/** A model that is computed in the process. */
export interface StaticEmbedderOptions {
  readonly backend: 'static'
  /** Path of its folder, or `BUILTIN_MODEL`. */
  readonly model: string
  /** Null: whatever the model has. */
  readonly dimensions: number | null
  /** Texts in one call. */
  readonly batchSize: number
}

/** The vectors of words inside the program. */
export interface BuiltinEmbedderOptions {
  readonly backend: 'builtin'
  /** Texts in one call. */
  readonly batchSize: number
}

export type EmbedderOptions = ServerEmbedderOptions | StaticEmbedderOptions | BuiltinEmbedderOptions

export interface Machine {
  readonly files: Files
  readonly outside: OutsideFiles
  readonly lock: Lock
  readonly clock: Clock
  readonly ids: Ids
  readonly openDigest: () => Promise<Digest>
  readonly openTokenizer: OpenTokenizer
  readonly identifyTokenizer: (source: string, options: OpenTokenizerOptions) => Promise<TokenizerIdentity>
  /** The engine that `openTokenizer` will use; null for a tokenizer that it will not open. */
  readonly tokenEngineOf: (source: string, options: OpenTokenizerOptions) => Promise<Tokenizer['engine'] | null>
  readonly openChat: (options: ChatModelOptions) => Promise<ChatModel>
  /** Whether the program was built with vectors of words inside. */
  readonly hasBuiltinEmbedder: boolean
  /** Throws `embedder_unavailable` and `invalid_config`. */
  readonly openEmbedder: (options: EmbedderOptions) => Promise<Embedder>
  readonly openKernel: () => Promise<Kernel>
  readonly loadDatabase: () => Promise<OpenDatabase>
  readonly openCypherEngine: OpenCypherEngine
  /** Executable and arguments that start this program once more; what is appended are its own arguments. */
  readonly ownProgram: () => Promise<readonly [string, ...string[]]>
  readonly askService: AskService
  readonly openPrivateLines: () => Promise<PrivateLines>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly isRunning: (pid: number) => boolean
  /** Null where the system does not tell. */
  readonly volumeOf: (path: string) => Promise<Volume | null>
  readonly trustedCertificates: () => Promise<TrustedCertificates>
}
