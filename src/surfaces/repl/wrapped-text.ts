/**
 * Text in lines that a terminal shows without breaking them itself, as far as its words allow. What `Paint` painted stays
 * painted over the end of a line, and each line can be shown alone.
 */
import { displayWidth, graphemesOf, graphemeWidth } from '../display-width.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const PAINTED = /(\u001b\[[\d;]*m)/
const PLAIN = /^[ -~]*$/
const RESET = '\u001b[0m'

/** A character as it is seen, with the style that it has. */
interface Cell {
  readonly text: string
  readonly width: number
  /** What switches its style on; empty for a plain one. */
  readonly style: string
}

/** @param columns at least 1. @returns lines without line ends; one of an unbroken word may be wider */
export function wrappedLines(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let style = ''
  for (const line of text.split('\n')) {
    // Most lines of a long text; to take one apart costs a hundred times as much.
    if (style === '' && line.length <= columns && PLAIN.test(line)) {
      lines.push(line)
      continue
    }
    const { cells, lastStyle } = cellsOf(line, style)
    style = lastStyle
    for (const part of wrappedCells(cells, columns)) lines.push(drawn(part))
  }
  return lines
}

/** Rows of a terminal that a line takes. */
export function rowsOf(line: string, columns: number): number {
  const plain = line.split(PAINTED).filter((_, at) => at % 2 === 0)
  return Math.max(1, Math.ceil(displayWidth(plain.join('')) / columns))
}

/** @param style that the line before has left switched on */
function cellsOf(line: string, style: string): { readonly cells: readonly Cell[]; readonly lastStyle: string } {
  const cells: Cell[] = []
  let current = style
  for (const [at, part] of line.split(PAINTED).entries())
    if (at % 2 === 1) current = part === RESET ? '' : part
    else for (const text of graphemesOf(part)) cells.push({ text, width: graphemeWidth(text), style: current })
  return { cells, lastStyle: current }
}

function wrappedCells(cells: readonly Cell[], columns: number): readonly (readonly Cell[])[] {
  const lines: (readonly Cell[])[] = []
  const indent = indentOf(cells, columns)
  const hanging = Array.from({ length: indent }, (): Cell => ({ text: ' ', width: 1, style: '' }))
  let rest = cells
  let room = columns
  // Nothing is gained by a line that holds a number or a name alone.
  for (let end = lineEnd(rest, room, indent); end < rest.length; end = lineEnd(rest, room, 0)) {
    lines.push(trimmed(lines.length === 0 ? rest.slice(0, end) : [...hanging, ...rest.slice(0, end)]))
    rest = withoutLeadingSpace(rest.slice(end))
    room = columns - indent
  }
  if (rest.length > 0 || lines.length === 0) lines.push(lines.length === 0 ? rest : [...hanging, ...rest])
  return lines
}

/** How many cells go into a line: to the last place within the room where it may end, else to the first behind it. */
function lineEnd(cells: readonly Cell[], room: number, least: number): number {
  let width = 0
  let end = 0
  for (const [at, { width: own }] of cells.entries()) {
    if (at > least && mayEndAt(cells, at)) end = at
    width += own
    if (width > room && end > 0) return end
  }
  return cells.length
}

/** Before a space, and on both sides of a wide character: their scripts have no spaces. */
function mayEndAt(cells: readonly Cell[], at: number): boolean {
  return cells[at]?.text === ' ' || cells[at]?.width === 2 || cells[at - 1]?.width === 2
}

/** Where a line goes on: below its first word, its text behind a number, or its second column if that leaves room. */
function indentOf(cells: readonly Cell[], columns: number): number {
  const plain = cells.map(({ text }) => text).join('')
  const column = /^ *\S.*? {2,}(?=\S)/.exec(plain)?.[0].length ?? columns
  const [text = '', number] = /^ *(\d+\. )?/.exec(plain) ?? []
  const indent = number === undefined && column <= columns / 2 ? column : text.length
  return indent <= columns / 2 ? indent : 0
}

function trimmed(cells: readonly Cell[]): readonly Cell[] {
  const last = cells.findLastIndex(({ text }) => text !== ' ')
  return cells.slice(0, last + 1)
}

function withoutLeadingSpace(cells: readonly Cell[]): readonly Cell[] {
  const first = cells.findIndex(({ text }) => text !== ' ')
  return first === -1 ? [] : cells.slice(first)
}

function drawn(cells: readonly Cell[]): string {
  let text = ''
  let style = ''
  for (const cell of cells) {
    if (cell.style !== style) text += (style === '' ? '' : RESET) + cell.style
    style = cell.style
    text += cell.text
  }
  return style === '' ? text : text + RESET
}
