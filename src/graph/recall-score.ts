/**
 * How a recalled memory is weighed. In docs/recall.md with its reasons:
 *
 *     relevance = match + (1 - match) * link
 *     score     = relevance * (1 + quality) / 2
 *
 * `match` is how well the query found it, `link` the strongest way from what the query found, `quality` what the memory
 * says of itself. All are 0…1.
 */
import { counted } from '../model/counted.ts'
import type { NodeAnswer } from './nodes.ts'
import type { MemoryKind } from './schema.ts'
import type { PropertyValue } from './values.ts'

const DAY_MS = 86_400_000
/** Of an event; of knowledge, which ages slower. */
const EVENT_HALF_LIFE_DAYS = 30
const KNOWLEDGE_HALF_LIFE_DAYS = 365
/** Uses after which half of what use can tell is told. */
const USE_HALF = 8
/** What is missing of the weight of use before the first one. */
const UNUSED_SHARE = 0.5
/** What is not known is neither good nor bad. */
const UNKNOWN = 0.5

const PRIORITY: Readonly<Record<string, number>> = { low: 0.25, medium: 0.5, high: 0.75, critical: 1 }
const STATUS: Readonly<Record<string, number>> = { triggered: 1, pending: 0.75, completed: 0.1, expired: 0.1 }

export interface Weighed {
  /** 0…1 */
  readonly quality: number
  /** What of it counted, in words. */
  readonly reasons: readonly string[]
}

export function scoreOf(match: number, link: number, quality: number): number {
  const relevance = match + (1 - match) * link
  return (relevance * (1 + quality)) / 2
}

/** @param activation of working memory, as it is now */
export function weighed(kind: MemoryKind, memory: NodeAnswer, atMs: number, activation: number): Weighed {
  switch (kind) {
    case 'episodic':
      return mean(
        [number(memory.importance_score), `importance ${String(memory.importance_score)}`, memory.importance_score],
        [recency(memory.timestamp, atMs, EVENT_HALF_LIFE_DAYS), `of ${String(memory.timestamp).slice(0, 10)}`, true],
      )
    case 'semantic':
      return mean(
        [number(memory.confidence_score), `confidence ${String(memory.confidence_score)}`, memory.confidence_score],
        [
          recency(memory.last_updated, atMs, KNOWLEDGE_HALF_LIFE_DAYS),
          `updated ${String(memory.last_updated).slice(0, 10)}`,
          true,
        ],
      )
    case 'procedural':
      return weighedProcedure(memory)
    case 'prospective':
      return weighedIntention(memory)
    case 'working':
      return mean([activation, `activation ${activation.toFixed(2)}`, true])
  }
}

/** What is over matters little, however important it was. */
function weighedIntention({ priority, status }: NodeAnswer): Weighed {
  const importance = PRIORITY[String(priority)] ?? UNKNOWN
  return {
    quality: (STATUS[String(status)] ?? UNKNOWN) * (0.5 + 0.5 * importance),
    reasons: [`priority ${String(priority)}`, String(status)],
  }
}

/** Few uses say little: as if there had been one more success and one more failure. */
function weighedProcedure({ success_rate, usage_count }: NodeAnswer): Weighed {
  const uses = Number(usage_count)
  const use = 1 - UNUSED_SHARE * 2 ** (-uses / USE_HALF)
  if (typeof success_rate !== 'number')
    return {
      quality: 0.7 * UNKNOWN + 0.3 * use,
      reasons: [uses === 0 ? 'not used yet' : `used ${counted(uses, 'time')}`],
    }
  const successes = Math.round(success_rate * uses)
  return {
    quality: (0.7 * (successes + 1)) / (uses + 2) + 0.3 * use,
    reasons: [`${Math.round(success_rate * 100)} % success`, `used ${counted(uses, 'time')}`],
  }
}

/** Of 0…1 each, with its reason if there is something to tell. */
function mean(
  ...parts: readonly (readonly [value: number, reason: string, told: PropertyValue | true | undefined])[]
): Weighed {
  const quality = parts.reduce((sum, [value]) => sum + value, 0) / parts.length
  return {
    quality,
    reasons: parts.filter(([, , told]) => told !== null && told !== undefined).map(([, reason]) => reason),
  }
}

function number(value: PropertyValue | undefined, unknown = UNKNOWN): number {
  return typeof value === 'number' ? value : unknown
}

function recency(time: PropertyValue | undefined, atMs: number, halfLifeDays: number): number {
  const days = Math.max(0, atMs - Date.parse(String(time))) / DAY_MS
  return 2 ** (-days / halfLifeDays)
}
