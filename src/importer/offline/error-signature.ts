/** What failed, as text that is the same on every machine and day: the deciding lines of an output. Guesses no cause. */
import { judgedLines } from '../producers/outcome.ts'
import { measured, withoutNames } from '../producers/shown-text.ts'

export interface ErrorSignature {
  /** Normalised lines that say what failed, the most telling first; two at most, at least one. */
  readonly headlines: readonly string[]
  /** The deciding lines as printed, in their order, without names of people. */
  readonly lines: readonly string[]
}

const EVIDENCE_LINES_MAX = 5
const EVIDENCE_LINE_UNITS_MAX = 300
const HEADLINES_MAX = 2

/** From the most telling kind of line to the least. Within a kind the first line tells most, but see `lastCounts`. */
const KINDS: readonly { readonly sign: RegExp; readonly lastCounts?: true; readonly alone?: true }[] = [
  { sign: /\berror(?:\[[A-Z]{1,4}\d+\]|\s(?:TS|CS|C|MSB|LNK|NU|NETSDK)\d{3,5})\s*:/ },
  { sign: /^npm (?:ERR!|error) (?:E[A-Z]{3,} |Missing script|notarget |404 )/ },
  { sign: /^npm (?:ERR!|error) peer \S/ },
  { sign: /^npm (?:ERR!|error) Found: \S/ },
  { sign: /^npm (?:ERR!|error) code [A-Z]/ },
  { sign: /^E {2,}(?:[\w$.]*[A-Z]\w*(?:Error|Exception|Exit|Timeout|Refused|NotFound|NotAvailable)\b|assert )/ },
  // The last of a chain of Python exceptions is the one that ended the program.
  {
    sign: /^(?:Uncaught )?(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception)|(?:errors?|exc)\.[A-Z]\w+)(?: \[\w+\])?:/,
    lastCounts: true,
  },
  { sign: /^CONFLICT \(/ },
  { sign: /^thread '.*' panicked at |^panic: |^Error response from daemon: |^E: \S|^Exception in thread / },
  { sign: /^\S+:\d+(?::\d+)?: (?:fatal )?error: \S/ },
  { sign: /(?:command )?not found$|is not recognized as (?:an internal|the name|a name)/ },
  { sign: /^\s*(?:ERROR|Error|FATAL)(?:\s\[[^\]]*\])?:\s+\S/ },
  { sign: /^(?:\S{1,60}: )?(?:fatal|error|FATAL|ERROR|FEHLER|Fehler): \s*\S/ },
  { sign: /: (?:No such file or directory|Permission denied|Connection refused|Address already in use)/ },
  { sign: /^(?:FAILED\s+\S+|--- FAIL: \S|✗|✘|×|●|not ok \d|\(fail\) \S|test \S+ \.\.\. FAILED)/ },
  { sign: /^\s*\w+_test\.go:\d+: \S/ },
  { sign: /^(?:BUILD FAILED|FAILURE: |Build failed|\[ERROR\] \S)/ },
  { sign: /\bmake(?:\[\d+\])?: \*\*\* /, alone: true },
  {
    sign: /^=*\s*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b|^\s*(?:Tests?|Test Suites|Test Files):?\s+.*\d failed|^FAILED \(/,
    alone: true,
  },
  { sign: /(?:exit(?:ed)?(?: with)? (?:code|status)|Exit code)[: ]+-?\d+/, alone: true },
]

/** @param output of a failed call, without terminal control */
export function errorSignature(output: string): ErrorSignature {
  const lines = judgedLines(output)
    .map((line) => bareLine(line))
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
  const ranked = rankedLines(lines)
  if (ranked.length === 0) {
    const last = lines.at(-1)
    const only = last === undefined ? 'no output' : normalisedLine(last) || last
    return { headlines: [measured(only, EVIDENCE_LINE_UNITS_MAX)], lines: last === undefined ? [] : [evidence(last)] }
  }
  const distinct = new Map<string, number>()
  for (const index of ranked) {
    const normal = measured(normalisedLine(lines[index] ?? ''), EVIDENCE_LINE_UNITS_MAX)
    if (normal !== '' && !distinct.has(normal)) distinct.set(normal, index)
  }
  const shown = [...distinct.values()].slice(0, EVIDENCE_LINES_MAX).sort((a, b) => a - b)
  return { headlines: headlinesOf([...distinct.keys()]), lines: shown.map((index) => evidence(lines[index] ?? '')) }
}

/** Equal for the same error: its first headline, from which numbers and places are gone. */
export function signatureKey({ headlines }: ErrorSignature): string {
  return (headlines[0] ?? '').toLowerCase()
}

/** Indexes of lines that say what failed, the most telling first. */
function rankedLines(lines: readonly string[]): readonly number[] {
  const found: { index: number; rank: number; order: number }[] = []
  for (const [index, line] of lines.entries()) {
    const rank = KINDS.findIndex(({ sign }) => sign.test(line))
    const kind = KINDS[rank]
    if (kind !== undefined) found.push({ index, rank, order: kind.lastCounts === true ? -index : index })
  }
  found.sort((a, b) => a.rank - b.rank || a.order - b.order)
  const telling = found.filter(({ rank }) => KINDS[rank]?.alone !== true)
  return (telling.length > 0 ? telling : found.slice(0, 1)).map(({ index }) => index)
}

/** A second one only where it says more: not a part of the first, nor the first a part of it. */
function headlinesOf(normals: readonly string[]): readonly string[] {
  const [first = '', ...others] = normals
  const message = first.replace(/^[^:]*: /, '')
  const second = others.find((other) => !other.includes(message) && !first.includes(other.replace(/^[^:]*: /, '')))
  return second === undefined ? [first] : [first, second].slice(0, HEADLINES_MAX)
}

function evidence(line: string): string {
  return measured(withoutNames(line), EVIDENCE_LINE_UNITS_MAX)
}

// A time in front, and the step and seconds that a Docker build puts in front of each line.
const LINE_PREFIX =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:UTC )?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+|#\d+ (?:\d+\.\d+ )?)/

function bareLine(line: string): string {
  return line.replace(LINE_PREFIX, '').trimEnd()
}

const LOCATION = /^(?:[\w@.~\\/+-]|[A-Za-z]:\\)+(?:\(\d+(?:,\d+)?\)|:\d+(?::\d+)?):?\s+(?:- )?/

/** Takes out what differs from run to run; keeps error kinds, codes, quoted symbols and relative paths. */
export function normalisedLine(line: string): string {
  const text = line
    .trim()
    .replace(/^E {2,}/, '')
    .replace(LOCATION, '')
  return withoutNames(text)
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '…')
    .replace(/\b0x[0-9a-f]+\b/gi, '0x…')
    .replace(/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, '…')
    .replace(/\b(?=\w{7})[a-z]{0,30}(?:\d{1,20}[a-z]{1,20}){3,20}\d{0,20}\b/g, '…')
    .replace(/(?<![\w.~:/…-])(?:\/[\w.@+~-]+)+\/(?=[\w.@+~-])/g, '…/')
    .replace(/(?<![\w\\])[A-Za-z]:\\(?:[^\\\s"'<>|:*?]+\\)+/g, '…\\')
    .replace(/\btmp[\w-]*\d[\w-]*/gi, '…')
    .replace(/(\.(?!(?:com|org|net|io|dev|local|internal):)[A-Za-z]\w{0,4}):\d+(?::\d+)?\b/g, '$1')
    .replace(VARYING, withoutVarying)
    .replace(/ ?\(N(?:ms|s|m)\)/g, '')
    .replace(/\s*\([~…]?[\w./\\-]*[/\\][\w.-]+\)$/, '')
    .replace(/\s+/g, ' ')
    .replace(/^=+\s*|\s*=+$/g, '')
    .trim()
}

// Group 1 is kept: quoted symbols with their digits, and numbers that are names (`exit code 137`, `HTTP 404`). Group 2
// is a time. The rest are numbers, group 3 their unit.
const VARYING =
  /((?<!\w)'[^']{0,200}'|"[^"]{0,200}"|`[^`]{0,200}`|(?<=\b(?:code|status|error|errno|HTTP|signal|port|exit)\W{0,2})\d+\b)|\b(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?)\b|(?<![\w.@:^~-])-?\d+(?:[.,_]\d+)*(ms|s|m|h|kB|KB|MB|GB|%)?(?![\w.]*[A-Za-z])/g

function withoutVarying(match: string, kept: string | undefined, time: string | undefined, unit = ''): string {
  if (kept !== undefined) return match
  if (time !== undefined) return '…'
  // Numbers with a dot are versions more often than measures; those with a unit are measures.
  if (unit === '' && /^\d+\.\d{1,3}(?:\.\d+)*$/.test(match)) return match
  return `N${unit}`
}
