/** What failed, read from an output: its deciding lines for the eye, and a key that is the same on every machine and day. */
import { FAILURE_SIGNS, failureSignOf, type Telling } from '../producers/failure-signs.ts'
import { judgedLines, unitsCut } from '../producers/judged-lines.ts'
import { exitCodeIn, isExitLine } from '../producers/outcome.ts'
import type { Step } from '../producers/run.ts'
import { truncated, withoutNames } from '../producers/shown-text.ts'
import { commandParts } from './command-identity.ts'
import { isFrame, tellingLines } from './telling-lines.ts'

export interface ErrorSignature {
  /** What failed in the program's own words, the most telling first; two at most, at least one. */
  readonly headlines: readonly string[]
  /** The deciding lines as printed, in their order, without names of people. */
  readonly lines: readonly string[]
  /** Equal for the same error: the headlines without numbers. */
  readonly key: string
}

const EVIDENCE_LINES_MAX = 5
const LINE_UNITS_MAX = 300
/** Lines in front of a summary that stands alone: what it sums up, whatever it is. */
const CONTEXT_LINES = 2

/** By which `timeout` says that the time was over. */
export const TIME_OVER_CODE = 124

const known = new WeakMap<Step, ErrorSignature>()

/** The signature of a failed step; each is read once, though several fixes may tell of it. */
export function signatureOf(step: Step): ErrorSignature {
  const signature = known.get(step) ?? signatureRead(step)
  known.set(step, signature)
  return signature
}

function signatureRead({ output, exitCode, usual, command, shell }: Step): ErrorSignature {
  const said = errorSignature(output, exitCode, usual)
  const timeLimit = shell && exitCode === TIME_OVER_CODE ? commandParts(command).timeLimit : null
  // It was stopped: whatever it had said until then is not how it ended.
  return timeLimit === null ? said : signature([`out of time, stopped by \`timeout ${timeLimit}\``], said.lines)
}

/**
 * @param output   of a failed call, without terminal control
 * @param exitCode when that alone tells that it failed: a last line that speaks of no trouble is then not the error
 * @param usual    see `Step.usual`
 */
export function errorSignature(output: string, exitCode?: number, usual?: ReadonlySet<string>): ErrorSignature {
  const all = tellingLines(output, usual)
  const lines = all.filter((line) => !isExitLine(line))
  // Wrappers put the exit code last, and sometimes words of their own after it.
  const spoken = all.slice(0, Math.max(0, all.findLastIndex(isExitLine))).filter((line) => !isExitLine(line))
  const lastIndex = (spoken.length > 0 ? spoken : lines).length - 1
  if (exitCode !== undefined && lines.length > 0 && lines.every((line) => failureSignOf(line) === null)) {
    const end = lines.slice(Math.max(0, lastIndex - CONTEXT_LINES), lastIndex + 1)
    return signature([`no error message, exit code ${exitCode}`], shownLines(end, output))
  }
  const ranked = rankedLines(lines, lastIndex, unitsCut(output))
  const distinct = new Map<string, RankedLine>()
  for (const line of ranked) if (!distinct.has(line.headline)) distinct.set(line.headline, line)
  const chosen = [...distinct.values()].slice(0, EVIDENCE_LINES_MAX)
  const [top] = chosen
  if (top === undefined) return exitSignature(output, exitCode)
  const start = top.tells === 'summary' ? Math.max(0, top.index - CONTEXT_LINES) : top.index
  const context = shownLines(lines.slice(start, top.index), output)
  const indexes = evidenceIndexes(chosen, lines)
  const more = indexes.map((index) => furtherPlaces(index, ranked, lines))
  const evidence = shownLines(
    indexes.map((index) => lines[index] ?? ''),
    output,
  ).map((line, at) => (more[at] === 0 ? line : `${line} (and ${more[at]} more of the kind)`))
  return signature(headlinesOf(chosen), [...context, ...evidence])
}

/** Names what it ran, not what that said; its words stand below, in no form of their own. */
const OPAQUE = /^error: failed to run custom build command for /
const OPAQUE_LINES_MAX = 2

/** Which lines are shown, in their order: those chosen, and where they only announce something, what that is. */
function evidenceIndexes(chosen: readonly RankedLine[], lines: readonly string[]): readonly number[] {
  const announced = chosen.flatMap(({ index }) => {
    const line = lines[index] ?? ''
    const next = lines[index + 1] ?? ''
    if (line.endsWith(':')) return /^\s/.test(next) && !isFrame(next) ? [index + 1] : []
    if (!OPAQUE.test(line)) return []
    const below = [...lines.keys()].slice(index + 1)
    return below.filter((at) => failureSignOf(lines[at] ?? '')?.tells === 'hint').slice(0, OPAQUE_LINES_MAX)
  })
  const indexes = [...new Set([...chosen.map(({ index }) => index), ...announced])]
  return indexes.slice(0, EVIDENCE_LINES_MAX).sort((a, b) => a - b)
}

/** In how many more places than the line at `index` the same was found. */
function furtherPlaces(index: number, ranked: readonly RankedLine[], lines: readonly string[]): number {
  const own = ranked.find((line) => line.index === index)
  if (own === undefined) return 0
  const alike = ranked.filter(({ headline }) => headline === own.headline)
  const places = new Set(alike.flatMap((line) => LOCATION.exec((lines[line.index] ?? '').trim())?.[0] ?? []))
  return Math.max(0, places.size - 1)
}

function shownLines(lines: readonly string[], output: string): readonly string[] {
  const cut = unitsCut(output)
  return lines.map((line) => truncated(withoutNames(line.trim()), LINE_UNITS_MAX, cut.get(line.trimEnd())))
}

/** Of a call that printed nothing beside its exit code, or nothing that can be its error. */
function exitSignature(output: string, exitCode?: number): ErrorSignature {
  const printed = judgedLines(output)
    .map(exitCodeIn)
    .findLast((found) => found !== null)
  const code = printed ?? exitCode
  const printedLines = judgedLines(output).filter((line) => /[\p{L}\p{N}]/u.test(line) && !isExitLine(line))
  const what = printedLines.length === 0 ? 'no output' : 'no error message'
  const end = shownLines(printedLines.slice(-CONTEXT_LINES - 1), output)
  return signature([code === undefined ? what : `${what}, exit code ${code}`], end)
}

function signature(headlines: readonly string[], lines: readonly string[]): ErrorSignature {
  return { headlines, lines, key: headlines.map(comparable).join('\n').toLowerCase() }
}

interface RankedLine {
  readonly index: number
  /** In FAILURE_SIGNS. */
  readonly row: number
  readonly tells: Telling
  readonly headline: string
}

const TELLING: readonly Telling[] = ['cause', 'hint', 'place', 'summary', 'exit']

/**
 * Lines that say what failed, the most telling first; the one at `lastIndex` where none does. A hint counts only
 * without a cause, a summary only without anything else.
 */
function rankedLines(
  lines: readonly string[],
  lastIndex: number,
  cut: ReadonlyMap<string, number>,
): readonly RankedLine[] {
  const found = lines.flatMap((line, index) => rankedLine(line, index, cut.get(line)) ?? [])
  const last = lines[lastIndex]
  if (found.length === 0 && last !== undefined) {
    const headline = truncated(shownLine(last) || last, LINE_UNITS_MAX, cut.get(last))
    return [{ index: lastIndex, row: FAILURE_SIGNS.length, tells: 'hint', headline }]
  }
  const rank = ({ tells, row }: RankedLine): number => TELLING.indexOf(tells) * FAILURE_SIGNS.length + row
  const order = ({ index, row }: RankedLine): number => (FAILURE_SIGNS[row]?.lastCounts === true ? -index : index)
  const ranked = found.sort((a, b) => rank(a) - rank(b) || order(a) - order(b))
  const best = ranked[0]?.tells
  if (best === 'summary' || best === 'exit') return ranked.slice(0, 1)
  return ranked.filter(({ tells }) => tells !== 'summary' && tells !== 'exit' && (tells !== 'hint' || best === 'hint'))
}

/** @param missing characters that the line lacks at its end */
function rankedLine(line: string, index: number, missing = 0): RankedLine | null {
  const sign = failureSignOf(line)
  if (sign === null) return null
  const { tells } = sign
  const text = tells === 'place' ? shownPlace(line) : shownLine(line)
  const headline = truncated(text, LINE_UNITS_MAX, missing)
  return text === '' ? null : { index, row: FAILURE_SIGNS.indexOf(sign), tells, headline }
}

/** Says that something did not hold, but neither what nor where. */
export const BARE_ASSERTION =
  /^(?:\w+Error: )?(?:assert\b|expect\(|Expected\b|Received\b|AssertionError\b|got\b.*\bwant\b)/

const DIFFERENCE = /^(?:Differing items|At index \d+ diff|(?:Left|Right) contains )/

/** A second one only where it says more: another cause, or the place of a bare assertion. */
function headlinesOf(chosen: readonly RankedLine[]): readonly string[] {
  const [{ headline: first, tells } = { headline: '', tells: 'hint' }, ...others] = chosen
  if (BARE_ASSERTION.test(first)) {
    const place = others.find((other) => other.tells === 'place')
    const told = others.map(({ headline }) => headline)
    const values = told.filter((headline) => /^(?:Expected|Received)\b/.test(headline))
    const difference = told.find((headline) => DIFFERENCE.test(headline))
    // pytest cuts long values in the assertion and then says where they differ.
    const assertion = difference !== undefined && first.includes('...') ? [] : [first]
    const whole = [...assertion, ...(difference === undefined ? [] : [difference]), ...values].join(', ')
    return place === undefined ? [whole] : [whole, place.headline]
  }
  const message = essence(first)
  const second = others.find(
    ({ headline, ...other }) =>
      other.tells === tells &&
      !BARE_ASSERTION.test(headline) &&
      !headline.includes(message) &&
      !first.includes(essence(headline)),
  )
  return second === undefined ? [first] : [first, second.headline]
}

function essence(headline: string): string {
  return headline.replace(/^npm (?:ERR!|error) code |^[^:]*: /, '')
}

/** `FAILED tests/a.py::test_x - assert 1 == 2` → `in tests/a.py::test_x`. */
function shownPlace(line: string): string {
  const place = line
    .trim()
    .replace(
      /^(?:FAILED|FAIL|ERROR|--- FAIL|not ok \d+|test(?= .* \.\.\. FAILED))\b:?(?: -)?\s*|^(?:[●✗✘×]|\(fail\))\s*/u,
      '',
    )
    .replace(/ - .*$| \.\.\. FAILED$/, '')
  return place === '' ? '' : `in ${shownLine(place)}`
}

/** Whether a headline tells only where it failed. */
export function isPlace(headline: string): boolean {
  return /^in \S/.test(headline)
}

const LOCATION = /^(?:[\w@.~\\/+-]|[A-Za-z]:\\)+(?:\(\d+(?:,\d+)?\)|:\d+(?::\d+)?):?\s+(?:- )?/

/** A line for the eye: in its words and numbers, without ids, hashes, times and places that only this run had. */
export function shownLine(line: string): string {
  const text = line
    .trim()
    .replace(/^E {2,}|^##\[error\]|^\[error\] (?:-- )?|^(?:✘ )?\[ERROR\]\s+(?:\S+:\[\d+,\d+\] )?/, '')
    .replace(/^\* What went wrong: (?:.* > )?|^Failed to execute goal (?:\S+ (?:\(\S+\) )?)?on project [^:]+: /, '')
    .replace(/ -> \[Help \d+\]$/, '')
    .replace(LOCATION, '')
    .replace(/^([A-Z]{1,5}\d{3,5}:?) \[\*\] /, '$1 ')
    .replace(/\s+\/\/ .*$/, '')
    // What is to be done about it stands on the next line.
    .replace(/[;,] to \w+(?: \w+){0,2}:$/, '')
    .replace(/ of ref \w+::\w+(?=: )/, '')
  const bare = withoutOwnNames(text)
  // An assertion is about the values that it compares.
  const plain = BARE_ASSERTION.test(bare) ? bare : withoutMeasures(bare)
  return plain
    .replace(/ ?\([\d.…]+ ?(?:ms|s|m)\)/g, '')
    .replace(/(?<=\b(?:pid|PID|process)[ =:]{1,2})\d+\b/g, '…')
    .replace(/\s*\([~…]?[\w./\\-]*[/\\][\w.-]+\)$/, '')
    .replace(/\s+/g, ' ')
    .replace(/^=+\s*|\s*=+$/g, '')
    .trim()
}

/** Without ids, hashes and places that only this run had. */
function withoutOwnNames(text: string): string {
  return withoutNames(text)
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '…')
    .replace(/\b0x[0-9a-f]+\b/gi, '0x…')
    .replace(/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b(?:\.{3})?/g, '…')
    .replace(/\b(?=\w{7})[a-z]{0,30}(?:\d{1,20}[a-z]{1,20}){3,20}\d{0,20}\b/g, '…')
    .replace(/(?<![\w.~:/…-])(?:\/[\w.@+~-]+)+\/(?=[\w.@+~-])/g, '…/')
    .replace(/(?<![\w\\])[A-Za-z]:\\(?:[^\\\s"'<>|:*?]+\\)+/g, '…\\')
    .replace(/\btmp[\w-]*\d[\w-]*/gi, '…')
    .replace(/(\.(?!(?:com|org|net|io|dev|local|internal):)[A-Za-z]\w{0,4}):\d+(?::\d+)?\b/g, '$1')
}

/** Without moments and milliseconds. */
function withoutMeasures(text: string): string {
  return text.replace(MEASURES, (match, quoted: string | undefined) => (quoted === undefined ? '…' : match))
}

// Group 1 is kept: what is quoted is a value that the error is about.
const MEASURES =
  /((?<!\w)'[^']{0,200}'|"[^"]{0,200}"|`[^`]{0,200}`)|\b\d[\d.]*(?= ?ms\b)|\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?)\b/g

/** Two errors of one kind compare equal though their numbers differ; codes, versions and quoted symbols are kept. */
export function comparable(line: string): string {
  return line.replace(NUMBERS, (match, kept: string | undefined, unit: string | undefined) => {
    if (kept !== undefined) return match
    // Numbers with a dot are versions more often than measures; those with a unit are measures.
    return unit === undefined && /^\d+\.\d{1,3}(?:\.\d+)*$/.test(match) ? match : `N${unit ?? ''}`
  })
}

// Group 1 is kept: quoted symbols with their digits, and numbers that are names (`exit code 137`, `HTTP 404`). The rest
// are numbers, group 2 their unit.
const NUMBERS =
  /((?<!\w)'[^']{0,200}'|"[^"]{0,200}"|`[^`]{0,200}`|(?<=\b(?:code|status|errno|HTTP|signal|port|exit)\W{0,2})\d+\b)|(?<![\w.@:^~-])-?\d+(?:[.,_]\d+)*(ms|s|m|h|kB|KB|MB|GB|%)?(?![\w.]*[A-Za-z])/g
