/** Answers in Cypher as people read them: a table, a row a line. */
import type * as v from 'valibot'
import type { cypherOutput } from '../app/operations/memory-cypher.ts'
import { counted } from '../model/counted.ts'
import type { Paint } from './paint.ts'
import { shownSafely } from './terminal-text.ts'

/** UTF-16 units of a cell; all of it is in the JSON answer. */
const CELL_UNITS_MAX = 60

export function cypherText(
  { columns, rows, notice }: v.InferOutput<ReturnType<typeof cypherOutput>>,
  paint: Paint,
): string {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])))
  const titles = columns.map(cellText)
  const widths = titles.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    paint.strong(line(titles)),
    ...cells.map(line),
    '',
    counted(rows.length, 'row'),
    ...(notice === undefined ? [] : [paint.faint(notice)]),
  ].join('\n')
}

function cellText(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  const line = shownSafely(text).replaceAll(/[\n\t]/g, ' ')
  return line.length > CELL_UNITS_MAX ? `${line.slice(0, CELL_UNITS_MAX).toWellFormed()}…` : line
}
