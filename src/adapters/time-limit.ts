/** Ends work when its time is up. Knows times; knows nothing of what is worked on. */
import type { TimeLimit } from '../ports.ts'
import { type sleep, TIMER_MS_MAX } from './retry-delay.ts'

export interface Limits {
  readonly timeLimit: TimeLimit | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * @param work is given a signal that is aborted with the limit's error once its time is up, and when the outer one is
 */
export async function withinLimits<T>(
  { timeLimit, signal }: Limits,
  timer: typeof sleep,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (timeLimit === undefined) return work(signal)
  const limit = new AbortController()
  const worked = new AbortController()
  const timed = timer(Math.min(timeLimit.ms, TIMER_MS_MAX), worked.signal).then(() => limit.abort(timeLimit.error))
  try {
    return await work(signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]))
  } finally {
    worked.abort()
    await timed
  }
}
