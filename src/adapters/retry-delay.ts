/** How long to wait before a request is sent again, and the waiting. */

/** A longer timer fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1

const RETRY_DELAY_MS = 500
const RETRY_DELAY_MS_MAX = 30_000
/** A server that asks for more is asked again after this; its wish is then repeated or gone. */
export const RETRY_AFTER_MS_MAX = 60_000

/**
 * Doubles with each attempt (from 0); a quarter of it is chance, so that many clients do not return at once.
 * @param chance in [0, 1)
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | null, chance: number): number {
  if (retryAfterMs !== null && retryAfterMs > 0) return Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)
  const full = Math.min(RETRY_DELAY_MS * 2 ** attempt, RETRY_DELAY_MS_MAX)
  return Math.round(full * (1 - chance / 4))
}

/** Reads `Retry-After` (seconds or a date) and `retry-after-ms`; null when absent or unreadable. */
export function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(ms)) return Math.max(0, ms)
  const value = headers.get('retry-after')?.trim() ?? ''
  if (value === '') return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/** Resolves after `ms`, or at once when `signal` is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const wake = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal?.addEventListener('abort', wake)
  })
}
