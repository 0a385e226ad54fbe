/** Lengths of time as people write them. */

const DURATION = /^(\d{1,9})(s|m|h|d|w)$/
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

export const DURATION_FORM = 'a whole number and a unit, such as 90m, 12h, 1d or 2w (0 for none), up to 1,000 years'

/** A thousand years: dates are reckoned with it. */
const MS_MAX = 1_000 * 365 * 86_400_000

/** @returns milliseconds; null for what is no duration, and for more than a thousand years */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = DURATION.exec(text.trim()) ?? []
  if (count === '') return /^0+$/.test(text.trim()) ? 0 : null
  const ms = Number(count) * (UNIT_MS[unit] ?? 0)
  return ms > MS_MAX ? null : ms
}
