/** The offline extractor: a log in, experiences out. No model, no network, no clock: the same text gives the same bytes. */

import { counted } from '../../model/counted.ts'
import type { LogInput } from '../producers/producer.ts'
import { PRODUCER_TITLES, type Reading, readRuns } from '../producers/recognition.ts'
import { composeExperience, type NamedExperience, type TextLimits } from './experience-text.ts'
import { type ExtractionStats, statsOf } from './extraction-stats.ts'
import { type Findings, type Fix, findFixes } from './fixes.ts'
import { fixMasking, type Mask, maskedExperience } from './masked-fix.ts'

export interface OfflineExtraction {
  /** Who wrote the log; null when nobody recognised it. */
  readonly producer: string | null
  /** In the order of the log, those of several logs last. No two have the same texts; names may repeat. */
  readonly experiences: readonly NamedExperience[]
  /** For the import's reply: what was found, or why nothing was. */
  readonly reason: string
  readonly stats: ExtractionStats
}

/** More than this from one log would drown what is there already; the first ones are kept and the rest is told. */
const EXPERIENCES_MAX = 500

/**
 * Never throws on any text.
 * @param input.text the whole decoded log, secrets masked as they are written there
 * @param mask masks those that only its reading shows; not given where nothing is masked
 */
export function extractOffline(input: LogInput, limits: TextLimits, mask: Mask = (text) => text): OfflineExtraction {
  const reading = readRuns(input)
  const findings = findFixes(reading.runs)
  const maskedFix = fixMasking(mask)
  const composed = new Map<string, NamedExperience>()
  for (const fix of findings.fixes.slice(0, EXPERIENCES_MAX)) {
    const experience = experienceOf(maskedFix(fix), limits, mask, input.path)
    // Two errors that differ only in what is not shown: a reader could not tell them apart. The later one stays.
    if (experience !== null) composed.set(`${experience.description}\u0000${experience['when-to-use']}`, experience)
  }
  // Writes are numbered in this order: where an earlier log is gone by the time an import goes on, those of the log at
  // hand keep their numbers.
  const isOfSeveral = ({ earlierLogPaths }: NamedExperience): number => Number(earlierLogPaths.length > 0)
  const experiences = [...composed.values()].sort((a, b) => isOfSeveral(a) - isOfSeveral(b))
  const reason = /\S/.test(input.text) ? reasonOf(reading, findings, experiences) : 'nothing learnt: the log is empty'
  return { producer: reading.producer, experiences, reason, stats: statsOf(reading, findings) }
}

/** Null when it is too long, as a mask may be longer than what it stands for. */
function experienceOf(fix: Fix, limits: TextLimits, mask: Mask, logPath?: string): NamedExperience | null {
  const composed = composeExperience(fix, limits, logPath)
  if (composed === null) return null
  const masked = maskedExperience(composed, mask)
  const isWithin =
    limits.count(masked.description) <= limits.description &&
    limits.count(masked['when-to-use']) <= limits.when_to_use &&
    limits.count(masked.content) <= limits.content
  return isWithin ? masked : null
}

function reasonOf(reading: Reading, findings: Findings, experiences: readonly NamedExperience[]): string {
  if (reading.producer === null)
    return `nothing learnt: without a model logs of these kinds are read: ${PRODUCER_TITLES.join(', ')}; this is none of them`
  const { stepCount, failureCount, fixes, retryCount, relapseCount, undoneCount, openCount } = findings
  if (stepCount === 0) return `nothing learnt: no tool calls in this log (read as ${reading.producer})`
  if (failureCount === 0 && fixes.length === 0)
    return `nothing learnt: no failure was recognised in ${counted(stepCount, 'call')}`
  const read = `${failureCount === 0 ? 'none' : failureCount} of ${counted(stepCount, 'call')} failed`
  const written = experiences.length
  if (written > 0) {
    const isCapped = fixes.length > EXPERIENCES_MAX
    const seen = isCapped ? fixes.length : written
    const rest = isCapped
      ? `; only the first ${EXPERIENCES_MAX} are kept per import`
      : written < fixes.length
        ? `; ${fixes.length - written} more left out, as they read the same or exceed the token limits`
        : ''
    const commands = seen === 1 ? '1 failing command was' : `${seen} failing commands were`
    return `${read}; ${commands} later seen passing${besidesOf(experiences)}${rest}`
  }
  if (fixes.length > 0)
    return `nothing learnt: ${read}, ${fixes.length} later passed, but no experience fits the token limits`
  const retried = retryCount === 0 ? '' : `; ${retryCount} passed when merely repeated`
  if (openCount > 0)
    return `nothing learnt: ${read}; the last command shows no clear sign of success and nothing follows it, so it does not count as passed${retried}`
  if (relapseCount > 0)
    return `nothing learnt: ${read}, and what passed after something was changed failed again later${retried}`
  if (undoneCount > 0)
    return `nothing learnt: ${read}, and what was changed before it passed was taken back later${retried}`
  const none = failureCount === 1 ? 'it was not' : 'none of them was'
  return `nothing learnt: ${read}, and ${none} later seen to pass after something was changed${retried}`
}

/** What comes from logs that were imported before. */
function besidesOf(experiences: readonly NamedExperience[]): string {
  const across = experiences.map(({ earlierLogPaths }) => earlierLogPaths).filter((paths) => paths.length > 0)
  const paths = [...new Set(across.flat())].sort()
  if (paths.length === 0) return ''
  const [first = ''] = paths
  const others = paths.length === 1 ? '' : ` and ${paths.length - 1} more`
  const some = across.length === experiences.length ? '' : `${across.length} of them `
  return `, ${some}compared with ${paths.length === 1 ? 'a log' : 'logs'} imported before: ${first}${others}`
}
