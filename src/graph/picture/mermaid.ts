/** A session's graph as a flowchart of Mermaid, which Markdown of GitHub and many editors draw. */
import { NODE_LABELS, type NodeLabel } from '../schema.ts'
import type { SessionGraph } from '../session-graph.ts'
import { type Caption, captionsOf, remarkOn } from './caption.ts'
import { COLOURS, TEXT_COLOUR } from './colours.ts'
import { nodeNames } from './node-names.ts'

/** What Mermaid draws unless it is told otherwise (`maxEdges`, `maxTextSize`). */
export const MERMAID_EDGES_MAX = 500
export const MERMAID_UNITS_MAX = 50_000

/** UTF-16 units of a memory's text. */
const TEXT_UNITS_MAX = 60

/** Opening and closing of each shape: types are told apart without colours too. */
const SHAPES: Readonly<Record<NodeLabel, readonly [open: string, close: string]>> = {
  Session: ['([', '])'],
  EpisodicMemory: ['[', ']'],
  SemanticMemory: ['(', ')'],
  ProceduralMemory: ['[[', ']]'],
  ProspectiveMemory: ['{{', '}}'],
  WorkingMemory: ['[/', '/]'],
}

/** Text that ends with a line end. */
export function mermaidPicture(graph: SessionGraph): string {
  const { nameOf, endsOf } = nodeNames(graph)
  const captionOf = captionsOf(graph, TEXT_UNITS_MAX)
  const remark = remarkOn(graph)
  const labels = new Set(graph.nodes.map(({ node }) => node))
  const lines = [
    'flowchart LR',
    ...graph.nodes.map((node) => `  ${nameOf(node)}${shaped(node.node, captionOf(node), remark)}:::${node.node}`),
    ...graph.edges.map((edge) => {
      const { from, to } = endsOf(edge)
      return `  ${from} -->|${edge.relation}| ${to}`
    }),
    ...NODE_LABELS.filter((label) => labels.has(label)).map(
      (label) => `  classDef ${label} fill:${COLOURS[label].fill},stroke:${COLOURS[label].line},color:${TEXT_COLOUR}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

function shaped(label: NodeLabel, { kind, text }: Caption, remark: string | null): string {
  const [open, close] = SHAPES[label]
  const parts = [kind, text, ...(remark === null ? [] : [remark])]
  return `${open}"${parts.map(written).join('<br/>')}"${close}`
}

/**
 * Whatever Mermaid could take for its own is written as a character by its number: quotes, entities, HTML, directives,
 * the Markdown of its labels, and the signs it hides entities behind (ﬂ, °, ¶, ß).
 */
const NOT_PLAIN =
  /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,()'/?=·…-]|[ﬂß]|^-|(?<=^\d+)[.)]|(?<=www)\./giu

/**
 * What Mermaid reads once it has put characters in the place of their numbers: a line break, mathematics, and what it
 * hides entities behind. A blank without width between two signs keeps them apart.
 */
const READ_LATER = /\\(?=n)|\$(?=\$)|ﬂ(?=°)|¶(?=ß)/gi

function written(text: string): string {
  return text.replace(READ_LATER, '$&\u200b').replace(NOT_PLAIN, (character) => `#${character.codePointAt(0)};`)
}
