/** Files of JSON lines: one object each, known by its line number. */
import { isRecord } from '../model/json-values.ts'

export interface JsonLine {
  /** From 1. */
  readonly line: number
  /** Without the blanks around it. */
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface LineFault {
  readonly line: number
  readonly error: string
}

export interface JsonLines {
  readonly lines: readonly JsonLine[]
  /** Lines that hold no JSON object. */
  readonly faults: readonly LineFault[]
}

const LINE_FEED = 10
/** What stood in the place of a byte that cannot be read would be remembered for ever. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true })

/** Blank lines are none. */
export function readJsonLines(bytes: Uint8Array): JsonLines {
  const lines: JsonLine[] = []
  const faults: LineFault[] = []
  let line = 0
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    const next = bytes.indexOf(LINE_FEED, start)
    end = next === -1 ? bytes.length : next
    line += 1
    const text = decoded(bytes.subarray(start, end))?.trim()
    if (text === '') continue
    if (text === undefined) {
      faults.push({ line, error: 'it is not valid UTF-8' })
      continue
    }
    const fields = parsed(text)
    if (isRecord(fields)) lines.push({ line, text, fields })
    else faults.push({ line, error: 'it is not one JSON object' })
  }
  return { lines, faults }
}

/** Null for what is not valid. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return UTF_8.decode(bytes)
  } catch {
    return null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
