/** The ports of the machine a program runs on, as `main` wires them. */
import type {
  ChatModel,
  Clock,
  Digest,
  Embedder,
  Files,
  Ids,
  Kernel,
  Lock,
  OpenTokenizer,
  OutsideFiles,
} from '../ports.ts'

export interface ChatModelOptions {
  /** Undefined: OpenAI's own. */
  readonly baseUrl: string | undefined
  readonly apiKey: string | undefined
  readonly model: string
  readonly timeoutMs: number
  readonly retries: number
}

export interface EmbedderOptions {
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

/** The file system that a path lies on. */
export interface Volume {
  /** For this user. */
  readonly freeBytes: number
  /** Name of its protocol when it is another machine's; null when it is none, or not known as one. */
  readonly network: string | null
}

export interface TrustedCertificates {
  readonly builtIn: number
  /** Null where the runtime does not tell. */
  readonly ofSystem: number | null
  /** Named by the environment, and not there. */
  readonly missingFiles: readonly { readonly variable: string; readonly path: string }[]
}

export interface Machine {
  readonly files: Files
  readonly outside: OutsideFiles
  readonly lock: Lock
  readonly clock: Clock
  readonly ids: Ids
  readonly openDigest: () => Promise<Digest>
  readonly openTokenizer: OpenTokenizer
  /** The engine that `openTokenizer` will use, known without opening it. */
  readonly tokenEngineOf: (source: string) => 'wasm' | 'js'
  readonly openChat: (options: ChatModelOptions) => Promise<ChatModel>
  readonly openEmbedder: (options: EmbedderOptions) => Promise<Embedder>
  readonly openKernel: () => Promise<Kernel>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly isRunning: (pid: number) => boolean
  /** Null where the system does not tell. */
  readonly volumeOf: (path: string) => Promise<Volume | null>
  readonly trustedCertificates: () => Promise<TrustedCertificates>
}
