import { describe, expect, test } from 'bun:test'
import { plotSvg, ratioGroup } from '../../scripts/bench/bench-plot.ts'

/** Of the elements of one kind, in order: the attributes as numbers. */
function attributes(svg: string, element: string, ...names: readonly string[]): readonly number[][] {
  return [...svg.matchAll(new RegExp(`<${element} [^>]*>`, 'g'))].map(([tag]) =>
    names.map((name) => Number(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1])),
  )
}

const plotOf = (values: readonly number[], target: number | null) =>
  plotSvg({ axis: 'times', groups: [{ label: 'all', target, rows: [{ name: 'knowhow', values }] }] }, 'Title')

describe('the plot of a benchmark', () => {
  test('has its box from quartile to quartile, and the target where the axis has that value', () => {
    const svg = plotOf([16, 1, 8, 2, 4], 2)
    const [left = Number.NaN, width = Number.NaN] = attributes(svg, 'rect class="ours"', 'x', 'width')[0] ?? []
    const [target] = attributes(svg, 'line class="target"', 'x1')[0] ?? []
    // The whiskers, then the median; on a logarithmic axis 4 lies midway between 2 and 8.
    const [, median] = attributes(svg, 'line class="ours"', 'x1')
    expect(target).toBe(left)
    expect(median?.[0]).toBeCloseTo(left + width / 2, 0)
  })

  test('has no target line without a target', () => {
    expect(plotOf([1, 2, 3], null)).not.toContain('class="target"')
  })

  test('shows a single value as a point', () => {
    const svg = plotOf([3], null)
    expect(attributes(svg, 'circle', 'r')).toHaveLength(1)
    expect(svg).not.toContain('<rect class="ours"')
  })

  test('takes what is written in it as text', () => {
    const svg = plotSvg({ axis: 'a < b & c', groups: [] }, '</title>')
    expect(svg).toContain('a &lt; b &amp; c')
    expect(svg).toContain('<title>&lt;/title&gt;</title>')
  })
})

test('ratios are those of the same round, and the base is left out', () => {
  const runs = [
    { name: 'ours', wallMs: [30, 10] },
    { name: 'base', wallMs: [10, 5] },
  ]
  expect(ratioGroup('all', runs, { base: 1, target: 4 })).toEqual({
    label: 'all',
    target: 4,
    rows: [{ name: 'ours', values: [3, 2] }],
  })
})
