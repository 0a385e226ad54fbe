/** JSON values of a log and careful looks into them. Nothing here throws or trusts a shape. */
import { type Fields, isRecord } from '../../model/json-values.ts'
import type { TrajectoryFormat } from '../intake/trajectory-format.ts'

export type JsonRecord = Fields

/** Deeper levels of a value are written as `…`: no real tool call is this deep, and recursion must end. */
const STABLE_JSON_LEVELS_MAX = 100

/**
 * @returns the values of a JSON or JSONL text; lines that do not parse are skipped. A text of another format is read
 * the same way when it starts like JSON: an import may have been told to take broken JSONL as text.
 */
export function parseRecords(text: string, format: TrajectoryFormat): readonly unknown[] {
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (format === 'json') return parsedValue(plain)
  if (format !== 'jsonl' && !/^\s*[[{]/.test(plain.slice(0, 4096))) return []
  const lines = plain.split('\n')
  // A log may well start with `[12:00:01]` and hold lines that happen to be JSON.
  const isLines = format === 'jsonl' || parsedValue(lines.find((line) => /\S/.test(line)) ?? '').length > 0
  const values = isLines ? lines.flatMap(parsedValue) : []
  return values.length > 0 ? values : parsedValue(plain)
}

/** A list of one, or of none when `text` is not JSON. */
export function parsedValue(text: string): readonly unknown[] {
  if (!/\S/.test(text)) return []
  try {
    return [JSON.parse(text) as unknown]
  } catch {
    return [] // Not JSON: the caller decides what that means.
  }
}

export function asRecord(value: unknown): JsonRecord | null {
  return isRecord(value) ? value : null
}

/** An own field only: `constructor` and `toString` of every object are not data. */
export function fieldOf(value: unknown, name: string): unknown {
  const record = asRecord(value)
  return record !== null && Object.hasOwn(record, name) ? record[name] : undefined
}

export function textField(value: unknown, ...names: readonly string[]): string | null {
  for (const name of names) {
    const field = fieldOf(value, name)
    if (typeof field === 'string') return field
  }
  return null
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const field = fieldOf(value, name)
  return Array.isArray(field) ? field : []
}

/** The text of a message's content: a string, or the `text` parts of a list, one a line. Empty when there is none. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part) => (typeof part === 'string' ? [part] : (textField(part, 'text', 'input_text') ?? [])))
    .join('\n')
}

/** JSON with sorted keys and no spaces: equal values give equal texts. */
export function stableJson(value: unknown, level = 0): string {
  if (level > STABLE_JSON_LEVELS_MAX) return '…'
  if (Array.isArray(value)) return `[${value.map((item) => stableJson(item, level + 1)).join(',')}]`
  const record = asRecord(value)
  if (record === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(record)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${stableJson(record[name], level + 1)}`)
  return `{${fields.join(',')}}`
}
