/** Sessions of the memory graph: begun, ended, looked at. */
import * as v from 'valibot'
import { operation } from '../operation.ts'
import { linkedNode, listOf, nodeFields, sessionField } from './memory-fields.ts'

const id = () => sessionField('Id of the session.')
export const sessionOutput = () => v.strictObject(nodeFields('Session'))

export const sessionStart = operation({
  name: 'session_start',
  command: 'session start',
  exposure: ['cli', 'repl', 'service'],
  summary: 'Begin a session, in which events and working memory lie until it ends.',
  positionals: [],
  examples: [
    'knowhow session start',
    'knowhow session start --id fix-4711 --user ann --context "repair the build" --json',
  ],
  writes: true,
  whenToUse: 'Call it once, when a task begins whose events are worth keeping together.',
  input: () =>
    v.strictObject({
      id: v.optional(v.pipe(v.string(), v.description('Id of the session; else one is made up.'))),
      user: v.optional(v.pipe(v.string(), v.description('Whose session it is.'))),
      context: v.optional(v.pipe(v.string(), v.description('What it is about.'))),
    }),
  output: sessionOutput,
  run: async ({ workspace }, input) => {
    const [{ startSession }, memory] = await Promise.all([import('../../graph/sessions.ts'), workspace.memory()])
    return startSession(await memory.writing(), input)
  },
})

export const sessionEnd = operation({
  name: 'session_end',
  command: 'session end',
  exposure: ['cli', 'repl', 'service'],
  summary:
    'End a session. Its working memory, its own intentions and its events go; events that knowledge derives from stay, and important ones until they are consolidated.',
  positionals: ['id'],
  examples: ['knowhow session end fix-4711'],
  writes: true,
  whenToUse: 'Call it once, when the task is over: what it takes away does not come back.',
  destroys: true,
  isRepeatable: true,
  needsWorkspace: true,
  input: () => v.strictObject({ id: id() }),
  output: sessionOutput,
  run: async ({ workspace, say }, input) => {
    const [{ endSession }, memory] = await Promise.all([import('../../graph/sessions.ts'), workspace.memory()])
    return memory.forgetting(input.id, { say }, (graph) => endSession(graph, input.id))
  },
})

export const sessionArchive = operation({
  name: 'session_archive',
  command: 'session archive',
  exposure: ['cli', 'repl'],
  summary: 'Archive a session: of its events only those stay that knowledge derives from.',
  positionals: ['id'],
  examples: ['knowhow session archive fix-4711'],
  writes: true,
  needsWorkspace: true,
  input: () => v.strictObject({ id: id() }),
  output: sessionOutput,
  run: async ({ workspace, say }, input) => {
    const [{ archiveSession }, memory] = await Promise.all([import('../../graph/sessions.ts'), workspace.memory()])
    return memory.forgetting(input.id, { say }, (graph) => archiveSession(graph, input.id))
  },
})

export const sessionListOutput = () => v.strictObject({ sessions: listOf(sessionOutput()) })

export const sessionList = operation({
  name: 'session_list',
  command: 'session list',
  exposure: ['cli', 'repl', 'service'],
  summary: 'List all sessions, the latest first.',
  positionals: [],
  examples: ['knowhow session list'],
  writes: false,
  whenToUse: 'Call it for the id of a session to go on with.',
  input: () => v.strictObject({}),
  output: sessionListOutput,
  run: async ({ workspace, say }) => {
    const [{ listSessions }, memory] = await Promise.all([import('../../graph/sessions.ts'), workspace.memory()])
    const { database } = await memory.reading({ say, seesProcedures: false })
    return { sessions: listSessions(database) }
  },
})

export const sessionShowOutput = () =>
  v.strictObject({
    ...nodeFields('Session'),
    episodic: listOf(linkedNode('CONTAINS_EPISODIC')),
    working: listOf(linkedNode('CONTAINS_WORKING')),
    prospective: listOf(linkedNode('CREATES_INTENTION')),
    semantic: listOf(linkedNode('CONTRIBUTES_TO_SEMANTIC')),
    procedural: listOf(linkedNode('USES_PROCEDURE')),
  })

export const sessionShow = operation({
  name: 'session_show',
  command: 'session show',
  exposure: ['cli', 'repl', 'service'],
  summary: 'Show a session: its events in order, its working memory, and what it intended, contributed and used.',
  positionals: ['id'],
  examples: ['knowhow session show fix-4711 --json'],
  writes: false,
  whenToUse: 'Call it to take up a session where it was left.',
  recallsPast: true,
  input: () => v.strictObject({ id: id() }),
  terms: {
    episodic: 'its events, by sequence_number',
    working: 'what it has in mind; activation_level as of now',
    prospective: 'intentions that it made',
    semantic: 'knowledge that it contributed to, and what it changed (delta)',
    procedural: 'procedures that it used, and whether they succeeded',
  },
  output: sessionShowOutput,
  run: async ({ workspace, say }, input) => {
    const [{ sessionView }, memory] = await Promise.all([import('../../graph/session-view.ts'), workspace.memory()])
    const { database, clock } = await memory.reading({ say })
    const moment = { atMs: clock.now(), halfLifeSeconds: memory.halfLifeSeconds }
    const { session, view } = sessionView(database, input.id, moment)
    return { ...session, ...view }
  },
})
