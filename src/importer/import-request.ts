/** What an import is asked for, and what it needs to do it. */
import type { ExperienceWriter } from '../experiences/experience-writer.ts'
import type { TokenLimits } from '../model/token-limits.ts'
import type { ChatModel, OpenTokenizer, OutsideFiles } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts, WritableWorkspace } from '../workspace/workspace.ts'
import type { LoopBounds } from './extraction/agent-loop.ts'
import type { ExtractionTool } from './extraction/extraction-tool.ts'
import type { OnMalformed } from './intake.ts'
import type { Redactor } from './redaction.ts'

export type Extractor = 'llm' | 'offline'

export interface ImportRequest {
  /** As the person gave it; null to continue by id alone. */
  readonly file: string | null
  readonly filename: string | null
  readonly requestId: string | null
  readonly sourceId: string | null
  readonly memoryHint: string | null
  /** Null: the one it began with, else a model where one is configured. */
  readonly extractor: Extractor | null
  readonly onMalformed: OnMalformed
  /** Most model calls for this import in all its runs together; null for no cap. */
  readonly maxRequests: number | null
  readonly redact: boolean
}

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
  readonly tokens: number
  readonly requests: number
  readonly experiences: number
}

export interface ImportSetting {
  readonly ports: WorkspacePorts
  readonly layout: Layout
  readonly outside: OutsideFiles
  readonly bytesMax: number
  readonly limits: TokenLimits
  readonly bounds: LoopBounds
  /** Configured name of the tokenizer, and how to open it. */
  readonly tokenizerSource: string
  readonly openTokenizer: OpenTokenizer
  readonly hasModel: boolean
  /** Throws `llm_unavailable` when no model is configured. */
  readonly openChat: () => ChatModel
  /** Makes the workspace if need be and takes its lock; the same one at each call. */
  readonly openWorkspace: () => WritableWorkspace
  /** Brings both search views in step with the files. */
  readonly index: () => void
  readonly toolsFor: (run: ExtractionRun) => readonly ExtractionTool[]
  readonly progress: (step: ImportProgress) => void
  /** Tells the person something beside the answer. */
  readonly say: (notice: string) => void
  /** Lets signals and timers have their turn between two pieces of long work. */
  readonly breathe: () => Promise<void>
  readonly signal: AbortSignal
}
