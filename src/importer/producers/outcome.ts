/** The one place where it is judged whether a call passed or failed, and on what evidence. */
import { isAside } from './asides.ts'
import { isErrorRecord } from './error-record.ts'
import {
  answersNo,
  isAlwaysZero,
  masksExitCode,
  masksPrintedCode,
  printsExitCode,
  saidAnyway,
  turnsExitCode,
} from './exit-code-mask.ts'
import { tellsFailedEdit } from './failed-edit.ts'
import { FAILURE_SIGNS, type FailureSign, failureSignOf } from './failure-signs.ts'
import { diedAsking, isWhollyJudged, judgedLines } from './judged-lines.ts'
import { listsFindings } from './linter-findings.ts'
import { endsAnnouncing, endsUndone, hadNothingToDo } from './no-proof.ts'
import { EXIT_MARKS, PASSING_SIGNS, PREPARATIONS } from './outcome-signs.ts'
import type { Evidence, Outcome, Step } from './run.ts'
import { asksForTests, commandShape, isBuild, isLook, isQuery, programOf, unwrapped } from './shell-command.ts'
import { leavesOutFailed, NONE_RAN, talliesOf, tallyIn, tellsEmptyRun } from './test-tally.ts'

interface Verdict {
  readonly outcome: Outcome
  readonly evidence: Evidence
  /** Of a failure that an exit code tells. */
  readonly exitCode?: number
}

export interface OutcomeClues {
  /** The shell command line; null for other tools. */
  readonly shell: string | null
  /** Whether it is a tool that changes a file. */
  readonly isEdit?: boolean
  /** As recorded by the producer beside the output; null when it records none. */
  readonly exitCode: number | null
  /** The producer's word on the call: true = error, false = none, null = it never says. */
  readonly errorFlag: boolean | null
  /** Whether any command of `shell` that fails ends it with an error: then none means that all of them passed. */
  readonly stopsAtFirstFailure?: boolean
  readonly output: string
}

const UNKNOWN: Verdict = { outcome: 'unknown', evidence: 'none' }

/**
 * Exit code, then printed exit code, then the tool's flag, then words. A zero of a pipe or a list (`pytest | tail`) is
 * the last program's: it passes nothing, and a failure in the output of one counts. The flag "no error" does not outvote
 * an output that ends in a failure, unless the first would have stopped the script, and no good code or flag an edit that
 * says it was not made.
 */
export function judgeOutcome(clues: OutcomeClues): Verdict {
  if (clues.stopsAtFirstFailure === true && clues.errorFlag === false) return unstoppedVerdict(clues)
  // That the tool itself came to a good end does not make an edit of what it says it left alone.
  const isClaimedGood = (clues.exitCode ?? 0) === 0 && clues.errorFlag !== true
  if (clues.isEdit === true && isClaimedGood && tellsFailedEdit(clues.output))
    return { outcome: 'failed', evidence: 'text' }
  if (isClaimedGood && answersError(clues)) return { outcome: 'failed', evidence: 'text' }
  const printed = clues.shell === null ? null : printedExitCode(clues.output)
  // The zero of `make; echo "exit=$?"` is that of echo.
  const isEchoed = printed !== null && clues.exitCode === 0 && printsExitCode(clues.shell ?? '')
  if (clues.exitCode !== null && !isEchoed) return codeVerdict(clues.exitCode, 'exit', clues)
  if (printed !== null) return codeVerdict(printed, 'mark', clues)
  if (clues.errorFlag === true) return { outcome: 'failed', evidence: 'flag' }
  if (clues.errorFlag !== false) return wordsVerdict(clues)
  const flagged = codeVerdict(0, 'flag', clues)
  if (flagged.outcome !== 'passed' || !endsInFailure(clues)) return flagged
  // Of what another tool answers, less is known: it may show a document.
  return clues.shell === null ? UNKNOWN : { outcome: 'failed', evidence: 'text' }
}

/** Whether all that a call answered is a record of an error; what was only looked at may hold any. */
function answersError({ shell, output }: OutcomeClues): boolean {
  if (shell !== null && isLook(shell) && !isQuery(shell)) return false
  // A record is all that such an output holds, so nothing is parsed of any other.
  return output.trimStart().startsWith('{') && isErrorRecord(saidLines(output).join('\n'))
}

/** Of a script that any failing command would have ended. */
function unstoppedVerdict(clues: OutcomeClues): Verdict {
  const isDoubtful = testedNothing(clues) || endsUndone(clues.output.split('\n'))
  return { outcome: isDoubtful ? 'unknown' : 'passed', evidence: 'flag' }
}

/** Of a program that somebody ended by Ctrl-C. */
const INTERRUPTED_CODE = 130

function codeVerdict(code: number, evidence: Evidence, clues: OutcomeClues): Verdict {
  const { shell } = clues
  // A search says by 1 that it found nothing, a question that it is not so; an unknown outcome with a code is one with a good code.
  if (code === 1 && shell !== null && answersNo(shell)) return wordsVerdict(clues)
  if (code === INTERRUPTED_CODE) return UNKNOWN
  if (code !== 0) return { outcome: 'failed', evidence, exitCode: code }
  // `cmd; echo $?` prints the code of cmd itself, so that zero is not masked, unless it could be nothing else.
  const isOwn = evidence === 'mark' && shell !== null && printsExitCode(shell)
  const isMasked = shell !== null && (isOwn ? masksPrintedCode : masksExitCode)(shell)
  if (isMasked) {
    const words = wordsVerdict(clues)
    return words.outcome === 'unknown' ? { outcome: 'unknown', evidence } : words
  }
  // Of a program that swallows its tests' failures, or ran none of them.
  const isDoubtful =
    endsUndone(saidLines(clues.output)) ||
    (shell !== null && ((evidence !== 'flag' && endsInFailure(clues)) || testedNothing(clues)))
  return { outcome: isDoubtful ? 'unknown' : 'passed', evidence }
}

/** Lines with text at the end of an output that tell how it ended. */
const END_LINES = 10

/**
 * Whether the output's last word on itself is a failure: a summary of one that no success follows, or any proof in the
 * last lines. A summary there counts even when another one, of success, follows.
 */
function endsInFailure({ shell, output }: Pick<OutcomeClues, 'shell' | 'output'>): boolean {
  if (shell !== null && isLook(shell) && !isQuery(shell)) return false
  const last = shell === null ? '' : (commandShape(shell).segments.at(-1) ?? '')
  // `make && cat old.log`: the end is about something else.
  if (isLook(last) && !isQuery(last) && !/^(?:echo|printf|true|:|exit|done|fi)(?:\s|$)/.test(last)) return false
  const lines = judgedLines(output).filter((line) => line.trim() !== '')
  const endStart = lines.length - END_LINES
  const passed = lines.findLastIndex((line) => matchesAny(line, PASSING_SIGNS) && !tellsOfFailure(line))
  return lines.some((line, index) => {
    if (!tellsOfFailure(line)) return false
    const isSum = isSummary(line)
    return index > passed ? isSum || index >= endStart : isSum && index >= endStart
  })
}

function wordsVerdict({ shell, output }: OutcomeClues): Verdict {
  // What `cat log` or `git show` print is not about themselves.
  const looks = shell !== null && isLook(shell)
  if (looks && !isQuery(shell)) return UNKNOWN
  const lines = judgedLines(output)
  // Queries and other tools answer with documents; only an answer that begins as an error is one.
  const answers = shell === null || looks
  const failing = answers ? lines.filter((line) => line.trim() !== '').slice(0, 1) : lines
  if (failing.some(tellsOfFailure)) return { outcome: 'failed', evidence: 'text' }
  // What passed is then another command.
  if (shell !== null && (turnsExitCode(shell) || listsFindings(shell, lines) || testedNothing({ shell, output })))
    return UNKNOWN
  if (endsUndone(saidLines(output))) return UNKNOWN
  if (shell !== null && !answers && lines.filter(tellsPass).some(ownWords(shell)))
    return { outcome: 'passed', evidence: 'text' }
  if (shell !== null && isBuild(shell) && endsInLoggedError(lines)) return { outcome: 'failed', evidence: 'text' }
  return UNKNOWN
}

/** Tells the words of the command that matters from those of an echo, or of what stands before it, such as an install before a test. */
function ownWords(shell: string): (line: string) => boolean {
  const said = saidAnyway(shell)
  const doing = commandShape(shell).segments.filter((segment) => !isLook(segment))
  const last = unwrapped(doing.at(-1) ?? '')
  const others = doing.length > 1 ? PREPARATIONS.filter(({ command }) => !command.test(last)) : []
  return (line) => !said.some((words) => words.includes(line.trim())) && !others.some(({ sign }) => sign.test(line))
}

/**
 * Whether `[ERROR] …` is the last that was said: nothing follows but indented details, other such lines and words of
 * trouble. Servers and tests log such lines in passing too, so this counts for builds alone, and without a summary of
 * success.
 */
function endsInLoggedError(lines: readonly string[]): boolean {
  const first = lines.findIndex((line) => /^\[ERROR\] \S/.test(line))
  return (
    first >= 0 && lines.slice(first).every((line) => /^\s|^$/.test(line) || isAside(line) || ownSign(line) !== null)
  )
}

/** Whether a run of tests says that it ran none, and no other beside it says that it passed. */
function testedNothing({ shell, output }: Pick<OutcomeClues, 'shell' | 'output'>): boolean {
  if (shell !== null && isLook(shell)) return false
  const lines = judgedLines(output)
  const tallies = talliesOf(lines)
  // Such words end an empty run too; those of a build tell of it alone.
  const bare = shell !== null && asksForTests(shell) ? BARE_PASS : /^(?:OK|PASS(?:ED)?)$/
  const isPass = (line: string): boolean => {
    const tally = tallies.get(line)
    return tally === undefined ? tellsPass(line) && !bare.test(line.trim()) : (tally.passed ?? 0) > 0
  }
  const isEmpty = lines.some((line) => tellsEmptyRun(line, tallies.get(line))) || tallies.has(NONE_RAN)
  return isEmpty && !lines.some(isPass)
}

const BARE_PASS =
  /^(?:OK|PASS(?:ED)?)$|^(?:\[\w+\] )?(?:BUILD|Build) (?:SUCCESSFUL|SUCCESS|succeeded)\b|^INFO: Build completed successfully/

function tellsPass(line: string): boolean {
  return matchesAny(line, PASSING_SIGNS) && !tellsEmptyRun(line, tallyIn(line))
}

/** The exit code that the output's first line or one of its last says; the last one said counts. */
function printedExitCode(output: string): number | null {
  const lines = judgedLines(output).filter((line) => line.trim() !== '')
  const candidates = [...lines.slice(-4).reverse(), ...lines.slice(0, 1)]
  for (const line of candidates) {
    const code = exitCodeIn(line)
    if (code !== null) return code
  }
  return null
}

export function exitCodeIn(line: string): number | null {
  for (const mark of EXIT_MARKS) {
    const code = mark.exec(line)?.[1]
    if (code !== undefined) return Number(code)
  }
  return null
}

const EXCEPTION = /^(?:E +)?(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b/

/** Whether a line only tells an exit code, whoever wrote it. An exception about one, or a server's answer, says more. */
export function isExitLine(line: string): boolean {
  const code = exitCodeIn(line)
  if (code === null) return /exit|non-zero/i.test(line) && ownSign(line)?.tells === 'exit'
  const isAnswer = code >= 300 && code < 600 && /\bstatus\b/i.test(line)
  return !isAnswer && !EXCEPTION.test(line)
}

/** Without exit codes, which stand behind what the program said. */
function saidLines(output: string): readonly string[] {
  return judgedLines(output).filter((line) => !isExitLine(line))
}

export function matchesAny(line: string, signs: readonly RegExp[]): boolean {
  return signs.some((sign) => sign.test(line))
}

/** Whether only programs that failed write such a line. */
export function tellsOfFailure(line: string): boolean {
  return !isAside(line) && FAILURE_SIGNS.some(({ sign, proves }) => proves === true && sign.test(line))
}

/** None of an aside, which has its words from elsewhere. */
function ownSign(line: string): FailureSign | null {
  return isAside(line) ? null : failureSignOf(line)
}

/** Whether a line sums up what failed; the heading of a Python trace only stands above it. */
function isSummary(line: string): boolean {
  return ownSign(line)?.tells === 'summary' && !/^\s*Traceback /.test(line)
}

/**
 * Whether `later`, the same call as the failed one, passed, and not by leaving out the test that failed. Where its own outcome is unknown, a transcript's convention
 * can still tell, and only in these cases; any other silence stays unknown, for a program may have been interrupted, or
 * may fail without a word:
 * - the very same line ended with a bad exit code before and with a good one now, though it is a list or a pipe;
 * - the failure carried a printed exit code, passes in this run never do (`marksPasses` false), so a missing one means 0;
 * - the program is known to name each of its failures, and did so before, but not now;
 * - the very same line named its failure before and now says something else, see `speaksOtherwise`;
 * - a tool that is no shell began its answer with an error before, and now answers with something else.
 */
export function passedAfter(failed: Step, later: Step, options: { readonly marksPasses: boolean }): boolean {
  if (later.outcome === 'failed') return false
  const lines = saidLines(later.output)
  if (hadNothingToDo(lines) || leavesOutFailed(judgedLines(failed.output), lines)) return false
  if (later.outcome !== 'unknown' || !later.finished) return later.outcome === 'passed'
  if (later.shell && isNoPass(later)) return false
  if (!later.shell) return failed.evidence === 'text' && !endsUndone(lines) && answersOtherwise(later.output)
  const isGoodCode = later.evidence === 'exit' || later.evidence === 'flag'
  if (isGoodCode && failed.evidence !== 'text' && failed.command === later.command) return true
  if (failed.evidence === 'mark' && !isGoodCode) return !options.marksPasses && endsInPeace(later.output)
  const { segments, operators } = commandShape(later.command)
  // The end of a pipe or of a list may have swallowed the word of its failure.
  if (operators.some((operator) => operator !== '&&')) return false
  // What stops at what it announces may have been stopped itself.
  if (endsAnnouncing(lines)) return false
  const program = programOf(segments.at(-1) ?? '')
  const outspoken = FAILURE_SIGNS.filter(({ programs }) => programs?.includes(program))
  if (judgedLines(failed.output).some((line) => outspoken.some(({ sign }) => sign.test(line)))) return true
  return failed.evidence === 'text' && failed.command === later.command && speaksOtherwise(failed, later)
}

/** Whether an output is whole and its last line speaks of no trouble; where it was cut off, an exit code may be gone with its end. */
function endsInPeace(output: string): boolean {
  const last = judgedLines(output).findLast((line) => line.trim() !== '') ?? ''
  return !CUT_OFF.test(output) && (ownSign(last) === null || tellsPass(last))
}

/** Whether a command of unknown outcome cannot count as passed, whatever its kind of log suggests. */
function isNoPass({ command, output }: Step): boolean {
  const clues = { shell: command, output }
  const lines = judgedLines(output)
  const isEmpty = testedNothing(clues) || endsUndone(saidLines(output))
  return (
    isAlwaysZero(command) || turnsExitCode(command) || endsInFailure(clues) || isEmpty || listsFindings(command, lines)
  )
}

/** Whether a tool's answer neither begins with a word of trouble nor ends in a failure. */
function answersOtherwise(output: string): boolean {
  const first = judgedLines(output).find((line) => line.trim() !== '')
  return first !== undefined && ownSign(first) === null && !endsInFailure({ shell: null, output })
}

/**
 * The weakest evidence that counts, and not a proof: the same command line failed in words that only failing programs
 * write; now it came to its end (a prompt follows), printed something, and no word of that speaks of trouble. A program
 * that fails anew without saying so is taken for a pass. What keeps that rare: a failure that ended in a summary (tests,
 * linters, builds) must be followed by a summary of success, a sign that output was cut off counts as none at all, and
 * the caller asks that something was done in between that can have made the difference. The experience says on what
 * it rests.
 */
function speaksOtherwise(failed: Step, later: Step): boolean {
  if (!isWhollyJudged(later.output) || !/\S/.test(later.output) || CUT_OFF.test(later.output)) return false
  // Of a program that died while it asked, another answer alone may have made the difference.
  if (diedAsking(failed.output)) return false
  return (
    judgedLines(later.output).every((line) => ownSign(line) === null) &&
    judgedLines(failed.output).every((line) => !isSummary(line) && ownSign(line)?.tells !== 'exit')
  )
}

const CUT_OFF = /^\s*(?:\.{3}|…|\[\.{3}\]|<snip>|\[snip\])\s*$|\btruncated\b|\bmore (?:lines|characters)\b/im
