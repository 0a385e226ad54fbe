/** Prospective memory: what is due, triggered, done, and what time does to it all. */
import * as v from 'valibot'
import { MemoryError } from '../../model/memory-error.ts'
import { parseTimestamp, TIMESTAMP_FORM } from '../../model/timestamp.ts'
import type { Clock } from '../../ports.ts'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'
import { answeredMemory, listOf, nodeFields, sessionField, timeField } from './memory-fields.ts'

const intention = () => v.strictObject(nodeFields('ProspectiveMemory'))
export const intentionsOutput = () => v.strictObject({ intentions: listOf(intention()) })

/** Epoch milliseconds. Throws `invalid_argument`. */
function moment(at: string | undefined, clock: Clock): number {
  const ms = at === undefined ? clock.now() : parseTimestamp(at)
  if (ms !== null) return ms
  throw new MemoryError('invalid_argument', `at: must be ${TIMESTAMP_FORM} (given: ${JSON.stringify(at)})`, {
    field: 'at',
  })
}

export const memoryDue = operation({
  name: 'memory_due',
  command: 'memory due',
  exposure: ['cli', 'repl', 'service'],
  summary: 'List pending intentions whose due date has come: those of everybody, and those of the session.',
  positionals: [],
  examples: ['knowhow memory due', 'knowhow memory due --session fix-4711 --at 2026-12-01'],
  writes: false,
  whenToUse: 'Call it at the start of a task.',
  input: () =>
    v.strictObject({
      at: timeField(),
      session: v.optional(
        sessionField("The session whose own intentions are listed too; without it no session's are."),
      ),
    }),
  output: intentionsOutput,
  run: async ({ workspace, say }, { at, session }) => {
    const [{ dueIntentions }, memory] = await Promise.all([import('../../graph/intentions.ts'), workspace.memory()])
    const { database, clock } = await memory.reading({ say, seesProcedures: false })
    return { intentions: dueIntentions(database, moment(at, clock), session ?? null) }
  },
})

export const memoryTrigger = operation({
  name: 'memory_trigger',
  command: 'memory trigger',
  exposure: ['cli', 'repl', 'service'],
  summary:
    'Tell of an event: pending intentions whose condition it meets are triggered, and come to mind in the session.',
  positionals: [],
  examples: ['knowhow memory trigger --event "the release build has failed" --session fix-4711'],
  writes: true,
  whenToUse: 'Call it when something happens that an intention may be waiting for.',
  needsWorkspace: true,
  input: () =>
    v.strictObject({
      event: v.pipe(v.string(), v.regex(/\S/, 'must not be empty'), v.description('What happened, in words.')),
      session: sessionField('The session in which it happened.'),
    }),
  output: intentionsOutput,
  run: async ({ workspace }, { event, session }) => {
    const [{ triggerIntentions }, memory] = await Promise.all([import('../../graph/intentions.ts'), workspace.memory()])
    const { graph, defaults } = await memory.reminding(session)
    return { intentions: triggerIntentions(graph, event, session, defaults) }
  },
})

export const memoryComplete = operation({
  name: 'memory_complete',
  command: 'memory complete',
  exposure: ['cli', 'repl', 'service'],
  summary: 'Mark an intention as done.',
  positionals: ['id'],
  examples: ['knowhow memory complete renew-token'],
  writes: true,
  whenToUse: 'Call it when what was intended is done.',
  isRepeatable: true,
  needsWorkspace: true,
  input: () =>
    v.strictObject({
      id: v.pipe(v.string(), v.description('The memory_id of the intention.'), valuesOf('memory')),
      session: v.optional(
        sessionField("The session that did it; another session's own intentions are then not found."),
      ),
    }),
  output: () => answeredMemory('prospective'),
  run: async ({ workspace }, { id, session }) => {
    const [{ completeIntention }, memory] = await Promise.all([import('../../graph/intentions.ts'), workspace.memory()])
    const { database } = await memory.changing()
    return { kind: 'prospective' as const, memory: completeIntention(database, id, session ?? null) }
  },
})

export const sweepOutput = () =>
  v.strictObject({ triggered: listOf(intention()), expired: listOf(intention()), removed: v.number() })

export const memorySweep = operation({
  name: 'memory_sweep',
  command: 'memory sweep',
  exposure: ['cli', 'repl'],
  summary: 'Let time pass over all sessions: intentions come due or expire, working memory that is over goes.',
  positionals: [],
  examples: ['knowhow memory sweep', 'knowhow memory sweep --at 2026-12-01T12:00:00Z'],
  writes: true,
  needsWorkspace: true,
  input: () => v.strictObject({ at: timeField() }),
  terms: {
    triggered: 'intentions without a condition whose due date has come',
    expired: 'intentions whose due date came before their condition was met',
    removed: 'working memories that were over',
  },
  output: sweepOutput,
  run: async ({ workspace }, { at }) => {
    const [{ sweep }, memory] = await Promise.all([import('../../graph/sweep.ts'), workspace.memory()])
    const { graph, defaults } = await memory.reminding()
    return sweep(graph, moment(at, graph.clock), defaults)
  },
})
