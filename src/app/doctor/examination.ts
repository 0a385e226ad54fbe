/** Looks at everything that a run relies on, and changes nothing. */
import type { Running } from '../../importer/import-surroundings.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { WorkspacePorts } from '../../workspace/workspace.ts'
import type { IndexState } from '../index-state.ts'
import type { ChatModelOptions, Machine } from '../machine.ts'
import type { EmbedderSetup, ServerSetup } from '../model-servers.ts'
import type { Check } from './check.ts'
import { clockCheck, serverChecks } from './server-checks.ts'
import { storageChecks } from './storage-checks.ts'

export interface Examined {
  readonly machine: Machine
  readonly ports: WorkspacePorts
  readonly layout: Layout
  /** As configured. */
  readonly tokenizer: string
  readonly chat: ServerSetup<ChatModelOptions>
  readonly embedder: EmbedderSetup
  readonly indexState: () => Promise<IndexState>
  readonly running: Pick<Running, 'yieldToSignals' | 'signal'>
}

export interface Examination {
  readonly ok: boolean
  readonly checks: readonly Check[]
}

/** Throws `interrupted`. */
export async function examine(examined: Examined): Promise<Examination> {
  const checks = [...(await storageChecks(examined)), ...(await serverChecks(examined)), await clockCheck(examined)]
  return { ok: checks.every(({ ok }) => ok), checks }
}
