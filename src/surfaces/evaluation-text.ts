/** What `knowhow eval` has measured, as a table for people. */
import type * as v from 'valibot'
import type { evaluationOutput } from '../app/operations/eval.ts'
import { counted } from '../model/counted.ts'
import { MEASURES, type RankingQuality } from '../search/retrieval-metrics.ts'
import type { Paint } from './paint.ts'

type Evaluation = v.InferOutput<ReturnType<typeof evaluationOutput>>
type FusedEvaluation = Extract<Evaluation, { fusion: unknown }>

const MEASURE_TITLES: Readonly<Record<keyof RankingQuality, string>> = {
  ndcg_at_10: 'nDCG@10',
  graded_ndcg_at_10: 'graded nDCG@10',
  recall_at_10: 'recall@10',
  recall_at_100: 'recall@100',
  mrr_at_10: 'MRR@10',
}

export function evaluationText(answer: Evaluation, paint: Paint): string {
  const { documents, queries, judgements, queries_without_judgement: unjudged, legs } = answer
  const lines = [
    `${counted(documents, 'document')}, ${countedQueries(queries)}, ${counted(judgements, 'judgement')}`,
    '',
    paint.strong(measureRow('leg', (measure) => MEASURE_TITLES[measure])),
    ...Object.entries(legs).map(([leg, quality]) => measureRow(leg, (measure) => quality[measure].toFixed(4))),
  ]
  if ('fusion' in answer) lines.push(...hybridLines(answer, paint))
  if (unjudged > 0)
    lines.push('', paint.faint(`left out, as no document is judged relevant to them: ${countedQueries(unjudged)}`))
  if ('notice' in answer) lines.push('', paint.faint(answer.notice))
  return lines.join('\n')
}

function measureRow(title: string, cellOf: (measure: keyof RankingQuality) => string): string {
  const cells = MEASURES.map((measure) => cellOf(measure).padStart(MEASURE_TITLES[measure].length))
  return [title.padEnd('keyword'.length), ...cells].join('  ')
}

function hybridLines(answer: FusedEvaluation, paint: Paint): readonly string[] {
  const { fusion, vector_weight: weight, embedding_model: model, refused, divided } = answer
  const { queries_refused, queries_vague } = answer
  const gainRow = (title: string, part: 'mean' | 'low' | 'high') =>
    measureRow(title, (measure) => signed(answer.fused_minus_keyword[measure][part]))
  const lines = [
    gainRow('gain', 'mean'),
    gainRow('  from', 'low'),
    gainRow('  to', 'high'),
    '',
    paint.faint('gain: fused minus keyword, with its 95 % interval by paired bootstrap over the queries'),
    paint.faint(`fusion ${fusion}${weight === null ? '' : `, vector weight ${weight}`}, vectors by ${model}`),
  ]
  if (refused > 0)
    lines.push(
      paint.alarm(`${counted(refused, 'document')} refused by the embedder: in no leg, as search leaves them out`),
    )
  if (queries_refused > 0)
    lines.push(paint.alarm(`${countedQueries(queries_refused)} refused by the embedder: ranked by keywords alone`))
  if (queries_vague > 0)
    lines.push(
      paint.alarm(
        `${countedQueries(queries_vague)} of which the embedder knows less than half of the words: ranked by keywords alone`,
      ),
    )
  if (divided > 0) lines.push(dividedLine(divided, paint))
  return lines
}

export function dividedLine(count: number, paint: Paint): string {
  return paint.faint(`${counted(count, 'text')} over the model's limit: embedded in parts and averaged`)
}

function signed(difference: number): string {
  return `${difference > 0 ? '+' : ''}${difference.toFixed(4)}`
}

function countedQueries(count: number): string {
  return counted(count, 'query', 'queries')
}
