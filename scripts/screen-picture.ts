/** What a terminal shows, as an SVG picture that follows the reader's light or dark. The same screen gives the same bytes. */
import type { IBufferCell } from '@xterm/headless'
import type { PseudoTerminal } from './pseudo-terminal.ts'

const CELL = { width: 8, height: 18 }
const MARGIN = 12
/** Where letters stand in their row. */
const BASELINE = 13

const STYLE = `
svg{--ground:#ffffff;--frame:#d0d7de;--text:#1f2328;--faint:#656d76;--alarm:#9a6700}
@media (prefers-color-scheme:dark){svg{--ground:#0d1117;--frame:#30363d;--text:#e6edf3;--faint:#8b949e;--alarm:#d29922}}
rect{fill:var(--ground)}.f{stroke:var(--frame)}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);white-space:pre}
.b{font-weight:700}.d{fill:var(--faint)}.y{fill:var(--alarm)}.u{text-decoration:underline}
.i{fill:var(--text)}.i+text{fill:var(--ground)}.c{fill:var(--faint)}`.replaceAll('\n', '')

interface Run {
  readonly column: number
  readonly width: number
  readonly text: string
  readonly classes: string
}

/** @param about what is to be seen, for who does not see it. @param instead texts that are shown as others */
export function screenPicture(
  terminal: PseudoTerminal,
  about: string,
  instead: Readonly<Record<string, string>> = {},
): string {
  const { lines, cursor } = terminal
  const last = Math.max(
    cursor.row,
    lines.findLastIndex((line) => line !== ''),
  )
  const columns = terminal.cells(0).length
  const width = columns * CELL.width + 2 * MARGIN
  const height = (last + 1) * CELL.height + 2 * MARGIN
  const rows = Array.from({ length: last + 1 }, (_, row) => rowPicture(runsOf(terminal.cells(row)), row, instead))
  const [x, y] = [MARGIN + cursor.column * CELL.width, MARGIN + cursor.row * CELL.height + 1]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(about)}</title><style>${STYLE}</style>`,
    `<rect class="f" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    ...rows.filter((row) => row !== ''),
    `<rect class="c" x="${x}" y="${y}" width="${CELL.width}" height="${CELL.height - 2}"/>`,
    '</svg>\n',
  ].join('\n')
}

/** Neighbours that look alike are one text. */
function runsOf(cells: readonly IBufferCell[]): readonly Run[] {
  const runs: Run[] = []
  for (const [column, cell] of cells.entries()) {
    const width = cell.getWidth()
    // The second half of a wide character.
    if (width === 0) continue
    const [classes, text] = [classesOf(cell), cell.getChars() || ' ']
    const before = runs.at(-1)
    if (before?.classes === classes)
      runs[runs.length - 1] = { ...before, width: before.width + width, text: before.text + text }
    else runs.push({ column, width, text, classes })
  }
  return runs
}

function classesOf(cell: IBufferCell): string {
  const signs = [
    [cell.isBold(), 'b'],
    [cell.isDim(), 'd'],
    [cell.isUnderline(), 'u'],
    [cell.isInverse(), 'i'],
    [cell.isFgPalette() && cell.getFgColor() === 3 ? 1 : 0, 'y'],
  ] as const
  return signs.flatMap(([is, name]) => (is === 0 ? [] : [name])).join(' ')
}

function rowPicture(runs: readonly Run[], row: number, instead: Readonly<Record<string, string>>): string {
  const top = MARGIN + row * CELL.height
  const shown = runs.flatMap((run) => {
    const text = Object.entries(instead)
      .reduce((all, [from, to]) => all.replaceAll(from, to), run.text)
      .trimEnd()
    if (text === '') return []
    const x = MARGIN + run.column * CELL.width
    const ground = run.classes.includes('i')
      ? `<rect class="i" x="${x}" y="${top}" width="${run.width * CELL.width}" height="${CELL.height}"/>`
      : ''
    const length =
      text.length === run.text.trimEnd().length ? ` textLength="${Bun.stringWidth(text) * CELL.width}"` : ''
    const classes = run.classes === '' ? '' : ` class="${run.classes}"`
    return [`${ground}<text x="${x}" y="${top + BASELINE}"${length}${classes}>${escaped(text)}</text>`]
  })
  return shown.join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
