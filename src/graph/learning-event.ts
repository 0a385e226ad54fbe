/** What an import learnt, as an event of the graph: it stands in the session the run belongs to, or in one of its own. */
import { isoTime } from '../model/iso-time.ts'
import type { Database } from '../ports.ts'
import type { EmbeddedText } from './embedding.ts'
import type { Likeness } from './likeness.ts'
import type { MemoryGraph } from './memory-graph.ts'
import { checkedRow, insertNode, nodeRow } from './nodes.ts'
import { checkedMemory, placeMemory } from './remember.ts'
import { requireSession } from './sessions.ts'

export interface Learning {
  readonly requestId: string
  /** Null: one that is named by the request. */
  readonly session: string | null
  /** When the import began, ISO 8601. */
  readonly begunAt: string
  /** Path of the copied log. */
  readonly trajectory: string
  readonly experiences: readonly { readonly path: string; readonly action: 'created' | 'updated' }[]
}

/** As high as an event that outlives its session. */
const IMPORTANCE_WITH_EXPERIENCES = 0.8
const IMPORTANCE_WITHOUT = 0.2
/** The import's own log names them all. */
const NAMED_MAX = 500

export function learningText({ requestId, trajectory, experiences }: Learning): string {
  const named = experiences.slice(0, NAMED_MAX).map(({ path, action }) => `${path} (${action})`)
  const more = experiences.length - named.length
  const written = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `Import ${requestId} of ${trajectory} wrote ${written === '' ? 'no procedures' : written}.`
}

const EVENT_ID_PREFIX = 'import:'

function eventId({ requestId }: Learning): string {
  return `${EVENT_ID_PREFIX}${requestId}`
}

/** Whether an event tells of an import. */
export function isImportEvent(memoryId: string): boolean {
  return memoryId.startsWith(EVENT_ID_PREFIX)
}

export function isRecorded(database: Database, learning: Learning): boolean {
  return nodeRow(database, 'EpisodicMemory', eventId(learning)) !== null
}

/**
 * Records the event unless it stands there already: an import may be stopped between this and its own record of being
 * complete, and then tells of it again. Also in a session that has ended meanwhile. Throws `session_not_found` for one
 * that is gone.
 */
export function recordLearning(
  graph: MemoryGraph,
  learning: Learning,
  embedded: EmbeddedText | null,
  likeness: Likeness,
): void {
  const { database, clock } = graph
  database.transact(() => {
    if (isRecorded(database, learning)) return
    const session = learning.session ?? ownSession(database, learning, clock.now())
    requireSession(database, session)
    const fields = {
      content: learningText(learning),
      event_type: 'learning',
      importance_score: learning.experiences.length > 0 ? IMPORTANCE_WITH_EXPERIENCES : IMPORTANCE_WITHOUT,
    }
    const memory = { kind: 'episodic' as const, memoryId: eventId(learning), session, fields }
    placeMemory(graph, checkedMemory(graph, memory), embedded, likeness)
  })
}

/** Over from the beginning: nobody works in it. */
function ownSession(database: Database, { requestId, begunAt, trajectory }: Learning, nowMs: number): string {
  if (nodeRow(database, 'Session', requestId) !== null) return requestId
  const row = checkedRow('Session', {
    start_time: begunAt,
    end_time: isoTime(nowMs),
    context: `import of ${trajectory}`,
    status: 'completed',
  })
  insertNode(database, 'Session', requestId, row)
  return requestId
}
