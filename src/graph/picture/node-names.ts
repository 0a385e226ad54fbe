/** Short names of nodes inside a picture: what a memory is called may be anything, a name in a drawing language may not. */
import { NODES, type NodeLabel, RELATIONS } from '../schema.ts'
import { type GraphEdge, type GraphNode, nodeId, type SessionGraph } from '../session-graph.ts'

export interface NodeNames {
  readonly nameOf: (node: GraphNode) => string
  readonly endsOf: (edge: GraphEdge) => { readonly from: string; readonly to: string }
}

/** `session`, and for the memories their kind and a number from 1 in the graph's order, such as `episodic12`. */
export function nodeNames({ nodes }: SessionGraph): NodeNames {
  const names = new Map<string, string>()
  const counts = new Map<NodeLabel, number>()
  for (const node of nodes) {
    const count = (counts.get(node.node) ?? 0) + 1
    counts.set(node.node, count)
    const { kind } = NODES[node.node]
    names.set(keyOf(node.node, nodeId(node)), kind === null ? 'session' : `${kind}${count}`)
  }
  const named = (label: NodeLabel, id: string) => names.get(keyOf(label, id)) ?? ''
  return {
    nameOf: (node) => named(node.node, nodeId(node)),
    endsOf: ({ relation, from, to }) => ({
      from: named(RELATIONS[relation].from, from),
      to: named(RELATIONS[relation].to, to),
    }),
  }
}

/** Memories of different kinds may have the same id. */
function keyOf(label: NodeLabel, id: string): string {
  return `${label}\u0000${id}`
}
