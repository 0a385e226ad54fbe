/** A tool's answer as text: what was printed, and what it says of its own outcome when it is JSON or tagged. */
import { tellsError } from './error-record.ts'
import { asRecord, contentText, fieldOf, listField, parsedValue, textField } from './json-records.ts'
import { screenText } from './screen-text.ts'

export interface ToolOutput {
  readonly output: string
  readonly exitCode: number | null
  readonly errorFlag: boolean | null
  /** Whether it is a record of an error that names no exit code, whatever else the log says of the call. False when not given. */
  readonly isErrorRecord?: boolean
}

const EXIT_CODE_FIELDS = ['exit_code', 'exitCode', 'returncode', 'return_code', 'exit_status', 'exitStatus'] as const
const PASSED_STATUS = /^(?:ok|success|succeeded|completed)$/i

// mini-swe-agent: the first code is its own, what follows may be anything that was printed.
const CODE_TAG = /^\s*<returncode>(-?\d{1,10})<\/returncode>\s*/
const OUTPUT_TAGS = /^<output>\n?|(?:<\/output>\s*)$/g

// Claude Code's word for a call that could not be made; others pass it on. Group 1 is what it says.
const ERROR_TAG = /^\s*<tool_use_error>([\s\S]*?)(?:<\/tool_use_error>\s*)?$/

/** Reads what many agents wrap around the output of a command; an answer of any other form is the output itself. */
export function readToolOutput(content: unknown): ToolOutput {
  const text = typeof content === 'string' ? content : contentText(content)
  const [heading, code] = CODE_TAG.exec(text) ?? []
  if (heading !== undefined && code !== undefined)
    return {
      output: screenText(text.slice(heading.length).replace(OUTPUT_TAGS, '')),
      exitCode: Number(code),
      errorFlag: null,
    }
  const refusal = ERROR_TAG.exec(text)?.[1]
  if (refusal !== undefined)
    return { output: screenText(refusal), exitCode: null, errorFlag: true, isErrorRecord: true }
  const value = /^\s*\{/.test(text) ? asRecord(parsedValue(text)[0]) : asRecord(content)
  if (value === null) return { output: screenText(text), exitCode: null, errorFlag: null }
  const exitCode = exitCodeOf(value) ?? exitCodeOf(fieldOf(value, 'metadata'))
  const printed = [
    textField(value, 'stdout', 'output') ?? contentText(listField(value, 'content')),
    textField(value, 'stderr'),
    textField(value, 'error'),
  ]
    .filter((part) => part !== null && part !== '')
    .join('\n')
  // A record of a call that printed nothing is not what it printed.
  const isSilent = exitCode !== null && textField(value, 'stdout', 'output') !== null
  const errorFlag = errorFlagOf(value)
  return {
    output: screenText(printed === '' && !isSilent ? text : printed),
    exitCode,
    errorFlag,
    ...(errorFlag === true && exitCode === null ? { isErrorRecord: true } : {}),
  }
}

function exitCodeOf(value: unknown): number | null {
  for (const name of EXIT_CODE_FIELDS) {
    const code = fieldOf(value, name)
    if (typeof code === 'number' && Number.isInteger(code)) return code
    if (typeof code === 'string' && /^-?\d{1,10}$/.test(code)) return Number(code)
  }
  return null
}

function errorFlagOf(value: unknown): boolean | null {
  if (tellsError(value)) return true
  const good = fieldOf(value, 'success') ?? fieldOf(value, 'ok')
  const status = textField(value, 'status') ?? ''
  return good === true || PASSED_STATUS.test(status) ? false : null
}
