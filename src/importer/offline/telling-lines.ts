/** The lines of a failed call's output that can be its error: without what stands beside it, each with its continuation. */
import { isAside } from '../producers/asides.ts'
import { failureSignOf } from '../producers/failure-signs.ts'
import { judgedLines } from '../producers/judged-lines.ts'

/**
 * Lines with a word or a number, without warnings, advice and what calls that passed printed too. A line that only
 * announces what the next one says is one with it.
 * @param usual see `Step.usual`
 */
export function tellingLines(output: string, usual: ReadonlySet<string> = new Set()): readonly string[] {
  const said = judgedLines(output).map((line) => line.trimEnd())
  return joined(said.map((line) => (isAside(line) || usual.has(line) ? '' : line)))
}

/** Boxes have a border above their text; farther away another thing is told. */
const LINES_BETWEEN_MAX = 2

function joined(said: readonly string[]): readonly string[] {
  const lines: string[] = []
  let lastAt = 0
  for (const [at, line] of said.entries()) {
    if (!/[\p{L}\p{N}]/u.test(line)) continue
    const last = lines.at(-1)
    const isNear = at - lastAt <= LINES_BETWEEN_MAX
    lastAt = at
    if (last !== undefined && isNear && goesOn(last, line)) lines[lines.length - 1] = `${last} ${withoutBox(line)}`
    else lines.push(line)
  }
  return lines
}

/** A panic of Rust, what pytest found to differ, Gradle's chain of causes, an error of which only the name stands there. */
const ANNOUNCED = /^thread .* panicked at \S+:\d+:\d+:$|^E {2,}Differing items:$|^\* What went wrong:$/
const CHAINED = /^\* What went wrong: .*\.$/
const NAMED =
  /^\s*(?:E {2,})?(?:[\w.$]*(?:Error|Exception)|error|fatal|ERROR|FATAL)(?: \[\w+\])?:(?: \S+:)?$|^CMake Error\b.*:$/
const FRAME = /^\s*(?:at |File "|from |in |\.{3})/

function goesOn(line: string, next: string): boolean {
  if (ANNOUNCED.test(line)) return true
  if (CHAINED.test(line)) return /^\s*> \S/.test(next)
  return NAMED.test(line) && !isFrame(next) && !isCause(next)
}

/** Whether a line only says where the program was. */
export function isFrame(line: string): boolean {
  return FRAME.test(line)
}

function isCause(line: string): boolean {
  return failureSignOf(line)?.tells === 'cause'
}

function withoutBox(line: string): string {
  return line
    .replace(/[\u2500-\u257f]+/g, ' ')
    .replace(/^E {2,}/, '')
    .trim()
}
