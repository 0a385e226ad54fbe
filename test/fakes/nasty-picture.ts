/** Graphs of sessions for pictures: one with every relation in it, and texts that a drawing language could take for its own. */
import type { GraphEdge, GraphNode, SessionGraph } from '../../src/graph/session-graph.ts'

export const HOSTILE_TEXTS: readonly string[] = [
  '"quoted" and \'single\' and `ticks`',
  '[brackets] (round) {curly} {{double}} |bars| <angle>',
  'first line\nsecond line\r\nthird\u2028fourth\u2029fifth\u0085sixth',
  'end',
  'end subgraph graph flowchart click style class default',
  '%% a comment %%{init: {"theme":"dark"}}%%',
  '--> === -.- ~~~ ---',
  '<b>bold</b><script>globalThis.__hit = 1</script><img src=x onerror="globalThis.__hit = 1">',
  '</script><script>globalThis.__hit = 1</script><!-- <!--<script>',
  '</style><style>*{display:none}</style>',
  'javascript:globalThis.__hit=1',
  'https://example.invalid/a?b=c#d and www.example.invalid',
  '#quot; #35; &quot; &#60;script&#62; &lt;b&gt; ﬂ°°60¶ß',
  '\\N \\G \\" \\\\ \\l ends with a backslash \\',
  '1. a list\n2. of two',
  '- a list',
  '# a heading',
  '**bold** _italic_ ~~struck~~ $$x^2$$ ![i](j) [k](l)',
  '👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽 naïve Straße 漢字かな 한국어 עברית العربية',
  'turned \u202egnp.exe\u202c \u2066inside\u2069 \u200f\u200e\ufeff',
  'bell \u0007 escape \u001b[31mred\u001b[0m delete \u007f nul \u0000 end',
  'style x fill:#f00; classDef y stroke:#0f0;',
  ';;; ::: @{ shape: circle }',
  '   ',
  'word '.repeat(200),
  'x'.repeat(1024 * 1024),
  '\ud83d\ude00'.repeat(1000),
]

const AT = '2026-01-02T03:04:05.000Z'

export const sessionNode = (session_id: string, context: string | null = null): GraphNode => ({
  node: 'Session',
  session_id,
  start_time: AT,
  end_time: null,
  user_id: null,
  context,
  status: 'active',
})

export const eventNode = (memory_id: string, content: string): GraphNode => ({
  node: 'EpisodicMemory',
  memory_id,
  timestamp: AT,
  content,
  event_type: 'error',
  emotional_valence: null,
  importance_score: 0.5,
})

export const conceptNode = (memory_id: string, concept: string, content: string): GraphNode => ({
  node: 'SemanticMemory',
  memory_id,
  concept,
  content,
  category: null,
  confidence_score: 0.9,
  last_updated: AT,
  version: 1,
})

export const holds = (session: string, memory_id: string, sequence_number: number): GraphEdge => ({
  relation: 'CONTAINS_EPISODIC',
  from: session,
  to: memory_id,
  sequence_number,
})

/** An event for each text, whose id is the text's beginning too, and a concept of that name derived from it. */
export function hostileGraph(texts: readonly string[] = HOSTILE_TEXTS): SessionGraph {
  const session = '</script>"s" #1; end'
  const events = texts.map((text, at) => eventNode(`${at} ${text.slice(0, 40)}`, text))
  const concepts = texts.map((text, at) => conceptNode(`${at} ${text.slice(0, 40)}`, text, text))
  return {
    session_id: session,
    nodes: [sessionNode(session, texts.join(' ')), ...events, ...concepts],
    edges: [
      ...events.map((event, at) => holds(session, String(event.memory_id), at + 1)),
      ...events.map(
        (event): GraphEdge => ({
          relation: 'DERIVES_FROM',
          from: String(event.memory_id),
          to: String(event.memory_id),
          extraction_method: null,
          confidence: null,
        }),
      ),
    ],
  }
}
