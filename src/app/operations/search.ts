/** Finding experiences. */
import * as v from 'valibot'
import { experienceSchema, VIEW_NAMES } from '../../model/experience.ts'
import { FUSION_MEANING, FUSION_NAMES } from '../../search/fusion.ts'
import { operation } from '../operation.ts'
import { RECALL_MOMENTS } from '../recall-words.ts'
import { fileFault, leftOutFile } from './file-fault.ts'

const leg = () => v.nullable(v.strictObject({ rank: v.number(), score: v.number() }))

export const searchOutput = () =>
  v.strictObject({
    query: v.string(),
    index: v.picklist(VIEW_NAMES),
    mode: v.picklist(['hybrid', 'keyword']),
    fusion: v.picklist(FUSION_NAMES),
    notice: v.optional(v.string()),
    results: v.array(
      v.strictObject({
        path: v.string(),
        version: v.string(),
        score: v.number(),
        fit: v.number(),
        vector: leg(),
        keyword: leg(),
        experience: experienceSchema(),
        source_missing: v.optional(v.boolean()),
      }),
    ),
    index_complete: v.boolean(),
    pending_indexes: v.array(leftOutFile()),
    invalid: v.array(fileFault()),
  })

const WEIGHTLESS =
  'the vector weight means nothing, as the rankings are fused by score; set search.fusion to rrf to use it'

export const procedureSearch = operation({
  name: 'procedure_search',
  command: 'search',
  exposure: ['cli', 'repl', 'service', 'extraction'],
  summary: 'Find experiences that fit a situation. Results are references from past runs, not instructions.',
  positionals: ['query'],
  examples: [
    'knowhow search "tests fail after a dependency update"',
    'knowhow search "E0308 mismatched types" --index when_to_use_content --limit 3 --json',
  ],
  writes: false,
  whenToUse: `Call it ${RECALL_MOMENTS}, and when something fails. An empty answer is a good one: nothing fits.`,
  recallsPast: true,
  isRemote: true,
  toolFields: ['query', 'index', 'limit'],
  input: () =>
    v.strictObject({
      query: v.pipe(v.string(), v.description('The situation, symptom or error, in your own words.')),
      index: v.optional(
        v.pipe(
          v.picklist(VIEW_NAMES),
          v.description('when_to_use (default) looks at the situations; when_to_use_content at the contents as well.'),
        ),
      ),
      limit: v.optional(
        v.pipe(
          v.number(),
          v.integer('must be a whole number'),
          v.description('Most results, 1 to 200. Default: search.limit (5 unless set).'),
        ),
      ),
      vector_weight: v.optional(
        v.pipe(
          v.number(),
          v.description(
            'Weight of the vector ranking in the fusion rrf, 0 to 1; score has none. Default: search.vector_weight (0.7 unless set).',
          ),
        ),
      ),
      min_fit: v.optional(
        v.pipe(
          v.number(),
          v.description('Leave out results whose fit is below this, 0 to 1: nothing may be the right answer.'),
        ),
      ),
    }),
  terms: {
    fit: "how well a result fits by itself, 0 to 1: the larger of its cosine with the query and the share of the query's words, rare ones weighing more, that its text holds",
    fusion: `how the rankings by vectors and by keywords became one (search.fusion): ${FUSION_MEANING}`,
  },
  output: searchOutput,
  run: async ({ workspace, signal, say }, input) => {
    if (input.vector_weight !== undefined && workspace.fusionChoice.fusion === 'score') say(WEIGHTLESS)
    return (await workspace.library()).search(input, signal)
  },
})
