/**
 * Where cards stand on a page: the types side by side, so that what is linked most stands next to each other. Events run
 * down their columns in the order in which they came; the rest follows the events that it is linked with. Whole numbers
 * in CSS pixels, without chance and without a search that could take long: the same graph has the same places everywhere.
 */
import { type NodeLabel, RELATIONS } from '../schema.ts'
import { type GraphNode, nodeId, type SessionGraph } from '../session-graph.ts'

export const CARD = { width: 208, height: 70 } as const
/** Between cards of one type, and between types, where the links run. */
const GAP = { column: 26, row: 16, band: 84, title: 48, margin: 24 } as const
const ROWS_MIN = 5
/** Of width by height, about that of a window beside the list. */
const ASPECT = 1.35

/** Types from left to right; those of one band stand one above the other. */
const BANDS: readonly (readonly NodeLabel[])[] = [
  ['Session'],
  ['EpisodicMemory'],
  ['SemanticMemory'],
  ['ProceduralMemory', 'WorkingMemory'],
  ['ProspectiveMemory'],
]

export interface Place {
  readonly x: number
  readonly y: number
}

export interface Group extends Place {
  readonly node: NodeLabel
  /** Of its columns. */
  readonly width: number
}

export interface Layout {
  readonly width: number
  readonly height: number
  /** Of each node of the graph, its upper left corner. */
  readonly places: readonly Place[]
  /** Where the title of each type stands. */
  readonly groups: readonly Group[]
}

export function layoutOf(graph: SessionGraph): Layout {
  const members = new Map<NodeLabel, readonly number[]>(
    BANDS.flat().map((label) => [label, graph.nodes.flatMap(({ node }, at) => (node === label ? [at] : []))]),
  )
  const bands = BANDS.map((labels) => labels.filter((label) => (members.get(label) ?? []).length > 0)).filter(
    (labels) => labels.length > 0,
  )
  const rows = rowsFor(bands.map((labels) => labels.map((label) => (members.get(label) ?? []).length)))
  const places: Place[] = graph.nodes.map(() => ({ x: 0, y: 0 }))
  const groups: Group[] = []
  const neighbours = neighboursIn(graph)
  /** What of the nodes is placed, by its order among its type from 0 to 1. */
  const order = new Map<number, number>()
  let left: number = GAP.margin
  for (const labels of bands) {
    const counts = labels.map((label) => (members.get(label) ?? []).length)
    const columns = columnsFor(counts, rows)
    let row = 0
    for (const label of labels) {
      const sorted = inOrderOfLinks(members.get(label) ?? [], label, neighbours, order)
      const deep = Math.ceil(sorted.length / columns)
      groups.push({ node: label, x: left, y: top(row) - GAP.row / 2, width: columns * (CARD.width + GAP.column) })
      for (const [at, place] of sorted.entries()) {
        places[place] = { x: left + Math.floor(at / deep) * (CARD.width + GAP.column), y: top(row + (at % deep)) }
        order.set(place, at / sorted.length)
      }
      row += deep + 1
    }
    left += columns * (CARD.width + GAP.column) - GAP.column + GAP.band
  }
  // Not all at once: not every runtime takes a hundred thousand arguments.
  const bottom = places.reduce((lowest, { y }) => Math.max(lowest, y), 0)
  const height = bottom + CARD.height + GAP.margin
  return { width: left, height, places: places.map((place, at) => (at === 0 ? halfway(place, bottom) : place)), groups }
}

/** The session stands beside the middle of what it leads to. @param bottom of the lowest card its upper edge */
function halfway({ x }: Place, bottom: number): Place {
  return { x, y: Math.round((top(0) + bottom) / 2) }
}

function top(row: number): number {
  return GAP.margin + GAP.title + row * (CARD.height + GAP.row)
}

/** So few that the whole is about as wide as a window is. @param bands sizes of the types in each */
function rowsFor(bands: readonly (readonly number[])[]): number {
  const most = Math.max(...bands.flat())
  for (let rows = ROWS_MIN; rows < most; rows++) {
    const columns = bands.reduce((sum, counts) => sum + columnsFor(counts, rows), 0)
    const width = columns * (CARD.width + GAP.column) + bands.length * GAP.band
    if (width <= ASPECT * rows * (CARD.height + GAP.row)) return rows
  }
  return Math.max(most, ROWS_MIN)
}

/** So few that types above each other, with a row between for the title, take no more than the rows. */
function columnsFor(counts: readonly number[], rows: number): number {
  const free = Math.max(1, rows - (counts.length - 1))
  let columns = Math.max(1, Math.ceil(counts.reduce((sum, count) => sum + count, 0) / free))
  while (columns < Math.max(...counts) && deepOf(counts, columns) > Math.max(free, counts.length)) columns++
  return columns
}

function deepOf(counts: readonly number[], columns: number): number {
  return counts.reduce((sum, count) => sum + Math.ceil(count / columns), 0)
}

/** Events stay as they came; of the rest each stands where on average that stands which it is linked with. */
function inOrderOfLinks(
  members: readonly number[],
  label: NodeLabel,
  neighbours: ReadonlyMap<number, readonly number[]>,
  order: ReadonlyMap<number, number>,
): readonly number[] {
  if (label === 'EpisodicMemory') return members
  const wanted = members.map((node) => {
    const linked = (neighbours.get(node) ?? []).flatMap((other) => order.get(other) ?? [])
    // What is linked with nothing comes last.
    const mean = linked.length === 0 ? 1 : linked.reduce((sum, at) => sum + at, 0) / linked.length
    return { node, mean }
  })
  return wanted.sort((a, b) => a.mean - b.mean || a.node - b.node).map(({ node }) => node)
}

/** Without the session, which is linked with all. */
function neighboursIn({ nodes, edges }: SessionGraph): ReadonlyMap<number, readonly number[]> {
  const places = placesOf(nodes)
  const found = new Map<number, number[]>()
  for (const { relation, from, to } of edges) {
    const ends = RELATIONS[relation]
    if (ends.from === 'Session') continue
    const [start, end] = [places(ends.from, from), places(ends.to, to)]
    for (const [node, other] of [
      [start, end],
      [end, start],
    ] as const) {
      const others = found.get(node) ?? []
      others.push(other)
      found.set(node, others)
    }
  }
  return found
}

/** Tells where among the nodes one stands. */
export function placesOf(nodes: readonly GraphNode[]): (label: NodeLabel, id: string) => number {
  const places = new Map(nodes.map((node, at) => [`${node.node} ${nodeId(node)}`, at]))
  return (label, id) => places.get(`${label} ${id}`) ?? 0
}
