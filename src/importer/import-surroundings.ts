/** What an import needs of the world around it. */

import type { LoopBounds } from '../agent/agent-loop.ts'
import type { AgentTool } from '../agent/agent-tool.ts'
import type { ExperienceWriter } from '../experiences/experience-writer.ts'
import type { WrittenViews } from '../experiences/intent-completion.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { TokenLimits } from '../model/token-limits.ts'
import type { ChatModel, OutsideFiles, Tokenizer, TokenizerIdentity } from '../ports.ts'
import type { EmbeddingProgress } from '../search/supply-progress.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts, WritableWorkspace } from '../workspace/workspace.ts'
import type { WrittenExperience } from './import-result.ts'
import type { Redactor } from './redaction/redactor.ts'

/** One segment's right to write experiences. */
export interface ExtractionRun {
  readonly writer: ExperienceWriter
  /** Workspace path of the run's own trajectory. */
  readonly trajectory: string
  readonly segmentIndex: number
  /** Null when nothing is masked. */
  readonly redactor: Redactor | null
}

export interface ImportProgress {
  readonly requestId: string
  readonly segmentNumber: number
  /** Null while unknown. */
  readonly segmentCount: number | null
  /** Of the log, how much is behind, 0…1. */
  readonly share: number
  readonly tokens: number
  readonly requests: number
  readonly experiences: number
}

/** What is being waited for while no segment ends. */
export interface ImportWaiting extends Pick<ImportProgress, 'requestId' | 'segmentNumber' | 'share' | 'requests'> {
  /** A model's reply, or what failed and passed in a log that is read without one. */
  readonly waitsFor: { readonly model: string } | 'evidence'
}

/** What a long operation may tell and be told meanwhile. */
export interface Running {
  readonly progress: (step: ImportProgress | ImportWaiting | EmbeddingProgress) => void
  /** Tells the person something beside the answer, each sentence once. */
  readonly say: (notice: string) => void
  /** Tells what is waited for, as often as it is. */
  readonly onWait: (sentence: string) => void
  /** Lets signals and timers have their turn between two pieces of long work. */
  readonly yieldToSignals: () => Promise<void>
  readonly signal: AbortSignal
  /** The tools of the extraction agent for one segment. */
  readonly toolsFor: (run: ExtractionRun) => Promise<readonly AgentTool[]>
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
  /** Makes the workspace if need be and takes its lock; the same one at each call. */
  readonly openWorkspace: () => Promise<WritableWorkspace>
  readonly views: WrittenViews
  readonly learning: LearningRecord
}

const RESUME = 'resume to go on where it stopped'

/** Between two pieces of work. Throws `interrupted` when the person wants to stop. @param advice the next step */
export async function throwIfInterrupted(
  { yieldToSignals, signal }: Pick<Running, 'yieldToSignals' | 'signal'>,
  advice = RESUME,
): Promise<void> {
  await yieldToSignals()
  if (signal.aborted) throw interrupted(advice)
}

export function interrupted(advice = RESUME): MemoryError {
  return new MemoryError('interrupted', `interrupted; ${advice}`)
}
