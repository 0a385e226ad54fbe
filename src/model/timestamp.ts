/** Moments as people and other programs write them. Without a zone they are UTC, as in the databases they come from. */

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

export const TIMESTAMP_FORM = 'a date or time such as 2026-01-02, 2026-01-02T03:04:05Z or 2026-01-02 03:04:05.678+01:00'

/** @returns epoch milliseconds, what is finer dropped; null for what is no moment of the years 1 to 9999 */
export function parseTimestamp(text: string): number | null {
  const found = TIMESTAMP.exec(text.trim())
  if (found === null) return null
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = found
  const moment = new Date(0)
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const isDay = moment.getUTCMonth() === Number(month) - 1 && moment.getUTCDate() === Number(day)
  const offset = zoneMinutes(zone)
  if (!isDay || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || offset === null) return null
  moment.setUTCHours(Number(hour), Number(minute) - offset, Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)))
  const ofYear = moment.getUTCFullYear()
  return ofYear >= 1 && ofYear <= 9999 ? moment.getTime() : null
}

/** Minutes east of Greenwich; null for none there is. */
function zoneMinutes(zone: string): number | null {
  if (/^z$/i.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 14 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
