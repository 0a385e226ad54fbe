/** Signs of life of a long supply: at its begin, now and then, and at its end. */
import type { Clock } from '../ports.ts'

const PROGRESS_STEP_MS = 2_000

export interface EmbeddingProgress {
  /** Embedded or refused. */
  readonly textsDone: number
  readonly textsOwed: number
}

/** @returns what is to be told of each number of texts done */
export function progressTeller(
  clock: Clock,
  textsOwed: number,
  tell: (step: EmbeddingProgress) => void,
): (texts: number) => void {
  let textsDone = 0
  let toldMs = Number.NEGATIVE_INFINITY
  const advance = (texts: number) => {
    textsDone += texts
    const nowMs = clock.now()
    if (textsDone < textsOwed && nowMs - toldMs < PROGRESS_STEP_MS) return
    toldMs = nowMs
    tell({ textsDone, textsOwed })
  }
  if (textsOwed > 0) advance(0)
  return advance
}
