/** How long one whole talk with a model may take. */
import { MemoryError } from '../model/memory-error.ts'
import type { Clock, TimeLimit } from '../ports.ts'

/** Starts now. @param sentence what a person reads when the time is up */
export function talkTimer(clock: Clock, limitMs: number, sentence: string): () => TimeLimit {
  const untilMs = clock.now() + limitMs
  return () => {
    const error = new MemoryError('llm_unavailable', sentence)
    const ms = untilMs - clock.now()
    if (ms <= 0) throw error
    return { ms, error }
  }
}
