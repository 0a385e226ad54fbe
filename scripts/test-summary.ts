/** Reads the summary that `bun test` prints. Knows its words; runs nothing. */
import { stripVTControlCharacters } from 'node:util'

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * @param report what `bun test` wrote
 * @param exitCode null when a signal ended it
 * A run that ends badly without naming a failed test, such as a crash or a run without tests, counts as one failure.
 */
export function countsOf(report: string, exitCode: number | null): TestCounts {
  const summary = summaryOf(report)
  const failed = summary.get('fail') ?? 0
  return {
    passed: summary.get('pass') ?? 0,
    failed: exitCode === 0 ? failed : Math.max(failed, 1),
    skipped: (summary.get('skip') ?? 0) + (summary.get('todo') ?? 0),
  }
}

export function closingLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/** The lines `N pass` and so on in the last block before `Ran N tests`: a test may print the like earlier. */
function summaryOf(report: string): Map<string, number> {
  const lines = stripVTControlCharacters(report).trimEnd().split(/\r?\n/)
  const counts = new Map<string, number>()
  const end = lines.findLastIndex((line) => /^Ran \d+ tests? across/.test(line))
  for (let index = end - 1; index >= 0; index--) {
    const found = /^\s*(\d+) ([a-z]+)/.exec(lines[index] ?? '')
    if (found === null) break
    counts.set(found[2] ?? '', Number(found[1]))
  }
  return counts
}
