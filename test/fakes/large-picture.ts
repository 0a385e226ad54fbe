/** A session's graph of any size as agents leave them: many events, what they are about, and links among them. Always the same. */
import type { GraphEdge, GraphNode, SessionGraph } from '../../src/graph/session-graph.ts'
import { conceptNode, eventNode, holds, sessionNode } from './nasty-picture.ts'

const EVENTS = [
  'The build fails on a missing header after the compiler was upgraded; the cache still holds objects of the old one.',
  'Decided to keep the retry in the uploader and to cap it at three, with a pause that doubles.',
  'All 214 tests pass on the branch, the flaky one included.',
  'Learnt that the staging database is reset every night at three, so fixtures must be made anew.',
  'The deployment stopped, as the certificate of the internal registry had run out.',
]
const CONCEPTS = ['build cache', 'retries of uploads', 'staging database', 'release branch', 'registry certificates']
const TYPES = ['error', 'decision', 'task_completion', 'learning', null]

/** @param size nodes, the session among them; from 12 on there is one of each type at least */
export function largeGraph(size: number): SessionGraph {
  const count = (share: number) => Math.max(1, Math.floor((size - 1) * share))
  const [concepts, procedures, intentions, working] = [count(0.18), count(0.1), count(0.06), count(0.06)]
  const events = size - 1 - concepts - procedures - intentions - working
  const time = (minutes: number) => new Date(Date.UTC(2026, 0, 2, 9, minutes)).toISOString()
  const ids = (prefix: string, length: number) => Array.from({ length }, (_, at) => `${prefix}-${at + 1}`)
  const nodes: readonly GraphNode[] = [
    sessionNode('fix-4711', 'Repair the nightly build and its uploads'),
    ...ids('event', events).map((id, at) => ({
      ...eventNode(id, `${EVENTS[at % 5]}`),
      timestamp: time(at * 7),
      event_type: TYPES[(at * 3) % 5] ?? null,
    })),
    ...ids('fact', concepts).map((id, at) =>
      conceptNode(id, `${CONCEPTS[at % 5]}${at < 5 ? '' : ` ${at}`}`, `What is known of it: ${EVENTS[(at * 2) % 5]}`),
    ),
    ...ids('procedure', procedures).map((id, at) => procedureNode(id, at)),
    ...ids('plan', intentions).map((id, at) => intentionNode(id, at)),
    ...ids('thought', working).map((id, at) => workingNode(id, at, time(at))),
  ]
  return { session_id: 'fix-4711', nodes, edges: [...ownEdges(nodes, time), ...linksAmong(nodes, time)] }
}

const procedureNode = (memory_id: string, at: number): GraphNode => ({
  node: 'ProceduralMemory',
  memory_id,
  procedure_name: `procedure-${at + 1}`,
  description: `Clear what is stale, then build again (${at + 1})`,
  steps: ['Stop the daemon', 'Remove the cache folder', 'Build from the start'],
  preconditions: ['The compiler was upgraded'],
  postconditions: ['The build passes'],
  success_rate: 0.75,
  usage_count: 4,
  last_used: null,
})

const intentionNode = (memory_id: string, at: number): GraphNode => ({
  node: 'ProspectiveMemory',
  memory_id,
  intention: `Ask the owner of the registry for a longer certificate (${at + 1})`,
  trigger_condition: 'registry certificate',
  priority: 'high',
  due_date: null,
  status: 'pending',
  scope: 'session',
  completion_criteria: null,
})

const workingNode = (memory_id: string, at: number, created_at: string): GraphNode => ({
  node: 'WorkingMemory',
  memory_id,
  content: `Find out which objects of the cache are stale (${at + 1})`,
  memory_type: 'goal',
  priority: 1,
  created_at,
  ttl_seconds: 3600,
})

function ownEdges(nodes: readonly GraphNode[], time: (minutes: number) => string): readonly GraphEdge[] {
  return nodes.slice(1).map((node, at) => ownEdge(node, at, time(at)))
}

/** @param at from 0; events come first */
function ownEdge(node: GraphNode, at: number, timestamp: string): GraphEdge {
  const ends = { from: 'fix-4711', to: String(node.memory_id) }
  switch (node.node) {
    case 'SemanticMemory':
      return { relation: 'CONTRIBUTES_TO_SEMANTIC', ...ends, contribution_type: 'created', timestamp, delta: null }
    case 'ProceduralMemory':
      return { relation: 'USES_PROCEDURE', ...ends, timestamp, success: at % 4 > 0, notes: null }
    case 'ProspectiveMemory':
      return { relation: 'CREATES_INTENTION', ...ends, timestamp }
    case 'WorkingMemory':
      return { relation: 'CONTAINS_WORKING', ...ends, activation_level: 0.5 }
    default:
      return holds(ends.from, ends.to, at + 1)
  }
}

function linksAmong(nodes: readonly GraphNode[], time: (minutes: number) => string): readonly GraphEdge[] {
  const of = (label: GraphNode['node']) =>
    nodes.filter(({ node }) => node === label).map((node) => String(node.memory_id))
  const [events, facts, procedures, plans, thoughts] = [
    of('EpisodicMemory'),
    of('SemanticMemory'),
    of('ProceduralMemory'),
    of('ProspectiveMemory'),
    of('WorkingMemory'),
  ]
  const pick = (list: readonly string[], at: number) => list[at % list.length] ?? ''
  return [
    ...facts.flatMap((from, at): readonly GraphEdge[] =>
      [at * 3, at * 3 + 1].map((place) => ({
        relation: 'DERIVES_FROM',
        from,
        to: pick(events, place),
        extraction_method: 'inference',
        confidence: 0.8,
      })),
    ),
    ...procedures.map(
      (from, at): GraphEdge => ({
        relation: 'REFERENCES',
        from,
        to: pick(facts, at * 2),
        reference_type: 'prerequisite',
        context: null,
      }),
    ),
    ...plans.map(
      (from, at): GraphEdge => ({
        relation: 'TRIGGERS',
        from,
        to: pick(thoughts, at),
        trigger_time: time(at),
        condition_met: true,
      }),
    ),
    ...thoughts.map(
      (from, at): GraphEdge => ({
        relation: 'ACTIVATES',
        from,
        to: pick(facts, at * 3),
        activation_strength: 0.6,
        timestamp: time(at),
      }),
    ),
    ...events.flatMap((from, at): readonly GraphEdge[] =>
      at % 4 === 3
        ? [{ relation: 'RECALLS', from, to: pick(events, at - 3), similarity_score: 0.7, recall_reason: null }]
        : [],
    ),
    ...procedures
      .slice(1)
      .flatMap((from, at): readonly GraphEdge[] =>
        at % 3 === 0 ? [{ relation: 'BUILDS_ON', from, to: pick(procedures, at), relationship_type: 'extends' }] : [],
      ),
  ]
}
