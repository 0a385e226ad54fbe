import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CARD, layoutOf } from '../../../src/graph/picture/layout.ts'
import { largeGraph } from '../../fakes/large-picture.ts'
import { sessionNode } from '../../fakes/nasty-picture.ts'

describe('the layout of a page', () => {
  test('puts no card on another and none beside the page, whatever the size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 400 }), (size) => {
        const { places, width, height } = layoutOf(largeGraph(size))
        const beside = places.filter(({ x, y }) => x < 0 || y < 0 || x + CARD.width > width || y + CARD.height > height)
        const covered = places.filter(({ x, y }, at) =>
          places
            .slice(at + 1)
            .some((other) => Math.abs(other.x - x) < CARD.width && Math.abs(other.y - y) < CARD.height),
        )
        expect({ beside, covered }).toEqual({ beside: [], covered: [] })
      }),
      { numRuns: 30 },
    )
  })

  test('lets events run down their columns as they came', () => {
    const graph = largeGraph(300)
    const events = layoutOf(graph).places.filter((_, at) => graph.nodes[at]?.node === 'EpisodicMemory')
    for (const [at, { x, y }] of events.slice(1).entries()) {
      const before = events[at]
      expect(before !== undefined && (x > before.x || (x === before.x && y > before.y))).toBe(true)
    }
  })

  test('is about as wide as a window, also for thousands', () => {
    for (const size of [60, 300, 2000]) {
      const { width, height } = layoutOf(largeGraph(size))
      expect(width / height).toBeGreaterThan(0.8)
      expect(width / height).toBeLessThan(2)
    }
  })

  test('is the same each time, in whole numbers', () => {
    const first = layoutOf(largeGraph(200))
    expect(layoutOf(largeGraph(200))).toEqual(first)
    for (const { x, y } of first.places) expect(Number.isInteger(x) && Number.isInteger(y)).toBe(true)
  })

  test('holds a session that holds nothing', () => {
    const { places, groups } = layoutOf({ session_id: 's', nodes: [sessionNode('s')], edges: [] })
    expect(places).toHaveLength(1)
    expect(groups).toHaveLength(1)
  })
})
