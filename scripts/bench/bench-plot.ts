/**
 * Quartiles of ratios as a picture: one row a program, on a logarithmic axis, with the target as a dashed line. SVG that
 * stands alone and follows the reader's light or dark scheme; the same measurements give the same bytes.
 */
import type { Measured } from './interleaved-runs.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'

export interface BenchPlot {
  /** What the axis shows, with its unit. */
  readonly axis: string
  readonly groups: readonly PlotGroup[]
}

export interface PlotGroup {
  readonly label: string
  readonly rows: readonly PlotRow[]
  /** The most that the product should have; null without a target. */
  readonly target: number | null
}

export interface PlotRow {
  readonly name: string
  /** One or more, above 0. */
  readonly values: readonly number[]
}

/** All programs but the one of number `base`, as multiples of its time in the same round. */
export function ratioGroup(
  label: string,
  runs: readonly Pick<Measured, 'name' | 'wallMs'>[],
  { base, target }: { readonly base: number; readonly target: number | null },
): PlotGroup {
  const rows = runs.map(({ name, wallMs }) => ({ name, values: pairwiseRatios(wallMs, runs[base]?.wallMs ?? []) }))
  return { label, target, rows: rows.filter((_, at) => at !== base) }
}

// Pixels.
const WIDTH = 760
const NAMES_WIDTH = 250
const FIGURES_WIDTH = 76
const ROW_HEIGHT = 24
const BOX_HEIGHT = 12
const HEADING_HEIGHT = 30
const AXIS_HEIGHT = 54
const TOP = 10

const WHISKER_SHARE = 0.05
/** Of the axis beyond the outermost mark, as a factor. */
const MARGIN = 1.25

/** Of the product's rows; the others are grey. */
const OURS = /^knowhow/

const STYLE = `
text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328 }
.heading { font-weight: 600 }
.ground { fill: #ffffff }
.grid { stroke: #dde2e7 }
.one { stroke: #818b98 }
.other { fill: #ced5dc; stroke: #59636e }
.ours { fill: #a5ccff; stroke: #0a51b0 }
.target { stroke: #c21f2b; stroke-width: 1.5; stroke-dasharray: 5 3 }
.bound { fill: #c21f2b }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .ground { fill: #0d1117 }
  .grid { stroke: #2b323b }
  .one { stroke: #8b949e }
  .other { fill: #3a424c; stroke: #aab4bf }
  .ours { fill: #17457f; stroke: #7fbcff }
  .target { stroke: #ff7b72 }
  .bound { fill: #ff7b72 }
}`

type Scale = (value: number) => number

/** @param title for those who cannot see it */
export function plotSvg({ axis, groups }: BenchPlot, title: string): string {
  const [lowest, highest] = bounds(groups)
  const plotWidth = WIDTH - NAMES_WIDTH - FIGURES_WIDTH
  const x: Scale = (value) => NAMES_WIDTH + (Math.log(value / lowest) / Math.log(highest / lowest)) * plotWidth
  const parts: string[] = []
  let y = TOP
  for (const group of groups) {
    parts.push(...groupParts(group, y, x))
    y += HEADING_HEIGHT + group.rows.length * ROW_HEIGHT
  }
  const height = y + AXIS_HEIGHT
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    ...ticks(lowest, highest).flatMap((value) => [
      line(value === 1 ? 'one' : 'grid', [x(value), TOP], [x(value), y + 6]),
      label(times(value), [x(value), y + 22], 'middle'),
    ]),
    ...parts,
    label(axis, [NAMES_WIDTH + plotWidth / 2, y + 44], 'middle'),
    '</svg>',
    '',
  ].join('\n')
}

/** Ends of the axis. */
function bounds(groups: readonly PlotGroup[]): readonly [lowest: number, highest: number] {
  const marks = groups.flatMap(({ rows, target }) => [
    ...(target === null ? [] : [target]),
    ...rows.flatMap(({ values }) => [quantile(values, WHISKER_SHARE), quantile(values, 1 - WHISKER_SHARE)]),
  ])
  return [Math.min(1, ...marks) / MARGIN, Math.max(1, ...marks) * MARGIN]
}

/** Powers of ten, and their double and half where there is room. */
function ticks(lowest: number, highest: number): readonly number[] {
  const steps = highest / lowest > 1000 ? [1] : [1, 2, 5]
  const found: number[] = []
  for (let power = Math.floor(Math.log10(lowest)); 10 ** power <= highest; power += 1)
    for (const step of steps) found.push(Number(`${step}e${power}`))
  return found.filter((value) => value >= lowest && value <= highest)
}

function groupParts({ label: heading, rows, target }: PlotGroup, top: number, x: Scale): readonly string[] {
  const parts = [label(heading, [12, top + 20], 'start', 'heading')]
  const bottom = top + HEADING_HEIGHT + rows.length * ROW_HEIGHT
  for (const [at, row] of rows.entries())
    parts.push(...rowParts(row, top + HEADING_HEIGHT + (at + 0.5) * ROW_HEIGHT, x))
  if (target !== null)
    parts.push(
      line('target', [x(target), top + HEADING_HEIGHT - 4], [x(target), bottom]),
      label(`≤ ${times(target)}`, [x(target), top + 20], 'middle', 'bound'),
    )
  return parts
}

function rowParts({ name, values }: PlotRow, y: number, x: Scale): readonly string[] {
  const kind = OURS.test(name) ? 'ours' : 'other'
  const at = (share: number) => x(quantile(values, share))
  const middle = x(median(values))
  const top = y - BOX_HEIGHT / 2
  const marks =
    values.length === 1
      ? [`<circle class="${kind}" cx="${pixels(middle)}" cy="${pixels(y)}" r="${BOX_HEIGHT / 2 - 1}"/>`]
      : [
          line(kind, [at(WHISKER_SHARE), y], [at(1 - WHISKER_SHARE), y]),
          `<rect class="${kind}" x="${pixels(at(0.25))}" y="${pixels(top)}" width="${pixels(at(0.75) - at(0.25))}" height="${BOX_HEIGHT}"/>`,
          line(kind, [middle, top - 2], [middle, top + BOX_HEIGHT + 2], 2.5),
        ]
  return [label(name, [24, y + 4], 'start'), ...marks, label(times(median(values)), [WIDTH - 12, y + 4], 'end')]
}

type Point = readonly [x: number, y: number]

function line(kind: string, [x1, y1]: Point, [x2, y2]: Point, width?: number): string {
  const stroke = width === undefined ? '' : ` stroke-width="${width}"`
  return `<line class="${kind}" x1="${pixels(x1)}" y1="${pixels(y1)}" x2="${pixels(x2)}" y2="${pixels(y2)}"${stroke}/>`
}

function label(text: string, [x, y]: Point, anchor: 'start' | 'middle' | 'end', kind?: string): string {
  const style = kind === undefined ? '' : ` class="${kind}"`
  return `<text${style} x="${pixels(x)}" y="${pixels(y)}" text-anchor="${anchor}">${escaped(text)}</text>`
}

const pixels = (value: number) => String(Math.round(value * 10) / 10)
/** Three digits that count. */
const times = (value: number) => `${Number(value.toPrecision(value >= 100 ? 3 : 2 + Number(value >= 1)))}×`

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
