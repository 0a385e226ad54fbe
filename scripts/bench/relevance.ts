/**
 * How good is the keyword leg? Runs retrieval sets through a search view and prints nDCG@10 (binary), recall at 10 and
 * the mean reciprocal rank (of the first ten).
 *
 *     bun scripts/bench/relevance.ts SET.jsonl…
 *
 * A set is JSON lines: {"kind":"doc","id","text"}, {"kind":"query","id","text"}, {"kind":"qrel","query","doc","grade"}.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import * as v from 'valibot'
import { KeywordView } from '../../src/search/view.ts'

const DEPTH = 10

const lineSchema = v.variant('kind', [
  v.object({ kind: v.literal('doc'), id: v.string(), text: v.string() }),
  v.object({ kind: v.literal('query'), id: v.string(), text: v.string() }),
  v.object({ kind: v.literal('qrel'), query: v.string(), doc: v.string(), grade: v.number() }),
])

interface EvaluationSet {
  readonly documents: ReadonlyMap<string, string>
  readonly queries: ReadonlyMap<string, string>
  /** Relevant documents by query; a judgement of grade 0 is none. */
  readonly relevant: ReadonlyMap<string, ReadonlySet<string>>
}

function readSet(path: string): EvaluationSet {
  const documents = new Map<string, string>()
  const queries = new Map<string, string>()
  const relevant = new Map<string, Set<string>>()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    const record = v.parse(lineSchema, JSON.parse(line))
    if (record.kind === 'doc') documents.set(record.id, record.text)
    else if (record.kind === 'query') queries.set(record.id, record.text)
    else if (record.grade > 0) {
      const judged = relevant.get(record.query) ?? new Set()
      relevant.set(record.query, judged.add(record.doc))
    }
  }
  return { documents, queries, relevant }
}

interface Quality {
  readonly ndcg: number
  readonly recall: number
  readonly reciprocalRank: number
}

function qualityOf(ranked: readonly string[], relevant: ReadonlySet<string>): Quality {
  const gainAt = (index: number) => 1 / Math.log2(index + 2)
  let gain = 0
  let found = 0
  let firstRank = 0
  ranked.slice(0, DEPTH).forEach((id, index) => {
    if (!relevant.has(id)) return
    gain += gainAt(index)
    found += 1
    if (firstRank === 0) firstRank = index + 1
  })
  let ideal = 0
  for (let index = 0; index < Math.min(DEPTH, relevant.size); index += 1) ideal += gainAt(index)
  return {
    ndcg: ideal === 0 ? 0 : gain / ideal,
    recall: relevant.size === 0 ? 0 : found / relevant.size,
    reciprocalRank: firstRank === 0 ? 0 : 1 / firstRank,
  }
}

function meanQuality(set: EvaluationSet): Quality {
  const view = new KeywordView('when_to_use_content')
  for (const [id, text] of set.documents) view.set(id, text)
  const sums = { ndcg: 0, recall: 0, reciprocalRank: 0 }
  for (const [id, query] of set.queries) {
    const ranked = view.rank(query, DEPTH).map(({ path }) => path)
    const quality = qualityOf(ranked, set.relevant.get(id) ?? new Set())
    sums.ndcg += quality.ndcg
    sums.recall += quality.recall
    sums.reciprocalRank += quality.reciprocalRank
  }
  const count = Math.max(1, set.queries.size)
  return { ndcg: sums.ndcg / count, recall: sums.recall / count, reciprocalRank: sums.reciprocalRank / count }
}

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error('usage: bun scripts/bench/relevance.ts SET.jsonl…')
  process.exit(2)
}
console.log('set                    docs  queries  nDCG@10   R@10    MRR@10')
for (const path of paths) {
  const set = readSet(path)
  const { ndcg, recall, reciprocalRank } = meanQuality(set)
  const counts = `${String(set.documents.size).padStart(8)} ${String(set.queries.size).padStart(8)}`
  const numbers = [ndcg, recall, reciprocalRank].map((value) => value.toFixed(4).padStart(8)).join('')
  console.log(`${basename(path).padEnd(18)} ${counts} ${numbers}`)
}
