/** Measuring retrieval on a set of the person's own. The workspace is neither read nor changed, no vector is kept. */
import * as v from 'valibot'
import { throwIfInterrupted } from '../../importer/running.ts'
import { DEFAULT_SERVER_ADDRESS } from '../../model/address.ts'
import { FUSION_MEANING, FUSION_NAMES } from '../../search/fusion.ts'
import type { HybridEvaluation } from '../../search/retrieval-evaluation.ts'
import { MEASURES, type RankingQuality } from '../../search/retrieval-metrics.ts'
import type { RetrievalSet } from '../../search/retrieval-set.ts'
import type { VectorLegOptions } from '../../search/vector-leg.ts'
import { type OperationContext, operation } from '../operation.ts'

const DECIMALS = 4
const NO_EMBEDDER = `without an embedder keywords alone are measured; to measure vectors and the fusion too, set EMBEDDING_BACKEND=builtin (where the program has vectors inside), or =openai with EMBEDDING_MODEL_NAME and EMBEDDING_BASE_URL (default: ${DEFAULT_SERVER_ADDRESS})`

const count = () => v.number()
const quality = () => v.strictObject(v.entriesFromList(MEASURES, v.number()))
const interval = () => v.strictObject({ mean: v.number(), low: v.number(), high: v.number() })
const setCounts = () => ({
  documents: count(),
  queries: count(),
  judgements: count(),
  queries_without_judgement: count(),
})

export const evaluationOutput = () =>
  v.union([
    v.strictObject({ ...setCounts(), legs: v.strictObject({ keyword: quality() }), notice: v.string() }),
    v.strictObject({
      ...setCounts(),
      legs: v.strictObject({ keyword: quality(), vector: quality(), fused: quality() }),
      fused_minus_keyword: v.strictObject(v.entriesFromList(MEASURES, interval())),
      fusion: v.picklist(FUSION_NAMES),
      /** Null where the fusion has none. */
      vector_weight: v.nullable(v.number()),
      embedding_model: v.string(),
      refused: count(),
      queries_refused: count(),
      queries_vague: count(),
      divided: count(),
    }),
  ])

export const evaluation = operation({
  name: 'eval',
  command: 'eval',
  exposure: ['cli'],
  summary: 'Measure how well search ranks a set of your own, by keywords, by vectors and fused.',
  positionals: ['file'],
  examples: ['knowhow eval questions.jsonl', 'knowhow eval questions.jsonl --json'],
  writes: false,
  silentOfMissing: true,
  isLong: true,
  needsEmbedder: true,
  input: () =>
    v.strictObject({
      file: v.pipe(
        v.string(),
        v.description('JSON lines of kind doc (id, text), query (id, text) and qrel (query, doc, grade from 0).'),
      ),
    }),
  terms: {
    'nDCG@10': 'how early the relevant documents stand among the first ten, 0 to 1; each grade above 0 counts as 1',
    'graded nDCG@10': 'the same, where a document of grade g counts as 2^g - 1',
    'recall@10, @100': 'share of the relevant documents that is among the first ten, the first hundred',
    'MRR@10': 'mean reciprocal rank: 1 / rank of the first relevant document, 0 when the first ten have none',
    gain: 'what the fusion adds to keywords alone, with its 95 % interval',
    fusion: `how the legs by vectors and by keywords became one (search.fusion): ${FUSION_MEANING}`,
    refused:
      'documents that the embedder refuses are in no leg, as search leaves them out; such queries rank by keywords alone',
    queries_vague: 'queries of which the embedder knows less than half of the words: they rank by keywords alone',
    divided: "texts over the model's limit: embedded in parts and averaged",
  },
  output: evaluationOutput,
  run: async (context, { file }) => {
    const { workspace } = context
    const { readRetrievalSet } = await import('../../search/retrieval-set.ts')
    const set = readRetrievalSet(workspace.readOutside(file), file)
    const counts = {
      documents: set.documents.size,
      queries: set.queries.length + set.unjudgedCount,
      judgements: set.judgementCount,
      queries_without_judgement: set.unjudgedCount,
    }
    const vectors = await workspace.openVectors()
    const measured = vectors === null ? await keywordFacts(set, context) : await hybridFacts(set, vectors, context)
    return { ...counts, ...measured }
  },
})

async function keywordFacts(set: RetrievalSet, context: OperationContext) {
  const { evaluateRanking, keywordRanking } = await openEvaluation()
  const keyword = await evaluateRanking(set, keywordRanking(set.documents), pauseOf(context))
  return { legs: { keyword: rounded(keyword) }, notice: NO_EMBEDDER }
}

async function hybridFacts(set: RetrievalSet, vectors: VectorLegOptions, context: OperationContext) {
  const { evaluateHybrid } = await openEvaluation()
  const { progress, signal, onWait } = context
  const choice = context.workspace.fusionChoice
  const { legs, fusedMinusKeyword, ...texts }: HybridEvaluation = await evaluateHybrid(set, {
    ...vectors,
    choice,
    progress,
    signal,
    onWait,
    pause: pauseOf(context),
  })
  const gains = MEASURES.map((measure) => {
    const { mean, low, high } = fusedMinusKeyword[measure]
    return [measure, { mean: round(mean), low: round(low), high: round(high) }]
  })
  return {
    legs: { keyword: rounded(legs.keyword), vector: rounded(legs.vector), fused: rounded(legs.fused) },
    fused_minus_keyword: Object.fromEntries(gains),
    fusion: choice.fusion,
    vector_weight: choice.fusion === 'rrf' ? choice.vectorWeight : null,
    embedding_model: vectors.embedder.key.model,
    refused: texts.refusedCount,
    queries_refused: texts.refusedQueryCount,
    queries_vague: texts.vagueQueryCount,
    divided: texts.dividedCount,
  }
}

/** The analyzer comes with it, and no other command should wait for that. */
function openEvaluation() {
  return import('../../search/retrieval-evaluation.ts')
}

function pauseOf(context: OperationContext): () => Promise<void> {
  return () => throwIfInterrupted(context, 'run it again')
}

function rounded(exact: RankingQuality): RankingQuality {
  return Object.fromEntries(MEASURES.map((measure) => [measure, round(exact[measure])])) as RankingQuality
}

function round(exact: number): number {
  return Number(exact.toFixed(DECIMALS))
}
