/** The formula of docs/recall.md, by hand. */
import { describe, expect, test } from 'bun:test'
import { scoreOf, weighed } from '../../src/graph/recall-score.ts'

const NOW = Date.parse('2026-12-01T00:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString()

test.each([
  // relevance 0.5; times (1 + 0) / 2
  [0.5, 0, 0, 0.25],
  // relevance 0.5 + 0.5 * 0.4 = 0.7; times (1 + 0.5) / 2
  [0.5, 0.4, 0.5, 0.525],
  [0, 0.4, 1, 0.4],
  [1, 0.9, 1, 1],
])('a match of %p, a link of %p and a quality of %p score %p', (match, link, quality, score) => {
  expect(scoreOf(match, link, quality)).toBeCloseTo(score, 12)
})

describe('quality', () => {
  test.each([
    ['episodic', { importance_score: 0.9, timestamp: daysAgo(0) }, 0.95],
    ['episodic', { importance_score: 0.9, timestamp: daysAgo(30) }, 0.7],
    ['episodic', { importance_score: null, timestamp: daysAgo(60) }, 0.375],
    ['semantic', { confidence_score: 0.8, last_updated: daysAgo(365), version: 2 }, 0.65],
    ['procedural', { success_rate: null, usage_count: 0 }, 0.7 * 0.5 + 0.3 * 0.5],
    ['procedural', { success_rate: 0.75, usage_count: 8 }, 0.7 * 0.7 + 0.3 * 0.75],
    ['prospective', { priority: 'critical', status: 'triggered' }, 1],
    ['prospective', { priority: 'low', status: 'pending' }, 0.75 * 0.625],
    ['prospective', { priority: 'critical', status: 'expired' }, 0.1],
  ] as const)('of %s memory with %j is %p', (kind, memory, quality) => {
    expect(weighed(kind, memory, NOW, 0).quality).toBeCloseTo(quality, 12)
  })

  test('of working memory is its activation', () => {
    expect(weighed('working', {}, NOW, 0.25)).toEqual({ quality: 0.25, reasons: ['activation 0.25'] })
  })

  test('has its reasons, and none for what is not said', () => {
    const event = { importance_score: null, timestamp: daysAgo(0) }
    expect(weighed('episodic', event, NOW, 0).reasons).toEqual(['of 2026-12-01'])
    expect(weighed('procedural', { success_rate: 0.75, usage_count: 4 }, NOW, 0).reasons).toEqual([
      '75 % success',
      'used 4 times',
    ])
  })
})
