/** The lines of an output that are judged: what its program said, without what others put in front of it. Judges nothing. */

const LINE_UNITS_MAX = 2_000
const HEAD_LINES = 500
const TAIL_LINES = 3_000

/** Lines that are looked at: all, or the first and last of a very long output, each up to LINE_UNITS_MAX. */
export function judgedLines(output: string): readonly string[] {
  return endLines(output).map(judgedLine)
}

/** Whether no line of an output is passed over for its length. */
export function isWhollyJudged(output: string): boolean {
  return output.split('\n').length <= HEAD_LINES + TAIL_LINES
}

/** How many characters a judged line lacks at its end; only those that were cut are named. */
export function unitsCut(output: string): ReadonlyMap<string, number> {
  const long = endLines(output).filter((line) => line.length > LINE_UNITS_MAX)
  return new Map(long.map((line) => [judgedLine(line).trimEnd(), line.length - LINE_UNITS_MAX]))
}

/** Whether a program died while it waited for an answer. */
export function diedAsking(output: string): boolean {
  return endLines(output).some((line) => questionUnits(line.slice(0, LINE_UNITS_MAX)) > 0)
}

function judgedLine(line: string): string {
  const own = line.slice(0, LINE_UNITS_MAX).replace(LINE_PREFIX, '')
  return own.slice(questionUnits(own))
}

/** How much of a line a program asked before it died without ending it; 0 of any other line. */
function questionUnits(line: string): number {
  const asked = ASKED.exec(line)?.[0] ?? ''
  return LOGGED.test(asked) ? 0 : asked.length
}

function endLines(output: string): readonly string[] {
  const lines = output.split('\n')
  return lines.length <= HEAD_LINES + TAIL_LINES ? lines : [...lines.slice(0, HEAD_LINES), ...lines.slice(-TAIL_LINES)]
}

// What is not the program's: a time in front, the step and seconds of a Docker build, the box around Terraform's errors.
const LINE_PREFIX =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:UTC )?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+|#\d+ (?:\d+\.\d+ )?|[│┃╷╵] ?)/

const ASKED =
  /^[^"'`]{0,120}?[:?>] ?(?=Traceback \(most recent call last\):$|Exception in thread "|thread '[^']{0,200}' (?:\(\d+\) )?panicked at |Segmentation fault(?: \(core dumped\))?$)/
// A word of these in front is a log's, which may tell of another program.
const LOGGED = /\b(?:errors?|exceptions?|warn(?:ing)?|info|debug|critical|trace|log|ignored)\b/i
