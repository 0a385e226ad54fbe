/** What a run of tests counts and names: what passed, what was left out. Judges lines alone; knows no commands. */
import { EMPTY_RUNS } from './outcome-signs.ts'

export interface Tally {
  /** Tests that ran and did not fail; null where the line does not tell. */
  readonly passed: number | null
  /** Skipped, ignored, pending, expected to fail: whatever did not have to pass. */
  readonly leftOut: number
  /** Whether it counts files or suites, of which one can pass although all its failing tests are left out. */
  readonly isOfFiles: boolean
}

const PASSED = 'pass(?:ed|ing|es)?|succe(?:eded|sses)'
const FAILED = 'fail(?:ed|ing|s|ures?)?|errors?'
const LEFT_OUT =
  'skip(?:ped|s)?|ignored|pending|excluded|disabled|x-?fail(?:ed|ures?)?|expected failures?|deselected|todo|incomplete|cancell?ed|not run|did not run'
const TOTAL = 'tests?(?: run)?|runs|examples?|specs?|scenarios?|total(?: tests)?|test cases?'
const KINDS = `${LEFT_OUT}|${PASSED}|${FAILED}|${TOTAL}`

// 3 tests passed · 5 examples. Group 1 is the number, group 2 what is counted.
const NUMBER_FIRST = new RegExp(
  String.raw`(?<![\w.:])(\d{1,7})(?: (?:tests?|specs?|examples?))? (?:was |were )?(${KINDS})\b(?! ?[:=])`,
  'gi',
)
// Passed: 3 · skipped=3 · # pass 3 · [info] Tests: succeeded 3, failed 0. Group 1 is what is counted, group 2 the number.
const WORD_FIRST = new RegExp(
  String.raw`(?<=^|[\s([])(${KINDS})(?: ?[:=] ?|(?<=^(?:# |ℹ )\w{1,8}|^\[info\] Tests: [\w ,]{1,80}) )(\d{1,7})\b(?! (?:${KINDS})\b)`,
  'gi',
)
// What else stands in such a line: labels, and how long it took.
const BESIDE =
  /\b(?:test result|test (?:files|suites|run|summary)|tests?|summary|executed|ran|run|ok|finished|failed|passed|skipped|with|in|across|of|files?|filtered out|measured|warnings?|assertions?|suites?|info|warning|error|unexpected|time(?: elapsed)?|duration|seconds?|ms|min|[sm]|and|cached|flaky|slow|not)\b/gi
// Dart: when, then what passed, group 1, what was skipped, group 2, and what failed.
const SIGNED = /^\d\d:\d\d \+(\d{1,7})(?: ~(\d{1,7}))?(?: -\d{1,7})?: (?:All tests passed!|Some tests failed\.)$/
const LINE_UNITS = 240
const ENDS_IN_PLACE = / -- in \S+$/

/** Of a line that does nothing but count; null of any other. */
export function tallyIn(line: string): Tally | null {
  if (line.length > LINE_UNITS || !/\d/.test(line)) return null
  const signed = SIGNED.exec(line)
  if (signed !== null) return { passed: Number(signed[1]), leftOut: Number(signed[2] ?? 0), isOfFiles: false }
  const counts = new Map<string, number>()
  const count = (number: string, word: string): string => {
    const kind = kindOf(word)
    counts.set(kind, (counts.get(kind) ?? 0) + Number(number))
    return ''
  }
  const rest = line
    .replace(ENDS_IN_PLACE, '')
    .replace(WORD_FIRST, (_, word: string, number: string) => count(number, word))
    .replace(NUMBER_FIRST, (_, number: string, word: string) => count(number, word))
  if (counts.size === 0 || /\p{L}/u.test(rest.replace(/\d+(?:\.\d+)? ?[mµn]?s\b/g, '').replace(BESIDE, ''))) return null
  const leftOut = counts.get('left out') ?? 0
  const total = counts.get('total')
  const others = leftOut + (counts.get('failed') ?? 0)
  const passed = counts.get('passed') ?? (total === undefined ? null : Math.max(0, total - others))
  return { passed, leftOut, isOfFiles: /^\s*Test (?:Files|Suites)\b/.test(line) }
}

function kindOf(word: string): 'left out' | 'passed' | 'failed' | 'total' {
  if (whole(LEFT_OUT).test(word)) return 'left out'
  if (whole(PASSED).test(word)) return 'passed'
  return whole(FAILED).test(word) ? 'failed' : 'total'
}

function whole(words: string): RegExp {
  return new RegExp(`^(?:${words})$`, 'i')
}

/** Stands for unittest's own line, which counts what ran, whether it passed or not. */
export const NONE_RAN = 'Ran 0 tests'

/** The tallies by line; unittest says in one line how many ran, and in another how many of these it left out. */
export function talliesOf(lines: readonly string[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>()
  let ran: number | null = null
  for (const line of lines) {
    const tally = tallyIn(line)
    if (tally === null) continue
    const isEnd = /^(?:OK|FAILED) \(/.test(line)
    if (/^Ran \d+ tests?\b/.test(line)) ran = tally.passed
    else if (isEnd && ran !== null) tallies.set(line, { ...tally, passed: Math.max(0, ran - countedIn(line)) })
    else tallies.set(line, tally)
  }
  if (ran === 0) tallies.set(NONE_RAN, { passed: 0, leftOut: 0, isOfFiles: false })
  return tallies
}

/** All that did not pass, of a line such as `FAILED (failures=1, skipped=2)`. */
function countedIn(line: string): number {
  return [...line.matchAll(/=(\d{1,7})\b/g)].reduce((sum, [, number]) => sum + Number(number), 0)
}

/** Whether a line says that nothing was tested. */
export function tellsEmptyRun(line: string, tally: Tally | null | undefined): boolean {
  if (EMPTY_RUNS.some((sign) => sign.test(line))) return true
  if (tally === null || tally === undefined) return false
  return tally.passed === 0 || (tally.passed === null && tally.leftOut > 0 && !/^OK\b/.test(line))
}

/**
 * Whether a later run of the same tests only leaves out what failed: it names one of the failed tests as left out, or
 * more were left out while no more passed.
 */
export function leavesOutFailed(failed: readonly string[], later: readonly string[]): boolean {
  const names = failed.flatMap(failedTest)
  const leftOut = later.filter((line) => TELLS_LEFT_OUT.test(line))
  if (names.some((name) => leftOut.some((line) => holdsName(line, name)))) return true
  const before = sumOf(failed)
  const after = sumOf(later)
  return after.leftOut > before.leftOut && after.passed <= before.passed
}

function sumOf(lines: readonly string[]): { readonly passed: number; readonly leftOut: number } {
  const tallies = [...talliesOf(lines).values()].filter(({ isOfFiles }) => !isOfFiles)
  return {
    passed: tallies.reduce((sum, { passed }) => sum + (passed ?? 0), 0),
    leftOut: tallies.reduce((sum, { leftOut }) => sum + leftOut, 0),
  }
}

const TELLS_LEFT_OUT = /\b(?:skip(?:ped)?|ignored|x-?fail(?:ed)?|pending|disabled|todo|excluded)\b|^\s*[↓○-] /i
const TIME = String.raw`(?:\s+[([<]?\d[\d.]*\s?m?s[)\]>]?)?\s*$`
// Group 1 is the name of the test.
const FAILED_TESTS: readonly RegExp[] = [
  new RegExp(
    String.raw`^\s*(?:--- FAIL: |\(fail\) |[✗✘×✖●] |not ok \d+ (?:- )?|FAIL(?:ED)?:? (?:\[[^\]]{1,20}\] )?)(\S.*?)${TIME}`,
  ),
  new RegExp(String.raw`^\[ {2}FAILED {2}\] (\S+)${TIME}`),
  /^\s*\d{1,7} - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess \w+)\)/,
  // A test of TAP has a number too, and may have no name.
  /^not (ok \d{1,7})\b/,
  new RegExp(String.raw`^\s*(?:test )?(\S.*?)(?: \.\.\.)? (?:FAILED|FAIL|ERROR)${TIME}`),
]
const NAME_UNITS_MAX = 300

function failedTest(line: string): readonly string[] {
  if (line.length > NAME_UNITS_MAX) return []
  const names = FAILED_TESTS.flatMap((sign) => sign.exec(line)?.[1] ?? [])
  // A single common word would be found anywhere.
  return names.map((name) => name.replace(/ - .*$/, '').trim()).filter((name) => !/^\w{0,2}$/.test(name))
}

function holdsName(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    const around = `${line[at - 1] ?? ' '}${line[at + name.length] ?? ' '}`
    if (!/[\w/.]/.test(around)) return true
  }
  return false
}
