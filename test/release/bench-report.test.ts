import { expect, test } from 'bun:test'
import { reportMarkdown } from '../../scripts/bench/bench-report.ts'

const reportOf = (...verdicts: Parameters<typeof reportMarkdown>[0]['verdicts']) =>
  reportMarkdown({ question: 'Q', method: 'M', tables: [], plot: null, notes: [], verdicts }, null)

test('a ratio and a count reach a target from below, a score from above', () => {
  const text = reportOf(
    { what: 'time', value: 1.5, reach: 1.2 },
    { what: 'calls', value: 5, reach: 5, kind: 'count' },
    { what: 'better', value: 0.53, reach: 0.52, kind: 'score' },
    { what: 'worse', value: 0.5, reach: 0.52, kind: 'score' },
  )
  expect(text.split('\n').filter((line) => /\| (?:yes|no) \|$/.test(line))).toEqual([
    '| time | 1.50× | ≤ 1.20× | no |',
    '| calls | 5 | ≤ 5 | yes |',
    '| better | 0.5300 | ≥ 0.52 | yes |',
    '| worse | 0.5000 | ≥ 0.52 | no |',
  ])
})
