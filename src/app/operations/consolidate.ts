/** Consolidation: from events that matter to knowledge that lasts. */
import * as v from 'valibot'
import { IMPORTANCE_KEPT_ABOVE } from '../../graph/importance.ts'
import { EXTRACTORS } from '../../importer/import-request.ts'
import { usageSchema } from '../../importer/import-result.ts'
import { DURATION_FORM, parseDuration } from '../../model/duration.ts'
import { errorReportSchema } from '../../model/error-report.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { operation } from '../operation.ts'
import { listOf, nodeFields } from './memory-fields.ts'

const candidate = () =>
  v.strictObject({
    session_id: v.string(),
    memory_id: v.string(),
    content: v.string(),
    importance_score: v.number(),
    event_type: v.nullable(v.string()),
    timestamp: v.string(),
    passed_over: v.nullable(v.string()),
  })

const consolidated = () =>
  v.strictObject({
    memory: v.strictObject(nodeFields('SemanticMemory')),
    derives_from: listOf(v.string()),
    references: listOf(v.string()),
  })

export const consolidateOutput = () =>
  v.strictObject({
    candidates: listOf(candidate()),
    status: v.exactOptional(v.picklist(['complete', 'incomplete'])),
    extractor: v.exactOptional(v.picklist(EXTRACTORS)),
    consolidated: v.exactOptional(listOf(consolidated())),
    skipped: v.exactOptional(listOf(v.strictObject({ memory_id: v.string(), reason: v.string() }))),
    open: v.exactOptional(listOf(v.string())),
    usage: v.exactOptional(usageSchema()),
    error: v.exactOptional(errorReportSchema()),
  })

export const memoryConsolidate = operation({
  name: 'memory_consolidate',
  command: 'memory consolidate',
  exposure: ['cli', 'repl'],
  summary:
    'List events that are ready to become knowledge: important, no longer new, and nothing derives from them. With --apply, make it of them.',
  positionals: [],
  examples: [
    'knowhow memory consolidate',
    'knowhow memory consolidate --apply --max-requests 20',
    'knowhow memory consolidate --apply --extractor offline --older-than 1w',
  ],
  writes: true,
  needsWorkspace: true,
  input: () =>
    v.strictObject({
      min_importance: v.optional(
        v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description('Events matter more than this, 0 to 1.')),
        IMPORTANCE_KEPT_ABOVE,
      ),
      older_than: v.optional(v.pipe(v.string(), v.description(`Age of the events: ${DURATION_FORM}.`)), '1d'),
      apply: v.optional(v.pipe(v.boolean(), v.description('Write the knowledge; else they are listed.')), false),
      extractor: v.optional(
        v.pipe(
          v.picklist(['auto', ...EXTRACTORS]),
          v.description('auto: llm when LLM_MODEL_NAME is set, else offline.'),
        ),
        'auto',
      ),
      max_requests: v.optional(
        v.pipe(
          v.number(),
          v.integer('must be a whole number'),
          v.minValue(1, 'must be at least 1'),
          v.description('Most model calls of this run.'),
        ),
      ),
      again: v.optional(
        v.pipe(v.boolean(), v.description('Read events again that were passed over in an earlier run.')),
        false,
      ),
    }),
  terms: {
    candidates: 'the events that were ready when it began',
    passed_over: 'when an earlier run found nothing in it that is worth knowing',
    consolidated: 'what was written: a new concept, or the next version of one',
    derives_from: 'the events that it comes from',
    references: 'procedures that the sessions of these events used, which now refer to it',
    open: 'events of which nothing was decided; run it again to go on with them',
  },
  output: consolidateOutput,
  run: async ({ workspace, ...run }, input) => {
    const ageMs = parseDuration(input.older_than)
    if (ageMs === null)
      throw new MemoryError(
        'invalid_argument',
        `older_than: must be ${DURATION_FORM} (given: ${JSON.stringify(input.older_than)})`,
        { field: 'older_than' },
      )
    return workspace.consolidate({ ...input, ageMs }, run)
  },
  endingOf: (output) => {
    if (!('status' in output)) return 'done'
    if (output.error?.code === 'interrupted') return 'interrupted'
    return output.status === 'incomplete' ? 'incomplete' : 'done'
  },
})
