/** A whole machine in memory, with everything a test may want to look at or change. */

import { tooLarge } from '../../src/adapters/file-fault.ts'
import { openStaticEmbedder } from '../../src/adapters/static-embeddings.ts'
import type { EmbedderOptions, Machine } from '../../src/app/machine.ts'
import { OpenedWorkspace } from '../../src/app/opened-workspace.ts'
import { runOperation } from '../../src/app/operation.ts'
import { OPERATIONS, operationContext } from '../../src/app/operation-table.ts'
import type { Running } from '../../src/importer/running.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { AskService } from '../../src/model/service-question.ts'
import { BUILTIN_TOKENIZER } from '../../src/model/tokenizer-source.ts'
import type {
  ChatModel,
  Embedder,
  Ids,
  OpenCypherEngine,
  OutsideFiles,
  TrustedCertificates,
  Volume,
} from '../../src/ports.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { CountingIds } from './counting-ids.ts'
import { digest } from './digest.ts'
import { FakeEmbedder } from './fake-embedder.ts'
import { FakePrivateLines } from './fake-private-lines.ts'
import { FixedClock } from './fixed-clock.ts'
import { databasesBeside } from './memory-databases.ts'
import { MemoryFiles } from './memory-files.ts'
import { MemoryLock } from './memory-lock.ts'
import { type ChatStep, ScriptedChat } from './scripted-chat.ts'
import { type FileCall, watchedFiles } from './watched-files.ts'
import { wordTokenizer } from './word-tokenizer.ts'

export const ROOT = '/home/dev/.knowhow'

export class FakeMachine implements Machine {
  readonly files: MemoryFiles
  readonly lock = new MemoryLock()
  readonly clock = new FixedClock()
  readonly ids: Ids
  readonly digest = digest
  readonly outside: OutsideFiles
  readonly pid = 4711
  readonly isRunning = (pid: number) => this.running.has(pid)
  /** Processes there are, this one among them. */
  readonly running = new Set([this.pid])
  environment: Record<string, string> = {}
  /** So that there is no embedder unless a test asks for one. */
  hasBuiltinEmbedder = false
  tokenizer = wordTokenizer
  chat: ChatModel = new ScriptedChat([])
  embedder = new FakeEmbedder()
  openBuiltin: () => Promise<Embedder> = async () => this.embedder
  /** Told of each call that the program makes of the disk; may throw in its place. */
  watcher: ((call: FileCall) => void) | null = null
  /** As the latest import has told. */
  segmentsDone = 0
  volume: Volume | null = { freeBytes: 10 ** 10, network: null }
  certificates: TrustedCertificates = { builtIn: 100, ofSystem: 100, missingFiles: [] }
  /** How the embedder was opened, each time. */
  readonly opened: EmbedderOptions[] = []
  /** Why it cannot be opened; null when it can. */
  openingFault: MemoryError | null = null

  /**
   * @param files what an earlier process of this machine has left
   * @param ids   others than that process made
   */
  constructor(files = new MemoryFiles(), ids: Ids = new CountingIds()) {
    this.files = files
    this.ids = ids
    this.outside = outsideFilesOver(files)
  }

  readonly openDigest = async () => this.digest
  readonly openTokenizer = async () => this.tokenizer
  /** Each other name is another tokenizer. */
  readonly identifyTokenizer = async (source: string) => ({
    name: source,
    id: () => (source === BUILTIN_TOKENIZER ? this.tokenizer.id : source),
  })
  readonly tokenEngineOf = async () => 'js' as const
  readonly openChat = async () => this.chat
  readonly openEmbedder = async (options: EmbedderOptions) => {
    this.opened.push(options)
    if (this.openingFault !== null) throw this.openingFault
    // Its files are on the real disk, whatever else is in memory.
    if (options.backend === 'static') return openStaticEmbedder({ ...options, digest, clock: this.clock })
    return options.backend === 'builtin' ? this.openBuiltin() : this.embedder
  }
  readonly openKernel = async () => plainKernel
  readonly loadDatabase = async () => databasesBeside(this.files)
  /** As of a program that was built without one. */
  openCypherEngine: OpenCypherEngine = async () => {
    throw new MemoryError('engine_unavailable', 'it is not built in', { isMissing: true })
  }
  readonly ownProgram = async () => ['/opt/knowhow'] as const
  /** As of a service that nobody runs. */
  askService: AskService = async ({ url }) => {
    throw new MemoryError('service_unavailable', `no service answers at ${url}`)
  }
  readonly privateLines = new FakePrivateLines()
  readonly openPrivateLines = async () => this.privateLines
  readonly volumeOf = async () => this.volume
  readonly trustedCertificates = async () => this.certificates

  /** Gives the extraction a model that plays these steps. */
  script(...steps: readonly ChatStep[]): ScriptedChat {
    const chat = new ScriptedChat(steps)
    this.environment.LLM_MODEL_NAME = 'scripted'
    this.chat = chat
    return chat
  }

  /** What the next process would open. */
  open(): OpenedWorkspace {
    const machine = this.watcher === null ? this : this.#watched(this.watcher)
    return new OpenedWorkspace(machine, { root: ROOT, configPath: null, command: 'test' })
  }

  #watched(watcher: (call: FileCall) => void): Machine {
    const files = watchedFiles(this.files, watcher)
    return Object.create(this, { files: { value: files } })
  }

  /** Runs one operation by its name in a process of its own. */
  async run<O = Record<string, unknown>>(
    name: string,
    input: unknown,
    say: (notice: string) => void = () => {},
  ): Promise<O> {
    const operation = OPERATIONS.find((candidate) => candidate.name === name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    using workspace = this.open()
    const quiet = {
      progress: (step: Parameters<Running['progress']>[0]) => {
        if ('segmentCount' in step) this.segmentsDone = step.segmentNumber
      },
      say,
      yieldToSignals: async () => {},
      signal: new AbortController().signal,
    }
    return (await runOperation(operation, operationContext(workspace, quiet), input)) as O
  }

  /** Writes settings into the workspace. */
  configure(settings: unknown): void {
    this.files.write(`${ROOT}/knowhow.json`, JSON.stringify(settings))
  }
}

function outsideFilesOver(files: MemoryFiles): OutsideFiles {
  return {
    absolutePath: (path) => (path.startsWith('/') ? path : `/home/dev/${path}`),
    realPath: (path) => path,
    read: (path, bytesMax) => {
      const found = files.stat(path)
      if (found === null) throw new MemoryError('not_found', `${path} does not exist`)
      if (found.kind !== 'file') throw new MemoryError('not_a_file', `${path} is not a regular file`)
      if (found.bytes > bytesMax) throw tooLarge(path, found.bytes, bytesMax)
      return files.read(path) ?? new Uint8Array()
    },
  }
}
