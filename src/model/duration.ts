/** Lengths of time as people write them. */

const DURATION = /^(\d{1,9})(s|m|h|d|w)$/
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

export const DURATION_FORM = 'a whole number and a unit, such as 90m, 12h, 1d or 2w (0 for none)'

/** @returns milliseconds; null for what is no duration */
export function parseDuration(text: string): number | null {
  const [, count = '', unit = ''] = DURATION.exec(text.trim()) ?? []
  if (count === '') return /^0+$/.test(text.trim()) ? 0 : null
  return Number(count) * (UNIT_MS[unit] ?? 0)
}
