/** Measuring retrieval on a set of the person's own. The workspace is neither read nor changed. */
import * as v from 'valibot'
import { MemoryError } from '../../model/memory-error.ts'
import { MEASURES, type RankingQuality } from '../../search/retrieval-metrics.ts'
import { operation } from '../operation.ts'

const DECIMALS = 4

const count = v.number()
const quality = v.strictObject(v.entriesFromList(MEASURES, v.number()))

export const evaluation = operation({
  name: 'eval',
  command: 'eval',
  exposure: ['cli'],
  summary: 'Measure how well search ranks a set of your own: JSON lines of kind doc, query and qrel.',
  positionals: ['file'],
  examples: ['knowhow eval questions.jsonl', 'knowhow eval questions.jsonl --json'],
  writes: false,
  input: () =>
    v.strictObject({
      file: v.pipe(
        v.string(),
        v.description('JSON lines of kind doc (id, text), query (id, text) and qrel (query, doc, grade from 0).'),
      ),
    }),
  output: () =>
    v.strictObject({
      documents: count,
      queries: count,
      judgements: count,
      queries_without_judgement: count,
      legs: v.strictObject({ keyword: quality }),
    }),
  run: async ({ workspace, yieldToSignals, signal }, { file }) => {
    // The analyzer comes with them, and no other command should wait for it.
    const [{ readRetrievalSet }, { evaluateRanking, keywordRanking }] = await Promise.all([
      import('../../search/retrieval-set.ts'),
      import('../../search/retrieval-evaluation.ts'),
    ])
    const set = readRetrievalSet(workspace.readOutside(file), file)
    const pause = async () => {
      await yieldToSignals()
      if (signal.aborted) throw new MemoryError('interrupted', 'interrupted before the last query; run it again')
    }
    const keyword = await evaluateRanking(set, keywordRanking(set.documents), pause)
    return {
      documents: set.documents.size,
      queries: set.queries.length + set.unjudgedCount,
      judgements: set.judgementCount,
      queries_without_judgement: set.unjudgedCount,
      legs: { keyword: rounded(keyword) },
    }
  },
})

function rounded(exact: RankingQuality): RankingQuality {
  const entries = MEASURES.map((measure) => [measure, Number(exact[measure].toFixed(DECIMALS))])
  return Object.fromEntries(entries) as RankingQuality
}
