/** What a benchmark found, as text for a terminal and as Markdown for the documentation. */
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import type { BenchPlot } from './bench-plot.ts'
import type { Measured } from './interleaved-runs.ts'
import { describeMachine } from './measured-machine.ts'
import type { QuestionOptions } from './question-options.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'

export interface BenchTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** One number that there is a target for. */
export interface Verdict {
  readonly what: string
  readonly value: number
  /** The most it should be; of a score the least. */
  readonly reach: number
  /** A ratio when not given. */
  readonly kind?: 'ratio' | 'count' | 'score'
}

export interface BenchReport {
  readonly question: string
  readonly method: string
  readonly tables: readonly BenchTable[]
  readonly verdicts: readonly Verdict[]
  /** Null when there are neither rounds nor sizes to compare. */
  readonly plot: BenchPlot | null
  readonly notes: readonly string[]
}

export const milliseconds = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(value < 1000 ? 1 : 0))
export const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)
export const ratio = (value: number) => `${value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : 1)}×`

/** One row a program; ratios are those of the same round to the contender of number `base`. */
export function runsTable(title: string, measured: readonly Measured[], base: number): BenchTable {
  const reference = measured[base]
  return {
    title: `${title} (${reference?.wallMs.length ?? 0} rounds)`,
    columns: [
      'program',
      'median ms',
      'quartiles',
      'CPU ms',
      'peak RSS MiB',
      `to ${reference?.name ?? ''}`,
      'quartiles',
      'CPU to it',
    ],
    rows: measured.map(({ name, wallMs, cpuMs, peakBytes }) => {
      const ratios = pairwiseRatios(wallMs, reference?.wallMs ?? [])
      const cpuRatios = pairwiseRatios(cpuMs, reference?.cpuMs ?? [])
      return [
        name,
        milliseconds(median(wallMs)),
        `${milliseconds(quantile(wallMs, 0.25))} – ${milliseconds(quantile(wallMs, 0.75))}`,
        milliseconds(median(cpuMs)),
        peakBytes === null ? '–' : mebibytes(peakBytes),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
        ratio(median(cpuRatios)),
      ]
    }),
  }
}

/** Prints a question's report, and leaves it where the options say. */
export async function answer(options: QuestionOptions, measure: () => Promise<BenchReport>): Promise<void> {
  const loadBefore = loadavg()[0] ?? 0
  const report = await measure()
  const day = new Date().toISOString().slice(0, 10)
  const load = `load of the machine ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`
  const rounds = `at most ${options.rounds} rounds (\`--rounds\`), fewer when they take over ${options.budgetMs / 1000} s (\`--budget\`)`
  const whole = { ...report, notes: [...report.notes, `Measured on ${day}, ${rounds}; ${load}.`] }
  console.log(reportText(whole, describeMachine(options.data)))
  if (options.report !== null) writeFileSync(options.report, `${JSON.stringify(whole)}\n`)
}

function reportText(report: BenchReport, machine: readonly string[]): string {
  const verdicts = report.verdicts.map(verdictLine)
  return [report.question, ...machine, '', ...report.tables.map(tableText), ...verdicts, ...report.notes].join('\n')
}

function tableText({ title, columns, rows }: BenchTable): string {
  const widths = columns.map((column, at) => Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return `${[title, line(columns), ...rows.map(line)].join('\n')}\n`
}

function verdictLine(verdict: Verdict): string {
  const { what, value, wanted, isReached } = shownVerdict(verdict)
  return `${isReached ? 'reached' : 'MISSED '}  ${what}: ${value}, target ${wanted}`
}

interface ShownVerdict {
  readonly what: string
  readonly value: string
  readonly wanted: string
  readonly isReached: boolean
}

function shownVerdict({ what, value, reach, kind = 'ratio' }: Verdict): ShownVerdict {
  switch (kind) {
    case 'ratio':
      return { what, value: ratio(value), wanted: `≤ ${ratio(reach)}`, isReached: value <= reach }
    case 'count':
      return { what, value: String(value), wanted: `≤ ${reach}`, isReached: value <= reach }
    case 'score':
      return { what, value: value.toFixed(4), wanted: `≥ ${reach.toFixed(2)}`, isReached: value >= reach }
  }
}

/** @param picture where its plot is, as seen from the document; null for none */
export function reportMarkdown(report: BenchReport, picture: string | null): string {
  const verdicts = report.verdicts
    .map(shownVerdict)
    .map(({ what, value, wanted, isReached }) => [what, value, wanted, isReached ? 'yes' : 'no'])
  const targets =
    verdicts.length === 0
      ? []
      : [tableMarkdown({ title: '', columns: ['target', 'measured', 'wanted', 'reached'], rows: verdicts })]
  return [
    `## ${report.question}`,
    report.method,
    ...targets,
    ...(picture === null ? [] : [`![${report.question}: quartiles and target](${picture})`]),
    ...report.tables.map(tableMarkdown),
    report.notes.map((note) => `- ${note}`).join('\n'),
  ].join('\n\n')
}

function tableMarkdown({ title, columns, rows }: BenchTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = `|${columns.map((_, at) => (at === 0 ? ' --- ' : ' ---: ')).join('|')}|`
  const table = [line(columns), rule, ...rows.map(line)].join('\n')
  return title === '' ? table : `${title}\n\n${table}`
}
