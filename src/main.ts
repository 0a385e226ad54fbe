/** Wires ports to adapters and picks a surface. */
import process from 'node:process'
import manifest from '../package.json' with { type: 'json' }
import { diskFiles } from './adapters/disk-files.ts'
import { openHuggingFaceTokenizer } from './adapters/hugging-face-tokenizer.ts'
import { openChatModel } from './adapters/openai-chat.ts'
import { outsideFiles } from './adapters/outside-files.ts'
import { sqliteLock } from './adapters/sqlite-lock.ts'
import { openIds, sha256Digest, systemClock } from './adapters/system.ts'
import type { Machine } from './app/machine.ts'
import { runCommand } from './surfaces/cli.ts'
import { EXIT } from './surfaces/exit-codes.ts'

const machine: Machine = {
  files: diskFiles,
  outside: outsideFiles,
  lock: sqliteLock,
  clock: systemClock,
  ids: openIds(systemClock),
  digest: sha256Digest,
  openTokenizer: openHuggingFaceTokenizer,
  tokenEngineOf: () => 'js',
  openChat: (options) => openChatModel({ ...options, clock: systemClock }),
  environment: process.env,
  pid: process.pid,
}

const interruption = new AbortController()
process.on('SIGINT', () => {
  // The first one stops after the current durable step, a second one at once.
  if (interruption.signal.aborted) process.exit(EXIT.interrupted)
  interruption.abort()
})
process.on('SIGTERM', () => interruption.abort())
process.stdout.on('error', () => process.exit(EXIT.failed))

const colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb'
process.exitCode = await runCommand(
  process.argv.slice(2),
  machine,
  {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    colour,
    signal: interruption.signal,
  },
  manifest.version,
)
