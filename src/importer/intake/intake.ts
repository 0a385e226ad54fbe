/** What kind of text a file holds, and whether it is what its name says. */

import { jsonFault } from '../../model/json-grammar.ts'
import { MemoryError } from '../../model/memory-error.ts'
import type { OnMalformed } from '../import-request.ts'
import { type DecodedText, decodeText } from './decoding.ts'
import type { TrajectoryFormat } from './trajectory-format.ts'

export interface Intake extends DecodedText {
  readonly format: TrajectoryFormat
}

const FORMATS: ReadonlyMap<string, TrajectoryFormat> = new Map([
  ['txt', 'text'],
  ['text', 'text'],
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['log', 'log'],
  ['json', 'json'],
  ['jsonl', 'jsonl'],
  ['ndjson', 'jsonl'],
])

/**
 * @param name decides by its extension; an unknown one is decided by the content
 * Throws `unsupported_format`, and `malformed_input` with the line unless `onMalformed` is `text`.
 */
export function readIntake(name: string, bytes: Uint8Array, onMalformed: OnMalformed): Intake {
  const decoded = decodeText(bytes)
  const extension = /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
  const promised = extension === undefined ? 'text' : FORMATS.get(extension)
  if (promised === undefined) return { ...decoded, format: formatByContent(decoded) }
  if (promised !== 'json' && promised !== 'jsonl') return { ...decoded, format: promised }
  const lineNumber = malformedLine(promised, decoded)
  if (lineNumber === null) return { ...decoded, format: promised }
  if (onMalformed === 'text') return { ...decoded, format: 'text' }
  throw new MemoryError(
    'malformed_input',
    `${name}, line ${lineNumber}: not valid ${promised === 'json' ? 'JSON' : 'JSONL'}`,
    { line: lineNumber },
  )
}

function formatByContent(decoded: DecodedText): TrajectoryFormat {
  if (decoded.text.trim() === '') return 'text'
  if (malformedLine('json', decoded) === null) return 'json'
  return malformedLine('jsonl', decoded) === null ? 'jsonl' : 'text'
}

/** The first line, from 1, that breaks the format; null when all is well. */
function malformedLine(format: 'json' | 'jsonl', decoded: DecodedText): number | null {
  const fault = format === 'json' ? jsonFault(decoded.text) : jsonLinesFault(decoded.text)
  // What is missing at the end is missing from the last line that holds something.
  const malformed = fault === -1 ? null : lineNumberAt(decoded.text, Math.min(fault, decoded.text.trimEnd().length))
  if (decoded.firstInvalidLine === null) return malformed
  return malformed === null ? decoded.firstInvalidLine : Math.min(malformed, decoded.firstInvalidLine)
}

/** Like `jsonFault`, for one value a line; blank lines are allowed. */
function jsonLinesFault(text: string): number {
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf('\n', start)
    const end = lineEnd === -1 ? text.length : lineEnd
    if (!isBlank(text, start, end)) {
      const fault = jsonFault(text, start, end)
      if (fault !== -1) return fault === end ? end - 1 : fault
    }
    start = end + 1
  }
  return -1
}

function isBlank(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d) return false
  }
  return true
}

function lineNumberAt(text: string, offset: number): number {
  let lineNumber = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < offset; i = text.indexOf('\n', i + 1)) lineNumber++
  return lineNumber
}
