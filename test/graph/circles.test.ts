/** Procedures that build on themselves, as another program may have written them: validation names their links and no others. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkedRow, insertNode } from '../../src/graph/nodes.ts'
import { insertRelation } from '../../src/graph/relations.ts'
import { validateGraph } from '../../src/graph/validation.ts'
import { scratchGraph } from '../fakes/scratch-graph.ts'

const NODES = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const LISTS = { steps: [], preconditions: [], postconditions: [], usage_count: 0 }

type Links = readonly (readonly [string, string])[]

function problemsOf(links: Links): readonly (string | null)[] {
  const { database } = scratchGraph()
  for (const id of NODES)
    insertNode(database, 'ProceduralMemory', id, checkedRow('ProceduralMemory', { procedure_name: id, ...LISTS }))
  for (const [from, to] of links)
    insertRelation(database, { relation: 'BUILDS_ON', from, to }, { relationship_type: null })
  return validateGraph(database).problems.map(({ id }) => id)
}

test.each([
  [[['a', 'b']], []],
  [[['a', 'a']], ['a -> a']],
  [
    [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'a'],
      ['b', 'd'],
    ],
    ['a -> b', 'b -> a'],
  ],
  [
    [
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'd'],
      ['c', 'd'],
    ],
    [],
  ],
] as [Links, string[]][])('of %j are %j', (links, expected) => {
  expect(problemsOf(links)).toEqual(expected)
})

test('there are some where walking the links comes back to its start, and else none', () => {
  const node = fc.constantFrom(...NODES)
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(node, node), { maxLength: 10, selector: (link) => link.join() }), (links) => {
      const reached = (from: string, seen: Set<string>): Set<string> => {
        for (const [start, end] of links)
          if (start === from && !seen.has(end)) {
            seen.add(end)
            reached(end, seen)
          }
        return seen
      }
      const isCircular = NODES.some((id) => reached(id, new Set()).has(id))
      expect(problemsOf(links).length > 0).toBe(isCircular)
    }),
    { numRuns: 50 },
  )
})
