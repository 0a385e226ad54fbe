/** The real machine, without a model: for tests that want real files, locks and token counts. */

import { openIds, systemClock } from '../../src/adapters/clock-and-ids.ts'
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { diskVolume } from '../../src/adapters/disk-volume.ts'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { nodeDigest } from '../../src/adapters/node-digest.ts'
import { outsideFiles } from '../../src/adapters/outside-files.ts'
import { ownProgram } from '../../src/adapters/own-program.ts'
import { privateLines } from '../../src/adapters/private-lines.ts'
import { isRunning } from '../../src/adapters/running-process.ts'
import { askService } from '../../src/adapters/service-client.ts'
import { openSqliteDatabase } from '../../src/adapters/sqlite-database.ts'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import { tokenizerIdentity } from '../../src/adapters/tokenizer-identity.ts'
import { trustedCertificates } from '../../src/adapters/trusted-certificates.ts'
import type { Machine } from '../../src/app/machine.ts'
import { OpenedWorkspace } from '../../src/app/opened-workspace.ts'
import { runOperation } from '../../src/app/operation.ts'
import { OPERATIONS, operationContext } from '../../src/app/operation-table.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { FakeEmbedder } from './fake-embedder.ts'
import { ScriptedChat } from './scripted-chat.ts'

export function diskMachine(): Machine {
  return {
    files: diskFiles,
    outside: outsideFiles,
    lock: sqliteLock,
    clock: systemClock,
    ids: openIds(systemClock),
    openDigest: async () => nodeDigest,
    openTokenizer: openHuggingFaceTokenizer,
    identifyTokenizer: tokenizerIdentity,
    tokenEngineOf: async () => 'js',
    openChat: async () => new ScriptedChat([]),
    hasBuiltinEmbedder: false,
    openEmbedder: async () => new FakeEmbedder(),
    openKernel: async () => plainKernel,
    loadDatabase: async () => openSqliteDatabase,
    openCypherEngine: async () => openCypherEngine(),
    ownProgram: async () => ownProgram(),
    askService,
    openPrivateLines: async () => privateLines,
    environment: {},
    pid: process.pid,
    isRunning,
    volumeOf: async (path) => diskVolume(path),
    trustedCertificates: async () => trustedCertificates(),
  }
}

/** Runs one operation as a process of its own would. */
export async function runOnDisk<O>(machine: Machine, root: string, name: string, input: unknown): Promise<O> {
  using workspace = new OpenedWorkspace(machine, { root, configPath: null, command: 'test' })
  return await runIn<O>(workspace, name, input)
}

/** Runs one operation as a process that keeps its workspace open would. */
export async function runIn<O>(workspace: OpenedWorkspace, name: string, input: unknown): Promise<O> {
  const operation = OPERATIONS.find((candidate) => candidate.name === name)
  if (operation === undefined) throw new Error(`no operation ${name}`)
  const quiet = {
    progress: () => {},
    say: () => {},
    yieldToSignals: async () => {},
    signal: new AbortController().signal,
  }
  return (await runOperation(operation, operationContext(workspace, quiet), input)) as O
}
