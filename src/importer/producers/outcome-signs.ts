/** The words by which programs say that they failed or passed. One line each; a line is at most LINE_UNITS_MAX long. */

export const LINE_UNITS_MAX = 2_000

/** An exit code that the transcript itself prints, as a line of its own or at its end. Group 1 is the code. */
export const EXIT_MARKS: readonly RegExp[] = [
  /^\s*[[(<]?\s*(?:exit|rc|ec|exit[ _-]?(?:code|status)|return ?code)\s*[:=]?>?\s*(-?\d{1,10})\b(?: \(0x[0-9a-f]+\))?\s*(?:[\])>]|<\/\w+>)?\s*$/i,
  /\b(?:exited|failed|finished|completed|returned) with (?:a )?(?:non-?zero )?(?:exit )?(?:code|status)[: ]+(-?\d{1,10})\.?\s*$/i,
  /\breturned non-zero exit status (\d{1,3})\.?\s*$/,
]

/** Only programs that failed write these, as far as it goes; none is a mere "error" somewhere in a line. */
export const FAILURE_SIGNS: readonly RegExp[] = [
  /^\s*Traceback \(most recent call last\):/,
  /\berror(?:\[[A-Z]{1,4}\d+\]|\s(?:TS|CS|C|MSB|LNK|NU|NETSDK)\d{3,5})\s*:/,
  /^npm (?:ERR!|error)(?:\s|$)/,
  /\bmake(?:\[\d+\])?: \*\*\* /,
  /^FAILED \((?:failures|errors|unexpected)=/,
  /^=*\s*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.*(?: in [\d.]+ ?m?s|=)/,
  /^\s*(?:Tests?|Test Suites|Test Files):?\s+(?:\d+ \w+\s*[,|] )*[1-9]\d* failed\b/,
  /^\s*[1-9]\d* (?:fail(?:ed|ures?|ing)?)(?:$|[\s,])/,
  /^test result: FAILED/,
  /^(?:--- FAIL: |FAIL(?:\s|$)|FAILED\s+\S+::|not ok \d)/,
  /: (?:command )?not found$|: No such file or directory$|: Permission denied$/,
  /is not recognized as (?:an internal or external command|(?:the|a) name of a cmdlet)/,
  /^(?:fatal|error|panic|E):\s\S/,
  /^\s*(?:ERROR|Error)(?::|\s\[|\s\d{3}:)/,
  /^\S+:\d+(?::\d+)?: (?:fatal )?error: /,
  /^(?:psql|pg_dump|docker|ssh|curl|wget|tar|cp|mv|rm|bash|sh|zsh|ld|collect2|gcc|cc|clang): .*(?:error|cannot|refused|failed|fatal|No such)/i,
  /^CONFLICT \(|^Error response from daemon: /,
  /^(?:BUILD|Build) (?:FAILED|FAILURE|failed)\b|^\[ERROR\] BUILD FAILURE|^FAILURE: Build failed/,
  /^thread '.*' panicked at |^Segmentation fault|^Exception in thread /,
  /^##\[error\]/,
  /^(?:E {2,}|Uncaught )?(?:[A-Za-z_]\w*[.:]{1,2})*[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?(?::|$)/,
  /^(?:[a-z_]\w*\.){0,5}(?:errors?|exc|exceptions?)\.[A-Z]\w+: \S/,
  /^\s*✖ [1-9]\d* problems?/,
  /^Found [1-9]\d* errors?\b/,
]

/** A program's own summary of success. */
export const PASSING_SIGNS: readonly RegExp[] = [
  /^=*\s*(?:\d+ \w+, )*[1-9]\d* passed\b/,
  /^\s*(?:Tests?|Test Suites|Test Files):?\s+(?:\d+ \w+\s*[,|] )*[1-9]\d* passed\b/,
  /^\s*[1-9]\d* (?:pass(?:ed|ing)?|tests? passed|examples?, 0 failures)(?:$|[\s,(])/,
  /(?:^|[\s,;|(])0 (?:failed|failures|errors|fail)(?:\s*[,;.|)]|\s*$)/,
  /^test result: ok\b/,
  /^OK(?: \(.*\))?$/,
  /^ok\s+\S/,
  /^(?:PASS|PASSED)(?:\s|$)/,
  /^All (?:\S+ ){0,3}(?:tests|checks|test cases) passed\b/i,
  /^(?:BUILD|Build) (?:SUCCESSFUL|SUCCESS|succeeded)\b|^\[INFO\] BUILD SUCCESS/,
  /^\s*Finished [`\w].* in [\d.]+m?s/,
  /^\s*(?:✓|✔|√) (?:built|compiled|passed|done|no problems)\b/i,
  /^\s*(?:Successfully |Compiled successfully|webpack .*compiled successfully)/,
  /^Success(?:: |!|\.|$)/,
  /^(?:added|changed|removed|up to date)\b.* in [\d.]+m?s$/,
  /^(?:Already up to date\.|Already on )/,
  /^\[[^\]]{1,60} [0-9a-f]{7,}\] /,
  /^#?\d* ?(?:naming to|writing image|exporting to image).*\bdone\b|^Successfully (?:built|tagged)/,
  /^(?:=> )?\[\+\] (?:Building|Running) .*FINISHED/,
  /^\d+ packages? (?:are|is) looking for funding/,
  /^Found 0 (?:errors|issues|vulnerabilities)\b|^found 0 vulnerabilities/,
]

/**
 * Programs that say every failure of theirs in these words. In a transcript without exit codes the same command's
 * silence afterwards is then a pass; for any other program it stays unknown.
 */
export const OUTSPOKEN_PROGRAMS: ReadonlyMap<string, RegExp> = new Map([
  ['make', /^(?:g?make)(?:\[\d+\])?: \*\*\* /m],
  ['npm', /^npm (?:ERR!|error)(?:\s|$)/m],
  ['tsc', /\berror TS\d+:/m],
  ['cargo', /^error(?:\[E\d+\])?:/m],
  ['rustc', /^error(?:\[E\d+\])?:/m],
  ['git', /^(?:fatal|error): |^CONFLICT \(/m],
  ['gcc', /^\S+:\d+(?::\d+)?: (?:fatal )?error: |^collect2: error/m],
  ['docker', /^(?:Error response from daemon|ERROR): /m],
  ['apt-get', /^E: /m],
  ['apt', /^E: /m],
  ['pip', /^ERROR: /m],
  ['psql', /^(?:psql:.*)?(?:ERROR|FATAL): /m],
])
