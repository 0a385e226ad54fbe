/** What is remembered: new memories, what links them, what came of procedures, how concepts changed. */
import * as v from 'valibot'
import { CONTRIBUTION_TYPES, MEMORY_KINDS, RELATION_NAMES, RELATIONS, type RelationName } from '../../graph/schema.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'
import { answeredMemory, listOf, memoryFields, nodeFields, relationFields, sessionField } from './memory-fields.ts'

export const rememberOutput = () =>
  v.variant('kind', MEMORY_KINDS.map(answeredMemory) as [ReturnType<typeof answeredMemory>])

export const memoryRemember = operation({
  name: 'memory_remember',
  command: 'memory remember',
  exposure: ['cli', 'repl', 'service'],
  summary: 'Remember an event, a fact, a procedure, an intention, or what is in mind now.',
  positionals: ['kind'],
  examples: [
    'knowhow memory remember episodic --session fix-4711 --content "the cache was stale" --event-type error',
    'knowhow memory remember semantic --concept retries --content "uploads are retried twice" --confidence-score 0.9',
    'echo \'{"content":"find the leak","memory_type":"goal"}\' | knowhow memory remember working --session fix-4711 --from -',
  ],
  writes: true,
  whenToUse:
    'Call it for what a later run should know: a decision, an error and its cause, a fact, what is to be done. Leave out secrets, and what holds here and today only.',
  takesObject: true,
  input: () =>
    v.strictObject({
      kind: v.pipe(
        v.picklist(MEMORY_KINDS),
        v.description(
          'An event (episodic), knowledge (semantic), a procedure (procedural), an intention (prospective), or what is in mind now (working).',
        ),
      ),
      session: v.optional(
        sessionField(
          'The session it lies in (episodic, working), that intends it (prospective), or contributes it (semantic).',
        ),
      ),
      memory_id: v.optional(v.pipe(v.string(), v.description('Id of the memory; else one is made up.'))),
      contribution: v.optional(
        v.pipe(
          v.picklist(CONTRIBUTION_TYPES),
          v.description("The session's part in a concept; default: created, or updated where there is one."),
        ),
      ),
      delta: v.optional(v.pipe(v.string(), v.description('What changed in a concept; default: the fields that did.'))),
      ...memoryFields(),
    }),
  output: rememberOutput,
  run: async ({ workspace, say, signal }, { kind, session, memory_id, contribution, delta, ...fields }) => {
    const memory = await workspace.memory()
    const given = { kind, session, memoryId: memory_id, contribution, delta, fields: numbered(kind, fields) }
    return memory.remember(given, { say, signal })
  },
})

/** Flags are texts; of working memory the priority is a number. */
function numbered(kind: string, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { priority } = fields
  const isNumber = kind === 'working' && typeof priority === 'string' && /^-?\d{1,15}$/.test(priority)
  return isNumber ? { ...fields, priority: Number(priority) } : fields
}

const propertyValue = () => v.union([v.string(), v.number(), v.boolean(), v.null()])

export const linkOutput = () =>
  v.strictObject({
    relation: v.picklist(RELATION_NAMES),
    from: v.string(),
    to: v.string(),
    properties: v.record(v.string(), propertyValue()),
  })

export const memoryLink = operation({
  name: 'memory_link',
  command: 'memory link',
  exposure: ['cli', 'repl', 'service'],
  summary: 'Link two memories, or a session and a memory. Linking again updates the link.',
  positionals: ['relation', 'from', 'to'],
  examples: ['knowhow memory link DERIVES_FROM fact-1 event-1 --set extraction_method=inference --set confidence=0.8'],
  writes: true,
  whenToUse: 'Call it when you know that one memory comes of another, or belongs to it.',
  destroys: true,
  needsWorkspace: true,
  input: () =>
    v.strictObject({
      relation: v.pipe(v.string(), v.description(`One of ${RELATION_NAMES.join(', ')}.`)),
      from: v.pipe(v.string(), v.description('Id of the memory or session it leads from.'), valuesOf('memory')),
      to: v.pipe(v.string(), v.description('Id of the memory it leads to.'), valuesOf('memory')),
      set: v.optional(
        v.pipe(
          v.union([v.array(v.string()), v.record(v.string(), propertyValue())]),
          v.description('A property of the link as name=value; give the option once for each.'),
        ),
      ),
    }),
  output: linkOutput,
  run: async ({ workspace }, input) => {
    const [{ linkMemories }, { requireRelation }] = await Promise.all([
      import('../../graph/linking.ts'),
      import('../../graph/relations.ts'),
    ])
    const relation = requireRelation(input.relation)
    const set = Array.isArray(input.set) ? typedProperties(relation, input.set) : (input.set ?? {})
    const graph = await (await workspace.memory()).changing()
    return linkMemories(graph, { relation, from: input.from, to: input.to }, set)
  },
})

/** @param pairs `name=value` each. Throws `invalid_argument`. */
function typedProperties(relation: RelationName, pairs: readonly string[]): Readonly<Record<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const pair of pairs) {
    const [name = '', ...rest] = pair.split('=')
    if (rest.length === 0)
      throw new MemoryError('invalid_argument', `set: ${JSON.stringify(pair)} is not of the form name=value`, {
        field: 'set',
      })
    if (found.has(name))
      throw new MemoryError('invalid_argument', `set: ${name} is given twice; give it once`, { field: 'set' })
    found.set(name, typedValue(relation, name, rest.join('=')))
  }
  return Object.fromEntries(found)
}

function typedValue(relation: RelationName, name: string, text: string): unknown {
  const type = RELATIONS[relation].properties.find((property) => property.name === name)?.type
  if ((type === 'double' || type === 'int64') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

export const memoryUsed = operation({
  name: 'memory_used',
  command: 'memory used',
  exposure: ['cli', 'repl', 'service'],
  summary: 'Record that a session used a procedure, and whether that succeeded.',
  positionals: ['procedure'],
  examples: ['knowhow memory used procedures/fix-build.json --session fix-4711 --success --notes "first try"'],
  writes: true,
  whenToUse:
    'Call it once you know how it went, and only for a procedure that was followed: what was merely found does not count.',
  needsWorkspace: true,
  input: () =>
    v.strictObject({
      procedure: v.pipe(
        v.string(),
        v.description('Path of an experience, id or name of a procedure.'),
        valuesOf('experience'),
      ),
      session: sessionField('The session that used it.'),
      success: v.optional(v.pipe(v.boolean(), v.description('It succeeded.'))),
      failure: v.optional(v.pipe(v.boolean(), v.description('It failed.'))),
      notes: v.optional(v.pipe(v.string(), v.description('What is worth knowing of this use.'))),
    }),
  output: () => answeredMemory('procedural'),
  run: async ({ workspace }, { procedure, session, success, failure, notes }) => {
    const hasSucceeded = success ?? (failure === undefined ? undefined : !failure)
    if (hasSucceeded === undefined || hasSucceeded === failure)
      throw new MemoryError('invalid_argument', 'success: say either that it succeeded or that it failed', {
        field: 'success',
      })
    const [{ recordUse }, memory] = await Promise.all([import('../../graph/procedures.ts'), workspace.memory()])
    const graph = await memory.writing(session)
    return {
      kind: 'procedural' as const,
      memory: recordUse(graph, { procedure, session, success: hasSucceeded, notes }),
    }
  },
})

export const historyOutput = () =>
  v.strictObject({
    concept: v.string(),
    versions: listOf(
      v.strictObject({
        memory: v.strictObject(nodeFields('SemanticMemory')),
        contributions: listOf(v.strictObject({ session_id: v.string(), ...relationFields('CONTRIBUTES_TO_SEMANTIC') })),
        derived_from: listOf(v.string()),
      }),
    ),
  })

export const memoryHistory = operation({
  name: 'memory_history',
  command: 'memory history',
  exposure: ['cli', 'repl'],
  summary: 'Show all versions of a concept, and what each session gave to them.',
  positionals: ['concept'],
  examples: ['knowhow memory history retries'],
  writes: false,
  input: () =>
    v.strictObject({
      concept: v.pipe(v.string(), v.description('The concept, as it was remembered.'), valuesOf('concept')),
    }),
  output: historyOutput,
  run: async ({ workspace, say }, { concept }) => {
    const [{ conceptHistory }, memory] = await Promise.all([import('../../graph/history.ts'), workspace.memory()])
    const { database } = await memory.reading({ say, seesProcedures: false })
    return { concept, versions: conceptHistory(database, concept) }
  },
})
