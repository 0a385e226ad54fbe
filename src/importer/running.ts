/** What long work tells while it runs, and how it is stopped. */
import { MemoryError } from '../model/memory-error.ts'
import type { EmbeddingProgress } from '../search/supply-progress.ts'

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
