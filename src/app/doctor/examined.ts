/** What a check may look at. */
import type { Running } from '../../importer/running.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { WorkspacePorts } from '../../workspace/workspace.ts'
import type { IndexState } from '../index-state.ts'
import type { ChatModelOptions, Machine } from '../machine.ts'
import type { EmbedderSetup, ServerSetup } from '../model-servers.ts'
import type { WorkspaceTokenizer } from '../workspace-tokenizer.ts'

export interface Examined {
  readonly machine: Machine
  readonly ports: WorkspacePorts
  readonly layout: Layout
  readonly tokenizer: WorkspaceTokenizer
  readonly chat: ServerSetup<ChatModelOptions>
  /** See `whyNoModel`. */
  readonly whyNoModel: string | null
  readonly embedder: EmbedderSetup
  /** What of the memory graph is not as it should be; changes nothing. */
  readonly memoryProblems: () => Promise<readonly string[]>
  readonly indexState: () => Promise<IndexState>
  readonly running: Pick<Running, 'yieldToSignals' | 'signal' | 'onWait'>
}
