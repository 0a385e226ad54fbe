/** What an import needs of the world around it. */

import type { LoopBounds } from '../agent/agent-loop.ts'
import type { AgentTool } from '../agent/agent-tool.ts'
import type { ExperienceWriter } from '../experiences/experience-writer.ts'
import type { WrittenViews } from '../experiences/intent-completion.ts'
import type { TokenLimits } from '../model/token-limits.ts'
import type { ChatModel, OutsideFiles, Tokenizer, TokenizerIdentity } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts, WritableWorkspace } from '../workspace/workspace.ts'
import type { WrittenExperience } from './import-result.ts'
import type { Redactor } from './redaction/redactor.ts'
import type { Running } from './running.ts'

/** One segment's right to write experiences. */
export interface ExtractionRun {
  readonly writer: ExperienceWriter
  /** Workspace path of the run's own trajectory. */
  readonly trajectory: string
  readonly segmentIndex: number
  /** Null when nothing is masked. */
  readonly redactor: Redactor | null
}

/** Of an import that is about to be recorded as complete. */
export interface Learnt {
  readonly requestId: string
  /** As the import was told; null when it was told of none. */
  readonly session: string | null
  /** When it began, ISO 8601. */
  readonly begunAt: string
  readonly trajectory: string
  readonly experiences: readonly WrittenExperience[]
}

/** Where an import tells what it learnt, beside its own log. */
export interface LearningRecord {
  /** Throws `session_not_found` and `session_ended` for a session that cannot be told of a new import. */
  readonly admit: (session: string) => Promise<void>
  /** The same import may be told of again: it may be stopped between this and its own record. */
  readonly tell: (learnt: Learnt) => Promise<void>
}

export interface ImportSurroundings extends Running {
  readonly ports: WorkspacePorts
  readonly layout: Layout
  readonly outside: OutsideFiles
  readonly bytesMax: number
  readonly limits: TokenLimits
  readonly bounds: LoopBounds
  /** For the whole talk with a model about one segment. */
  readonly segmentTimeoutMs: number
  /** What is configured. */
  readonly tokenizer: TokenizerIdentity
  /** The same one at each call, or the same refusal. */
  readonly openTokenizer: () => Promise<Tokenizer>
  /** Why import extracts offline unless told otherwise; null when it asks a model. */
  readonly whyNoModel: string | null
  /** Throws `llm_unavailable` when no model is configured. */
  readonly requireModel: () => void
  readonly openChat: () => Promise<ChatModel>
  /** The tools of the extraction agent for one segment. */
  readonly toolsFor: (run: ExtractionRun) => Promise<readonly AgentTool[]>
  /** Makes the workspace if need be and takes its lock; the same one at each call. */
  readonly openWorkspace: () => Promise<WritableWorkspace>
  readonly views: WrittenViews
  readonly learning: LearningRecord
}
