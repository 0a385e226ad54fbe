/** What an operation is run with where nobody is told how far it is. */
import type { Running } from '../importer/running.ts'

export function yieldToSignals(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** @param say gets what the operation says beside its answer */
export function quietRunning(signal: AbortSignal, say: (sentence: string) => void): Omit<Running, 'onWait'> {
  return { progress: () => {}, say, yieldToSignals, signal }
}
