/** Pictures of the memory graph, for people and for programs that draw. */
import * as v from 'valibot'
import type { PictureFormat } from '../../graph/picture/picture.ts'
import { NODE_LABELS, type NodeLabel, RELATION_NAMES, type RelationName } from '../../graph/schema.ts'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'
import { listOf, nodeFields, relationFields, sessionField } from './memory-fields.ts'

const FORMATS = ['mermaid', 'dot', 'json', 'html'] as const satisfies readonly PictureFormat[]

const pictureNode = (label: NodeLabel) => v.strictObject({ node: v.literal(label), ...nodeFields(label) })
const pictureEdge = (relation: RelationName) =>
  v.strictObject({ relation: v.literal(relation), from: v.string(), to: v.string(), ...relationFields(relation) })

/** The graph itself for `json`, the text of another format, or the file that it was written to. */
export const graphOutput = () =>
  v.union([
    v.strictObject({
      session_id: v.string(),
      nodes: listOf(v.variant('node', NODE_LABELS.map(pictureNode) as [ReturnType<typeof pictureNode>])),
      edges: listOf(v.variant('relation', RELATION_NAMES.map(pictureEdge) as [ReturnType<typeof pictureEdge>])),
    }),
    v.strictObject({ session_id: v.string(), format: v.picklist(FORMATS), text: v.string() }),
    v.strictObject({ session_id: v.string(), format: v.picklist(FORMATS), file: v.string(), bytes: v.number() }),
  ])

export const memoryGraph = operation({
  name: 'memory_graph',
  command: 'memory graph',
  exposure: ['cli', 'repl'],
  summary:
    'Draw what a session knows: its events in order, what it has in mind, intends, contributed and used, and what links them.',
  positionals: ['file'],
  examples: [
    'knowhow memory graph --session fix-4711',
    'knowhow memory graph --session fix-4711 --format html page.html',
  ],
  writes: false,
  input: () =>
    v.strictObject({
      session: sessionField('The session that is drawn.'),
      format: v.optional(
        v.pipe(
          v.picklist(FORMATS),
          v.description('mermaid (default), dot (Graphviz), json, or html: a page that works offline.'),
        ),
      ),
      file: v.optional(
        v.pipe(
          v.string(),
          v.description('New file, outside the workspace; without it: standard output.'),
          valuesOf('file'),
        ),
      ),
    }),
  terms: {
    nodes: 'the session, its events in order, then the rest by label and id',
    edges: 'relations among these nodes, and no others',
    text: 'with --json and another format: the picture',
  },
  output: graphOutput,
  run: async ({ workspace, say }, { session, format = 'mermaid', file }) => {
    const target = file === undefined ? null : workspace.newOutside(file)
    const [{ sessionGraph }, { pictureOf }, memory] = await Promise.all([
      import('../../graph/session-graph.ts'),
      import('../../graph/picture/picture.ts'),
      workspace.memory(),
    ])
    const { database, clock } = await memory.reading({ say })
    const moment = { atMs: clock.now(), halfLifeSeconds: memory.halfLifeSeconds }
    const graph = sessionGraph(database, session, moment)
    if (target === null && format === 'json') return graph
    const { text, notice } = await pictureOf(graph, format)
    if (notice !== null) say(notice)
    if (target === null) return { session_id: session, format, text }
    const bytes = new TextEncoder().encode(text)
    target.publish(bytes)
    return { session_id: session, format, file: target.path, bytes: bytes.length }
  },
})
