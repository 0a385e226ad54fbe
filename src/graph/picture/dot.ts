/** A session's graph in DOT, the language of Graphviz. */
import type { NodeLabel } from '../schema.ts'
import type { GraphNode, SessionGraph } from '../session-graph.ts'
import { captionsOf, remarkOn, shortened } from './caption.ts'
import { COLOURS, EDGE_COLOUR, TEXT_COLOUR } from './colours.ts'
import { nodeNames } from './node-names.ts'

/** UTF-16 units of a memory's text in its shape, and where a drawing shows more under the pointer. */
const TEXT_UNITS_MAX = 60
const TOOLTIP_UNITS_MAX = 400

/** Types are told apart without colours too. */
const SHAPES: Readonly<Record<NodeLabel, string>> = {
  Session: 'oval',
  EpisodicMemory: 'box',
  SemanticMemory: 'note',
  ProceduralMemory: 'component',
  ProspectiveMemory: 'hexagon',
  WorkingMemory: 'parallelogram',
}

/** Text that ends with a line end. */
export function dotPicture(graph: SessionGraph): string {
  const { nameOf, endsOf } = nodeNames(graph)
  const events = graph.nodes.filter(({ node }) => node === 'EpisodicMemory').map(nameOf)
  const edges = graph.edges.map((edge) => {
    const { from, to } = endsOf(edge)
    // Events stand in the order in which they came, whichever recalls which.
    const free = edge.relation === 'RECALLS' ? ', constraint=false' : ''
    return `  ${from} -> ${to} [label="${edge.relation}"${free}];`
  })
  return `${[
    `digraph ${quoted(shortened(graph.session_id, TEXT_UNITS_MAX))} {`,
    '  graph [charset="UTF-8", rankdir=LR, bgcolor="transparent"];',
    `  node [style="filled", fontname="Helvetica", fontsize=11, fontcolor="${TEXT_COLOUR}"];`,
    `  edge [color="${EDGE_COLOUR}", fontcolor="${EDGE_COLOUR}", fontname="Helvetica", fontsize=8];`,
    ...nodeLines(graph, nameOf),
    ...(events.length > 1 ? inOrder(events) : []),
    ...edges,
    '}',
  ].join('\n')}\n`
}

function nodeLines(graph: SessionGraph, nameOf: (node: GraphNode) => string): readonly string[] {
  const captionOf = captionsOf(graph, TEXT_UNITS_MAX)
  const wholeOf = captionsOf(graph, TOOLTIP_UNITS_MAX)
  const remark = remarkOn(graph)
  return graph.nodes.map((node) => {
    const { kind, text } = captionOf(node)
    const { fill, line } = COLOURS[node.node]
    const label = [kind, text, ...(remark === null ? [] : [remark])].map(escaped).join('\\n')
    const tooltip = quoted(wholeOf(node).text)
    return `  ${nameOf(node)} [label="${label}", tooltip=${tooltip}, shape=${SHAPES[node.node]}, fillcolor="${fill}", color="${line}"];`
  })
}

/** Events stand one below the other as they came; what holds them there is not seen. */
function inOrder(events: readonly string[]): readonly string[] {
  return [`  { rank=same; ${events.join(' -> ')} [style=invis]; }`]
}

function quoted(text: string): string {
  return `"${escaped(text)}"`
}

/** Within quotes a backslash begins an escape and an ampersand an entity. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;')
}
