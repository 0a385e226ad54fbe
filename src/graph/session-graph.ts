/**
 * A session's knowledge graph, the seed's Query 3: the session, what it leads to, and the relations among these. Whatever
 * else they are linked with stays out, so that nothing of another session's own comes in by way of what is everybody's.
 */
import type { Database } from '../ports.ts'
import type { NodeAnswer } from './nodes.ts'
import { answeredRelation } from './relations.ts'
import { NODES, type NodeLabel, RELATION_NAMES, RELATIONS, type RelationName } from './schema.ts'
import { type SessionView, sessionView, type ViewMoment } from './session-view.ts'
import type { PropertyValue } from './values.ts'

/** Key and properties under the seed's names, beside its label. */
export type GraphNode = NodeAnswer & { readonly node: NodeLabel }

/** Properties under the seed's names, beside its ends: a key of a node of the relation's labels each. */
export type GraphEdge = Readonly<Record<string, PropertyValue>> & {
  readonly relation: RelationName
  readonly from: string
  readonly to: string
}

export interface SessionGraph {
  readonly session_id: string
  /** The session, its events by sequence number, then the rest by label and id. */
  readonly nodes: readonly GraphNode[]
  /** By relation, then as their ends stand among the nodes, then by properties. */
  readonly edges: readonly GraphEdge[]
}

/** The same graph at the same moment gives the same, in the same order. Throws `session_not_found`. */
export function sessionGraph(database: Database, sessionId: string, moment: ViewMoment): SessionGraph {
  return database.snapshot(() => {
    const { session, view } = sessionView(database, sessionId, moment)
    const nodes = [graphNode('Session', session), ...memoriesOf(view)]
    const activation = new Map(view.working.map(({ memory_id, activation_level }) => [memory_id, activation_level]))
    const edges = RELATION_NAMES.flatMap((relation) => edgesAmong(database, relation, nodes)).map((edge) =>
      edge.relation === 'CONTAINS_WORKING' ? { ...edge, activation_level: activation.get(edge.to) ?? null } : edge,
    )
    return { session_id: sessionId, nodes, edges }
  })
}

export function nodeId(node: GraphNode): string {
  return String(node[NODES[node.node].key])
}

function memoriesOf(view: SessionView): readonly GraphNode[] {
  const { episodic, semantic, procedural, prospective, working } = view
  return [
    ...episodic.map((event) => graphNode('EpisodicMemory', event)),
    ...byId('SemanticMemory', semantic),
    ...byId('ProceduralMemory', procedural),
    ...byId('ProspectiveMemory', prospective),
    ...byId('WorkingMemory', working),
  ]
}

/** Each once: a session may contribute to a concept, or use a procedure, again and again. */
function byId(label: NodeLabel, memories: readonly NodeAnswer[]): readonly GraphNode[] {
  const once = new Map(memories.map((memory) => [String(memory.memory_id), graphNode(label, memory)]))
  return [...once].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, node]) => node)
}

/** Without the properties of the relation that led to it. */
function graphNode(label: NodeLabel, answer: NodeAnswer): GraphNode {
  const { key, properties } = NODES[label]
  const own = [key, ...properties.map(({ name }) => name)].map((name) => [name, answer[name] ?? null] as const)
  return { node: label, ...Object.fromEntries(own) }
}

function edgesAmong(database: Database, relation: RelationName, nodes: readonly GraphNode[]): readonly GraphEdge[] {
  const { from, to } = RELATIONS[relation]
  const [fromPlaces, toPlaces] = [placesById(nodes, from), placesById(nodes, to)]
  const rows = database.all(
    `SELECT * FROM "${relation}" WHERE from_id IN (SELECT value FROM json_each($from))
     AND to_id IN (SELECT value FROM json_each($to))`,
    { from: JSON.stringify([...fromPlaces.keys()]), to: JSON.stringify([...toPlaces.keys()]) },
  )
  const placed = rows.map((row) => {
    const ends = { from: String(row.from_id), to: String(row.to_id) }
    const edge: GraphEdge = { relation, ...ends, ...answeredRelation(relation, row) }
    const places = [fromPlaces.get(ends.from) ?? 0, toPlaces.get(ends.to) ?? 0] as const
    return { edge, places, text: JSON.stringify(edge) }
  })
  return placed
    .sort((a, b) => a.places[0] - b.places[0] || a.places[1] - b.places[1] || (a.text < b.text ? -1 : 1))
    .map(({ edge }) => edge)
}

/** Where each node of a label stands, by its id. */
function placesById(nodes: readonly GraphNode[], label: NodeLabel): ReadonlyMap<string, number> {
  return new Map(nodes.flatMap((node, place) => (node.node === label ? [[nodeId(node), place] as const] : [])))
}
