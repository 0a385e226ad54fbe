/** Wires ports to adapters and picks a surface. */
import process from 'node:process'
import manifest from '../package.json' with { type: 'json' }
import { builtinEmbedderPath } from './adapters/builtin-embedder-path.ts'
import { bunDigest } from './adapters/bun-digest.ts'
import { openIds, systemClock } from './adapters/clock-and-ids.ts'
import { isCypherEntry } from './adapters/cypher-entry.ts'
import { diskFiles } from './adapters/disk-files.ts'
import { outsideFiles } from './adapters/outside-files.ts'
import { isRunning } from './adapters/running-process.ts'
import { sqliteLock } from './adapters/sqlite-lock.ts'
import { isTerminal, readAll, writeAll } from './adapters/terminal.ts'
import type { EmbedderOptions, Machine } from './app/machine.ts'
import { invariant } from './model/memory-error.ts'
import type { Conversation } from './ports/conversation.ts'
import type { Embedder } from './ports.ts'
import { beginsWithVersion, versionText, wantsJson } from './surfaces/argv.ts'
import { EXIT } from './surfaces/exit-codes.ts'

// Loaded when they are needed: most commands count nothing, embed nothing and talk to nobody.
const openDigest = async () => bunDigest ?? (await import('./adapters/node-digest.ts')).nodeDigest

async function openEmbedder(options: EmbedderOptions): Promise<Embedder> {
  if (options.backend === 'openai')
    return (await import('./adapters/openai-embeddings.ts')).openOpenAIEmbedder({ ...options, clock: systemClock })
  if (options.backend === 'builtin') return openBuiltinEmbedder()
  const [{ openStaticEmbedder }, digest] = await Promise.all([import('./adapters/static-embeddings.ts'), openDigest()])
  return openStaticEmbedder({ ...options, digest, clock: systemClock })
}

async function openBuiltinEmbedder(): Promise<Embedder> {
  invariant(builtinEmbedderPath !== null, 'nobody opens what is not inside')
  const [{ InProcessEmbedder }, { fileRanges }, { builtinEmbedding }] = await Promise.all([
    import('./adapters/in-process-embedder.ts'),
    import('./adapters/file-ranges.ts'),
    import('./search/builtin-embedding.ts'),
  ])
  const { key, makeReady } = await builtinEmbedding(fileRanges(builtinEmbedderPath))
  return new InProcessEmbedder(key, systemClock, makeReady)
}

const machine: Machine = {
  files: diskFiles,
  outside: outsideFiles,
  lock: sqliteLock,
  clock: systemClock,
  ids: openIds(systemClock),
  openDigest,
  openTokenizer: async (source, options) =>
    (await import('./adapters/hugging-face-tokenizer.ts')).openHuggingFaceTokenizer(source, options),
  identifyTokenizer: async (source, options) =>
    (await import('./adapters/tokenizer-identity.ts')).tokenizerIdentity(source, options),
  tokenEngineOf: async (source, options) => (await import('./adapters/token-engine.ts')).tokenEngineOf(source, options),
  openChat: async (options) =>
    (await import('./adapters/openai-chat.ts')).openChatModel({ ...options, clock: systemClock }),
  hasBuiltinEmbedder: builtinEmbedderPath !== null,
  openEmbedder,
  openKernel: async () => {
    const [{ WasmKernel }, { plainKernel }] = await Promise.all([
      import('./adapters/wasm-kernel.ts'),
      import('./search/plain-kernel.ts'),
    ])
    return new WasmKernel(plainKernel)
  },
  loadDatabase: async () => (await import('./adapters/sqlite-database.ts')).openSqliteDatabase,
  openCypherEngine: async () => (await import('./adapters/cypher-engine.ts')).openCypherEngine(),
  ownProgram: async () => (await import('./adapters/own-program.ts')).ownProgram(),
  askService: async (question) => (await import('./adapters/service-client.ts')).askService(question),
  openPrivateLines: async () => (await import('./adapters/private-lines.ts')).privateLines,
  environment: process.env,
  pid: process.pid,
  isRunning,
  volumeOf: async (path) => (await import('./adapters/disk-volume.ts')).diskVolume(path),
  trustedCertificates: async () => (await import('./adapters/trusted-certificates.ts')).trustedCertificates(),
}

const interruption = new AbortController()
/** Of who goes on after an interruption; null where it ends the program. */
let onInterruption: (() => void) | null = null
process.on('SIGINT', () => {
  if (onInterruption !== null) {
    onInterruption()
    return
  }
  // The first one stops after the current durable step, a second one at once.
  if (interruption.signal.aborted) {
    writeAll(2, 'knowhow: stopped at once\n')
    process.exit(EXIT.interrupted)
  }
  interruption.abort()
})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort())

/** An answer that nobody gets is a failed command. */
function answer(text: string): void {
  const fault = writeAll(1, text)
  if (fault === null) return
  // A reader that went away, as `head` does, knows why.
  if (fault !== 'EPIPE') writeAll(2, `knowhow: the answer could not be written to standard output (${fault})\n`)
  process.exit(EXIT.failed)
}

async function takesColour(): Promise<boolean> {
  return (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb' && (await isTerminal(1))
}

async function drawsErrors(): Promise<boolean> {
  return process.env.TERM !== 'dumb' && (await isTerminal(2))
}

async function converse(): Promise<Conversation> {
  const { openConversation } = await import('./adapters/conversation.ts')
  return openConversation((listener) => {
    onInterruption = listener
  })
}

const argv = process.argv.slice(2)
const terminal = {
  out: answer,
  error: (text: string) => void writeAll(2, text),
  input: (bytesMax: number) => readAll(0, bytesMax),
  takesColour,
  drawsErrors,
  isAtTerminal: async () => (await isTerminal(0)) && (await isTerminal(1)),
  converse,
  signal: interruption.signal,
}
if (beginsWithVersion(argv)) answer(versionText(manifest.version, wantsJson(argv)))
else if (isCypherEntry(argv)) (await import('./adapters/cypher-process.ts')).runCypherProcess()
else {
  // Every other command needs the operation table, which the version should not wait for.
  const { runCommand } = await import('./surfaces/cli.ts')
  // All is written. To wait for what still is open, as connections to a model server, only costs time.
  process.exit(await runCommand(argv, machine, terminal, manifest.version))
}
