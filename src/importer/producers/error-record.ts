/** Whether a record that a program or a tool answers with says that it failed: by its fields alone, in no words of any program. */
import { asRecord, fieldOf, parsedValue, textField } from './json-records.ts'

const FAILED_STATUS = /^(?:error|failed|failure)$/i
const FAILED_WORDS = ['error', 'errors'] as const
/** Where the answer is whether it went well. */
const GOOD = ['success', 'ok'] as const

/** `{"ok":false}`, `{"status":"failed"}`, `{"errors":["no such cart"]}`; an empty list or text of errors is none. */
export function tellsError(record: unknown): boolean {
  return (
    ['isError', 'is_error'].some((name) => fieldOf(record, name) === true) ||
    GOOD.some((name) => fieldOf(record, name) === false) ||
    FAILED_STATUS.test(textField(record, 'status') ?? '') ||
    FAILED_WORDS.some((name) => isFilled(fieldOf(record, name)))
  )
}

/** Whether a text is one JSON object, and no more, that tells of an error. */
export function isErrorRecord(text: string): boolean {
  return tellsError(recordIn(text))
}

const OFF = /^(?:cancell?ed|aborted|declined|rejected|interrupted|skipped)$/i

/** Whether a text is one JSON object, and no more, that tells that something was called off: neither an error nor a success. */
export function isCalledOffRecord(text: string): boolean {
  const record = recordIn(text)
  return (
    OFF.test(textField(record, 'status', 'state', 'result') ?? '') ||
    ['cancelled', 'canceled', 'aborted', 'declined'].some((name) => fieldOf(record, name) === true)
  )
}

function recordIn(text: string): unknown {
  const said = text.trim()
  return said.startsWith('{') && said.endsWith('}') ? asRecord(parsedValue(said)[0]) : null
}

function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (typeof value === 'number') return value > 0
  if (Array.isArray(value)) return value.length > 0
  const record = asRecord(value)
  return value === true || (record !== null && Object.keys(record).length > 0)
}
