/** The words by which programs say that they failed, in one table. One line each, as judged-lines.ts gives it. */

/**
 * How much a line tells of what failed: `cause` says it, `place` only where (a test, a file), `hint` speaks of trouble in
 * words of no known form, `summary` only counts or repeats and is used when the output has nothing better, `exit` is
 * about the exit code alone.
 */
export type Telling = 'cause' | 'place' | 'hint' | 'summary' | 'exit'

export interface FailureSign {
  readonly sign: RegExp
  readonly tells: Telling
  /** Only programs that failed write it, as far as it goes; never a mere "error" somewhere in a line. */
  readonly proves?: true
  /** Of several such lines the last counts: the end of a chain of exceptions. */
  readonly lastCounts?: true
  /**
   * Programs that say every failure of theirs in these words. In a transcript without exit codes the same command's
   * silence afterwards is then a pass; for any other program it is none.
   */
  readonly programs?: readonly string[]
}

const COUNT = '\\d+(?:\\.\\d+)?%? (?:[a-z]+ ){0,2}[a-z]+'
const FAILED_COUNT =
  '[1-9]\\d* (?:(?:tests?|specs?|checks?|suites?|cases?|scenarios?|steps?|jobs?|files?) )?(?:failed|failures?|failing|fails?|errors?|error\\(s\\))'
const NEXT = '(?:,| \\||;| \\/) (?:and )?'

/** Summaries that count what failed; none of them fits when that is nothing. */
const COUNTED_FAILURES: readonly RegExp[] = [
  // 3 examples, 1 failure · 2 successes / 1 failure · test cases: 3 | 2 passed | 1 failed · 1 test failed
  new RegExp(
    `^[\\s=*-]*(?:\\[doctest\\] )?(?:(?:test cases|assertions): +\\d+ \\| +|FAILED \\| )?(?:${COUNT}${NEXT}){0,8}${FAILED_COUNT}(?:${NEXT}${COUNT}){0,8}(?: (?:generated|found|detected))?\\.?(?: (?:\\(|in |: )[\\d.].*)?$`,
    'i',
  ),
  // Tests: 3, Assertions: 5, Failures: 1. · Failed!  - Failed: 1, Passed: 2 · Test summary: total: 3, failed: 1
  /^(?:\[\w+\] )?(?:Tests?(?: run| summary| passed| failed)?|Test cases|Total(?: tests)?|Failed!|Passed!) *[:-](?:.{0,200}[\s,])?(?:Failed|Failures?|Errors?)(?::| ) *[1-9]/i,
  /^Tests failed: *[1-9]/i,
  /^\s*(?:Failed|Failures|Errors|Fail|Failing)(?: tests)?(?::| =) *[1-9]\d*\.?\s*$/i,
  /^(?:# |ℹ )?fail [1-9]\d*$|^# \{.*\bfail: [1-9]/,
  // 1/4 tests failed · 67% tests passed, 1 tests failed out of 3 · Executed 3 tests, with 1 failure
  /^\s*(?:[✖✗×✘]\s+)?[1-9]\d*(?:\/| of )\d+ (?:tests? |specs? |checks? |suites? )?failed\b|\b[1-9]\d* tests? failed out of \d/i,
  /^\s*Executed \d+ (?:tests?, with|of \d+ .*\() ?[1-9]\d* (?:failures?|FAILED)\b|^Executed \d+ out of \d+ tests?: .*\b[1-9]\d* fails?\b/,
  /^\d+ (?:scenarios?|steps?) \(.*\b[1-9]\d* failed\b|^TOTAL: [1-9]\d* FAILED\b|^\s*\[\s*[1-9]\d* (?:tests|containers) failed\s*\]$/,
  /^\*{3} [1-9]\d* (?:failures? (?:is|are) detected|(?:TESTS?|SUITES?) (?:FAILED|ABORTED))|^\[(?:info|error)\] \*{3} [1-9]\d* (?:TESTS?|SUITES?) (?:FAILED|ABORTED)/,
  /^\s*[1-9]\d* FAILED TESTS?$|^\[ {2}FAILED {2}\] [1-9]\d* tests?\b/,
  /^Build Summary: .*\b[1-9]\d* failed\b|^\d+ files? inspected, [1-9]\d* offenses? detected|^\S+ found [1-9]\d* errors? and \d+ warnings?/,
  /^(?:webpack .*)?compiled with [1-9]\d* errors?\b|^[1-9]\d* files? would be reformatted\b|\bunreachable=\d+ +failed=[1-9]|\bunreachable=[1-9]/,
  /^ \[ERROR\] Found [1-9]\d* errors?|^\S*\d+:\d+ \+\d+(?: ~\d+)? -[1-9]\d*: Some tests failed/,
  /^Build failed with [1-9]\d* error/,
]

/** Summaries that say in other words that it failed. */
const WORDED_FAILURES: readonly RegExp[] = [
  /^(?:FAILURES|ERRORS)!{1,3}$/,
  /^\*\* (?:TEST|BUILD|ARCHIVE|ANALYZE|CLEAN) FAILED \*\*/,
  /^Test Run (?:Failed|Aborted)\.|^Test suite (?:\S+: FAIL|failed)\b|^(?:The following tests FAILED:|Errors while running CTest)/,
  /^Test Suite '.*' failed at |^[✘✖] Test run with \d+ tests? failed\b/u,
  /^Result: FAIL$|^\[doctest\] Status: FAILURE!|^\s*evaluation failed :\(|^nox > Session \S+ failed\.|^FAILED(?:$|: [1-9]\d* )/,
  /^\[INFO\] (?:BUILD FAILURE|\S.* FAILURE \[)|^\[error\] (?:\(.*\) \S|Failed tests:|Total time: )|^\S.*\bBuild did NOT complete successfully/,
  /^Jest: ".*" coverage threshold .* not met\b|^ERROR: Coverage for .* does not meet\b|^Coverage failure: total of /,
  /^(?:> |⨯ )?Build failed because of |^> Build error occurred/,
  /^-- Configuring incomplete, errors occurred!|^g?make(?:\[\d+\])?: Target .* not remade because of errors/,
  /^The build failed\. Fix the build errors and run again|^\* What went wrong: \S/,
  /^Planning failed\.|^Oh no! 💥|^== Compilation error in file /u,
  // Helm and others that end well whatever became of what they started.
  /^\s*(?:[a-z]+ )?(?:status|state|outcome|conclusion) ?[:=] ?(?:failed|failure|errored|error)[.!]?$/i,
  /^(?:\[warn\] )?Code style issues (?:were )?found in |^\S.*\.{4}Failed$|^[1-9]\d* issues:$|\b[1-9]\d* errors? occurred outside of examples/,
]

/** A line is what the first row says that it fits. Causes stand in the order of how much they tell. */
export const FAILURE_SIGNS: readonly FailureSign[] = [
  // What looks like a cause and is none.
  {
    sign: /^(?:\[ERROR\] (?:BUILD|COMPILATION ERROR|Failed to execute goal (?:(?:.* )?on project [^:]+: (?:Compilation failure|There (?:are|were) test failures)|(?!(?:.* )?on project [^:]+: \S))|Tests run|There are test|-> \[)|FAILURE: Build|BUILD FAIL|Build (?:FAIL|fail))/,
    tells: 'summary',
    proves: true,
  },
  {
    sign: /^error: (?:could not compile|aborting due to|test failed|\d+ targets? failed)|^error Command failed/,
    tells: 'summary',
    proves: true,
    programs: ['cargo', 'rustc'],
  },
  { sign: /^(?:##\[error\]|Error: )Process completed with exit code/, tells: 'summary', proves: true },
  // Of programs that ran another one, which has told its own cause.
  {
    sign: /^(?:\S+: )?error: (?:ld returned \d|linker command failed|linking with `|(?:process|build script) didn't exit|Recipe `|subprocess-exited-with-error|metadata-generation-failed)|^ERROR: "[^"]+" exited with \d|: process ".*" did not complete successfully: exit code/,
    tells: 'summary',
    proves: true,
  },
  { sign: /^npm (?:ERR!|error) code (?:ELIFECYCLE|\d)|^error during build:/, tells: 'summary', proves: true },
  { sign: /^ninja: build stopped/, tells: 'summary', proves: true, programs: ['ninja'] },
  { sign: /^(?:ERROR|FAIL): \w+ \([\w.]+\)/, tells: 'place', proves: true },
  { sign: /^(?:ERROR|FAILED|FAIL) \S+\.py\S*$/, tells: 'place', proves: true },
  { sign: /^\s*[✗✘×✖] (?:[\w-]+ ){0,3}(?:tests?|suites?|checks?) failed[.!]?$/i, tells: 'summary' },

  // Causes.
  {
    sign: /\berror(?:\[[A-Z]{1,4}\d+\]|\s(?:TS|CS|C|MSB|LNK|NU|NETSDK)\d{3,5})\s*:/,
    tells: 'cause',
    proves: true,
    programs: ['tsc', 'cargo', 'rustc'],
  },
  {
    sign: /^npm (?:ERR!|error) (?:E[A-Z]{3,}:? |[Mm]issing|notarget |404 |.{0,80}\bError: \S)/,
    tells: 'cause',
    proves: true,
    programs: ['npm'],
  },
  { sign: /^npm (?:ERR!|error) peer \S/, tells: 'cause', proves: true, programs: ['npm'] },
  { sign: /^npm (?:ERR!|error) Found: \S/, tells: 'cause', proves: true, programs: ['npm'] },
  {
    sign: /^E {2,}(?:[\w$.]*[A-Z]\w*(?:Error|Exception|Exit|Timeout|Refused|NotFound|NotAvailable)\b|assert )/,
    tells: 'cause',
    proves: true,
  },
  {
    sign: /^(?:E {2,}|Uncaught )?(?:[A-Za-z_]\w*[.:]{1,2})*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?(?::|$)|^(?:[a-z_]\w*\.){0,5}(?:errors?|exc|exceptions?)\.[A-Z]\w+: \S/,
    tells: 'cause',
    proves: true,
    lastCounts: true,
  },
  { sign: /^Caused by: \S/, tells: 'cause', lastCounts: true },
  // Indented: a test runner shows it below the name of the test.
  { sign: /^\s{1,12}(?:Uncaught )?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: \S/, tells: 'cause' },
  {
    sign: /^(?!npm \S+ code ).*\b(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|ADDR(?:INUSE|NOTAVAIL)|AI_AGAIN|ACCES|PERM|NOENT|NOTFOUND|NOTEMPTY|EXIST|TIMEDOUT|MFILE|PIPE|HOSTUNREACH|NETUNREACH|NOSPC|ROFS|XDEV)|ERR_[A-Z][A-Z_]{3,})\b/,
    tells: 'cause',
  },
  { sign: /^ ! \[(?:remote )?rejected\] /, tells: 'cause', proves: true, programs: ['git'] },
  { sign: /^CONFLICT \(/, tells: 'cause', proves: true, programs: ['git'] },
  { sign: /^Error response from daemon: /, tells: 'cause', proves: true, programs: ['docker'] },
  { sign: /^Error from server \(\w+\): |^Unable to connect to the server/, tells: 'cause', proves: true },
  {
    sign: /^thread '.*' panicked at |^panic: |^Exception in thread |^(?:Segmentation fault|Killed|Aborted)\b/,
    tells: 'cause',
    proves: true,
  },
  {
    sign: /^(?:error: )?apply_patch verification failed|^Hunk #\d+ FAILED at |^\d+ out of \d+ hunks? FAILED|^patch: \*{4} \S/,
    tells: 'cause',
    proves: true,
    programs: ['patch'],
  },
  { sign: /^CMake Error\b|^\*\* \([A-Z][\w.]*Error\) \S/, tells: 'cause', proves: true },
  { sign: /^E: \S/, tells: 'cause', proves: true, programs: ['apt', 'apt-get'] },
  { sign: /^\S+:\d+(?::\d+)?: (?:fatal )?error: \S/, tells: 'cause', proves: true, programs: ['gcc', 'clang', 'cc'] },
  { sign: /: (?:command )?not found$|command not found: \S/, tells: 'cause', proves: true },
  {
    sign: /is not recognized as (?:an internal or external command|(?:the|a) name of a cmdlet)/,
    tells: 'cause',
    proves: true,
  },
  { sign: /\bg?make(?:\[\d+\])?: \*\*\* (?!\[)/, tells: 'cause', proves: true, programs: ['make', 'gmake'] },
  {
    sign: /^\s*(?:ERROR|Error)(?: message)?(?:\s\[[^\]]*\]|\s\d{3})?:\s*\S/,
    tells: 'cause',
    proves: true,
    programs: ['docker', 'pip', 'psql', 'terraform'],
  },
  {
    sign: /^(?:fatal|error|panic|FATAL):\s+\S|^error (?:An unexpected|Couldn't find|Package) /,
    tells: 'cause',
    proves: true,
    programs: ['cargo', 'git', 'psql', 'rustc'],
  },
  {
    sign: /^(?:\/\S*\/)?(?:psql|pg_dump|docker|ssh|curl|wget|tar|cp|mv|rm|bash|sh|zsh|ld|collect2|gcc|cc|clang): .*(?:error|cannot|could not|refused|failed|fatal|timed out|unreachable|No such)/i,
    tells: 'cause',
    proves: true,
    programs: ['gcc'],
  },
  { sign: /^psql:\S+:\d+: (?:ERROR|FATAL):\s/, tells: 'cause', proves: true, programs: ['psql'] },
  { sign: /^(?:\S{1,60}: )?(?:fatal|error|FATAL|ERROR|FEHLER|Fehler): \s*\S/, tells: 'cause' },
  { sign: /: (?:No such file or directory|Permission denied)$/, tells: 'cause', proves: true },
  {
    sign: /: (?:No such file or directory|Permission denied|Connection refused|Address already in use)/,
    tells: 'cause',
  },
  { sign: /^##\[error\]\S/, tells: 'cause', proves: true },
  // What linters find: a rule's code, with or without its place in front, or the word error behind it.
  { sign: /^(?:\S+:\d+(?::\d+)?:? )?[A-Z]{1,5}\d{3,5}:? (?:\[\*\] )?[\p{L}`'"]/u, tells: 'cause' },
  { sign: /^\s*\d+:\d+\s+error\s+\S/, tells: 'cause' },
  { sign: /: (?:undefined reference to|multiple definition of) \S/, tells: 'cause', proves: true },
  // sbt, Kotlin
  {
    sign: /^\[error\] (?:-- )?(?:\[E\d+\] [\w ]{1,60}: )?\S+:\d+(?::\d+)?:? \S|^e: \S+\.kts?:\S+ \S/,
    tells: 'cause',
    proves: true,
  },
  // esbuild, and Vite's own bundler; the bare form is anybody's log, see outcome.ts.
  { sign: /^✘ \[ERROR\] \S|^\[vite\]: Rollup failed to resolve import /, tells: 'cause', proves: true },
  { sign: /^\[ERROR\] (?!Failed to execute goal )\S/, tells: 'cause' },
  { sign: /^\[ERROR\] Failed to execute goal (?:.* )?on project [^:]+: \S/, tells: 'cause', proves: true },
  { sign: /^\s*\w+_test\.go:\d+: \S|^\S+\.go:\d+:\d+: \S/, tells: 'cause' },
  { sign: /^\s*expect\(.{1,80}\)\.\w|^\s*(?:AssertionError|assertion failed)\b/, tells: 'cause' },
  { sign: /^\s*(?:Expected|Received)(?: \w+){0,4}:\s+\S/, tells: 'cause' },
  {
    sign: /^E {2,}(?:Differing items|At index \d+ diff|(?:Left|Right) contains \w+ more items?[^:]{0,40}): \S/,
    tells: 'cause',
  },
  // Names the kind of what other lines say.
  {
    sign: /^\* What went wrong: (?!.* > (?:There were failing tests|Compilation failed))\S/,
    tells: 'cause',
    proves: true,
  },
  { sign: /^npm (?:ERR!|error) code [A-Z]/, tells: 'cause', proves: true, programs: ['npm'] },

  // Places, the closest first.
  { sign: /^\s*(?:● |✗ |✘ |× |\(fail\) )\S/, tells: 'place' },
  {
    sign: /^(?:--- FAIL: |FAIL(?:\s+\S|$)|FAILED\s+\S+::|not ok \d|test \S+ \.\.\. FAILED)/,
    tells: 'place',
    proves: true,
  },
  { sign: /^\s*FAIL(?:ED)?\s+[\w./]/, tells: 'place' },

  // Summaries.
  { sign: /\bg?make(?:\[\d+\])?: \*\*\* /, tells: 'summary', proves: true, programs: ['make', 'gmake'] },
  { sign: /^npm (?:ERR!|error)(?:\s|$)/, tells: 'summary', proves: true, programs: ['npm'] },
  { sign: /^\s*Traceback \(most recent call last\):/, tells: 'summary', proves: true },
  { sign: /^FAILED \((?:failures|errors|unexpected)=/, tells: 'summary', proves: true },
  {
    sign: /^=*\s*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.*(?: in [\d.]+ ?m?s|=)/,
    tells: 'summary',
    proves: true,
  },
  {
    sign: /^\s*(?:Tests?|Test Suites|Test Files):?\s+(?:\d+ \w+\s*[,|] )*[1-9]\d* failed\b/,
    tells: 'summary',
    proves: true,
  },
  { sign: /^\s*[1-9]\d* (?:fail(?:ed|ures?|ing)?)(?:$|[\s,])/, tells: 'summary', proves: true },
  { sign: /^test result: FAILED/, tells: 'summary', proves: true },
  {
    sign: /^\s*✖ [1-9]\d* problems?\b(?! \(0 errors)|^(?:[AP]M\]? (?:- )?)?Found [1-9]\d* errors?\b(?! \(\d+ fixed, 0 remaining\))/,
    tells: 'summary',
    proves: true,
  },
  ...[...WORDED_FAILURES, ...COUNTED_FAILURES].map((sign): FailureSign => ({ sign, tells: 'summary', proves: true })),
  { sign: /(?:exit(?:ed)?(?: with)? (?:code|status)|Exit code|non-zero code)[: ]+-?\d+/, tells: 'exit' },

  // The rest of what is no good news, in the languages that terminals speak most.
  {
    sign: /^usage:|^(?!.*\b(?:0|no|without) (?:errors?|fail\w*)\b).*(?:\b(?:errors?|fail(?:ed|s|ing|ure|ures)?|fatal|cannot|can't|could not|couldn't|unable|denied|refused|rejected|forbidden|unauthori[sz]ed|missing|invalid|illegal|unexpected|undefined|unknown|unresolved|unreachable|unhealthy|not (?:found|allowed|permitted|supported|defined|exist|running|available|ready)|no such|no space|timed? ?out|conflict|already (?:in use|exists|allocated|running)|abort(?:ed|ing)?|crashed|panic|core dumped|killed|terminated|exception|Fehler|erreur|errore)\b|错误|失败|エラー|失敗|ошибка)/iu,
    tells: 'hint',
  },
]

/** What a line fits first; null when it is none of them. */
export function failureSignOf(line: string): FailureSign | null {
  return FAILURE_SIGNS.find(({ sign }) => sign.test(line)) ?? null
}
