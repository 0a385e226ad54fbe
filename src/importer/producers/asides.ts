/** Lines that stand beside an error and are none: warnings, and advice on where to read more. One line each. */

/** Whatever they speak of, the program went on. */
const WARNINGS: readonly RegExp[] = [
  /^(?!\S{0,200}(?:error|exception|fatal): )(?:\S{1,200}: ){0,2}warn(?:ing)?(?:\[[^\]]{1,60}\]| [A-Z]{1,8}\d{1,6})?: /i,
  /^##\[warning\]|^\[WARNING\] |^npm warn\b|^WARN\[\d+\] |^CMake (?:Deprecation )?Warning\b|^\S{1,200}:\d+: [A-Z]\w*Warning: |^\(node:\d+\) .{0,60}\bWarning: /i,
  // Of a machine without a terminal, or without the language that is asked for.
  /^(?:locale|manpath|perl|-?\S{0,40}sh): .{0,200}\b(?:set|change|setting)\b.{0,40}\blocale\b/i,
  /^\S{0,40}sh: (?:cannot set terminal process group\b|no job control in this shell)|^mesg: ttyname failed|^tput: No value for \$TERM/,
  /^(?:debconf: (?:unable to initialize frontend|falling back)|dpkg-preconfigure: unable to re-open stdin|invoke-rc\.d: policy-rc\.d denied)/,
]

const ADVICE: readonly RegExp[] = [
  // Maven, Gradle
  /^\[ERROR\](?:$| (?:To see the full stack trace|Re-run Maven|For more information about the errors|After correcting the problems|(?:Please refer to|See) \S+ for |(?:-> )?\[Help \d+\]| +mvn <))/,
  /^\* (?:Try|Exception is|Get more help)\b|^> (?:Run with --|Get more help at )|^Run with --(?:stacktrace|info|debug)\b/,
  // npm, yarn, pip
  /^npm (?:ERR!|error) +(?:A complete log of this run|(?:\/|[A-Z]:\\)\S+\.log$|This is probably not a problem with npm|There is likely additional logging|You can rerun the command with|For a full report see)|^npm notice\b/,
  /^info Visit https?:|^\[notice\] |^\s*(?:╰─> )?(?:\[\d+ lines of output\]|\[end of output\]|See above for output\.)$/,
  /^\s*(?!\S{0,200}(?:error|exception|fatal): )(?:\S{1,200}: )?(?:note|hint): /i,
  // rustc, CMake, make, Docker
  /^For more information about this error, try |^Some errors have detailed explanations: |^See also "|^View build details: /,
  /\bg?make(?:\[\d+\])?: (?:\*\*\* Waiting for unfinished jobs|(?:Entering|Leaving) directory)/,
]

/** Whether a line tells nothing of what failed, though it may speak of failure. */
export function isAside(line: string): boolean {
  return WARNINGS.some((sign) => sign.test(line)) || ADVICE.some((sign) => sign.test(line))
}
