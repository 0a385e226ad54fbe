/** Whether an exit code of 0 is that of the command one asks about, or of what stands around it. Reads the command line alone. */
import { commandShape, isLook, programOf, unwrapped } from './shell-command.ts'

/**
 * Whether a code of 0 of the whole says nothing about its parts: the end of a pipe, of a list or of an `|| true` is
 * another program's success, and what was sent to the background has not ended.
 */
export function masksExitCode(command: string): boolean {
  return isMasked(command, NESTED_MAX)
}

const NESTED_MAX = 3

function isMasked(command: string, levels: number): boolean {
  const { segments, leads, operators } = commandShape(command)
  if (segments.some((segment) => swallowsExitCode(segment, levels))) return true
  const { stopsAtFailure, pipesFail } = shellOptions(segments)
  if (operators.some((operator) => operator === '||' || operator === '&')) return true
  if (!pipesFail && operators.includes('|')) return true
  if (!operators.some(isListEnd)) return false
  // Even so the shell goes on after a condition, and after what fails in front of an `&&`.
  return !stopsAtFailure || segments.some((segment) => CONDITION.test(segment)) || goesOnAfterAnd(leads)
}

const CONDITION = /^(?:if|elif|while|until)\s/

function isListEnd(operator: string): boolean {
  return operator === ';' || operator === '\n'
}

function goesOnAfterAnd(leads: readonly string[]): boolean {
  const first = leads.indexOf('&&')
  return first >= 0 && leads.slice(first).some(isListEnd)
}

interface ShellOptions {
  readonly stopsAtFailure: boolean
  readonly pipesFail: boolean
}

function shellOptions(segments: readonly string[]): ShellOptions {
  const set = segments.filter((segment) => /^set\s/.test(segment))
  return {
    stopsAtFailure:
      set.some((segment) => /\s-\w*e\w*(?:\s|$)|-o errexit/.test(segment)) &&
      !set.some((segment) => /\s\+\w*e|\+o errexit/.test(segment)),
    pipesFail:
      set.some((segment) => /-\w*o pipefail/.test(segment)) && !set.some((segment) => /\+\w*o pipefail/.test(segment)),
  }
}

// Settings by which a program ends well whatever it found.
const LENIENT =
  /\s(?:--exit-zero|--fail-never|--issues-exit-code[= ]0|--exit-code[= ]0)(?:\s|$)|\s-D?maven\.test\.failure\.ignore(?:=true)?(?:\s|$)/
// What stands in front of a line in quotes that a shell runs.
const NESTING =
  /(?:^|[\s/])(?:ba|z|da|k|a)?sh -\w*c\s*$|^(?:cmd|powershell|pwsh)(?:\.exe)?\s|^(?:ssh|su|wsl|nix-shell|eval)\s/i

/** `make; true` of `bash -c "make; true"`; null where there is none. */
function nestedLine(segment: string): string | null {
  const start = segment.search(/["']/)
  if (start < 0 || !NESTING.test(segment.slice(0, start))) return null
  return segment.slice(start + 1, segment.lastIndexOf(segment.charAt(start)))
}

/** Whether a part of the line is to fail: `! pytest`. */
export function turnsExitCode(command: string): boolean {
  return commandShape(command).segments.some((segment) => segment.startsWith('! '))
}

/** Of a simple command. */
function swallowsExitCode(segment: string, levels: number): boolean {
  if (segment.startsWith('! ')) return true
  const bare = unwrapped(segment)
  const program = programOf(segment)
  if (LENIENT.test(bare)) return true
  if (/^g?make$/.test(program)) return /\s(?:-[BbkmnqrRsStvw]*i[BbkmnqrRsStvw]*|--ignore-errors)(?:\s|$)/.test(bare)
  if (/^mvnw?$/.test(program)) return /\s-fn(?:\s|$)/.test(bare)
  if (program === 'find') return /\s-(?:exec|ok)(?:dir)?\s/.test(bare) && /\\;|';'|";"/.test(bare)
  // The recorder of a session ends well unless it is told to pass the code on.
  if (program === 'script') return !/\s-\w*e|--return/.test(bare)
  const nested = levels > 0 ? nestedLine(bare) : null
  return nested !== null && isMasked(nested, levels - 1)
}

/** Programs that only print. */
const SPEAKERS = 'echo|printf|Write-Host|Write-Output'
/** How a shell calls the exit code of what ran last. */
export const LAST_CODE = String.raw`\$(?:\?|\{\?\}|LASTEXITCODE|status)`

/** What makes a command line succeed in any case, or prints a code, stands at its end and is short. */
const TAIL_UNITS = 200

/** Without what only closes the line, then without what the forms fit. Of a long line only its end is read. */
function withoutEnd(command: string, forms: readonly RegExp[] = []): string {
  const tail = command.slice(-TAIL_UNITS)
  const end = forms.reduce((rest, form) => rest.replace(form, ''), tail.replace(/[\s;)}]+$/, ''))
  return command.slice(0, command.length - tail.length) + end
}

const ALWAYS_ZERO = new RegExp(`^(?:(?:/bin/)?true|:|exit 0|wait|(?:${SPEAKERS})\\b.*)$`, 's')

/** Whether the exit code is 0 whatever happens: `pytest || true`, `pytest; true`, `pytest || echo failed`, `pytest &`. */
export function isAlwaysZero(command: string): boolean {
  const bare = withoutEnd(command)
  const { segments, leads, operators } = commandShape(bare)
  if (bare.endsWith('&') && operators.at(-1) === '&') return true
  const lead = leads.at(-1) ?? ''
  if (lead === '' || lead === '&&' || lead === '|') return false
  const last = (segments.at(-1) ?? '').slice(0, TAIL_UNITS).replace(/\s*\d?>.*$/, '')
  return ALWAYS_ZERO.test(last)
}

// How a line prints the code of what stands before it.
const SAYING = String.raw`(?:${SPEAKERS})\b[^;&|\n]*`
const PRINTING: readonly RegExp[] = [
  // ; echo "exit=$?"
  new RegExp(String.raw`\s*(?:[;\n]|&&|\|\|)\s*${SAYING}${LAST_CODE}[^;&|\n]*$`),
  // ; rc=$?; echo "rc=$rc"; exit $rc
  new RegExp(String.raw`\s*[;\n]\s*(\w+)=\$\?\s*[;\n]\s*${SAYING}\$\{?\1\b[^;&|\n]*(?:[;\n]\s*exit \S+\s*)?$`),
]

/** Whether the line itself prints the code of a part of it. */
export function printsExitCode(command: string): boolean {
  return withoutEnd(command, PRINTING) !== withoutEnd(command)
}

/** Whether a code of 0 that the line itself prints is of another program than the one that matters: of a pipe's end, or of `tail log`. */
export function masksPrintedCode(command: string): boolean {
  const bare = withoutEnd(command, PRINTING)
  if (isAlwaysZero(bare)) return true
  const { segments, leads } = commandShape(bare)
  const start = Math.max(0, leads.findLastIndex(isListEnd))
  const { pipesFail } = shellOptions(segments)
  const before = leads.slice(start + 1)
  if (before.includes('||') || before.includes('&') || (before.includes('|') && !pipesFail)) return true
  const statement = segments.slice(start)
  return start > 0 && statement.every(isLook)
}

const SEARCHES = /^(?:z?[ef]?grep|rg|ag|ack|pgrep|pidof|findstr|Select-String)$/

/** Programs that answer yes or no by their exit code. */
const ANSWERS = /^(?:test|\[\[?|which|command|type|diff|cmp)$/

/** Whether a code of 1 is only an answer: of a search behind the commands that matter, or of a question that stands alone. */
export function answersNo(command: string): boolean {
  const { segments, leads } = commandShape(command)
  const lead = leads.at(-1) ?? ''
  const program = programOf(segments.at(-1) ?? '')
  if (segments.length === 1) return SEARCHES.test(program) || ANSWERS.test(program)
  return (lead === '|' || isListEnd(lead)) && SEARCHES.test(program)
}

const SPEAKING = new RegExp(`^(?:${SPEAKERS})\\s`)

/** What the line prints whatever happened: the words of an `echo` that no `&&` or `||` leads to. */
export function saidAnyway(command: string): readonly string[] {
  const { segments, leads } = commandShape(command)
  const said = segments.filter(
    (segment, at) => leads[at] !== '&&' && leads[at] !== '||' && SPEAKING.test(unwrapped(segment)),
  )
  return said.slice(-SAID_MAX).map((segment) => segment.slice(0, SAID_UNITS_MAX))
}

// Each is sought in every line that tells of a pass, which takes long of a script that prints a whole page. The last ones
// stand beside the result.
const SAID_MAX = 20
const SAID_UNITS_MAX = 1_000
