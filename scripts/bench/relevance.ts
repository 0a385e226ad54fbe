/**
 * How good is the ranking? Ranks retrieval sets by keywords as `knowhow eval` does, with SQLite FTS5 beside it, and lets
 * the product as it is installed measure what its built-in embedder adds.
 * `bun scripts/bench/relevance.ts`; `--sets DIR` names the folder of the sets.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { evaluateRanking, keywordRanking, type RankDocuments } from '../../src/search/retrieval-evaluation.ts'
import { MEASURES, RANKED_MAX, type RankingQuality } from '../../src/search/retrieval-metrics.ts'
import { type RetrievalSet, readRetrievalSet } from '../../src/search/retrieval-set.ts'
import { retrievalSetsFolder } from '../../test/fakes/shared-folder.ts'
import { answer, type BenchReport, type Verdict } from './bench-report.ts'
import { measuredBinary } from './compiled-programs.ts'
import { AS_INSTALLED } from './embedder-choice.ts'
import { cleanEnvironment } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'

const options = questionOptions()
/** The least nDCG@10 of the product's keyword leg, by set: a little more than what others' BM25 was measured at. */
const TARGETS: Readonly<Record<string, number>> = { cranfield: 0.52, nl2bash: 0.61 }
/** The least that the fusion with the built-in embedder must reach, by set: what a first model of this kind had. */
const FUSED_TARGETS: Readonly<Record<string, Partial<RankingQuality>>> = {
  cranfield: { ndcg_at_10: 0.523 },
  nl2bash: { ndcg_at_10: 0.654 },
  procedures: { ndcg_at_10: 0.229, recall_at_10: 0.423 },
}
const [MAIN_MEASURE] = MEASURES

interface Evaluated {
  readonly legs: Readonly<Record<'keyword' | 'vector' | 'fused', RankingQuality>>
  readonly fused_minus_keyword: Readonly<Record<keyof RankingQuality, { readonly low: number; readonly high: number }>>
}

/** By the compiled program, as somebody runs it who has set nothing. */
function evaluatedAsInstalled(path: string): Evaluated {
  const { status, stdout, stderr } = spawnSync(measuredBinary(options), ['eval', path, '--json'], {
    env: cleanEnvironment(AS_INSTALLED.environment),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`knowhow eval ${path} failed: ${stderr}`)
  return JSON.parse(stdout) as Evaluated
}

/** Any of the words, stemmed by SQLite. */
function fts5Ranking(documents: RetrievalSet['documents']): RankDocuments {
  const database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE documents USING fts5(text, content='', tokenize='porter unicode61')")
  const put = database.prepare('INSERT INTO documents(rowid, text) VALUES (?, ?)')
  const ids = [...documents.keys()]
  for (const [at, text] of [...documents.values()].entries()) put.run(at + 1, text)
  const best = database.prepare('SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank, rowid LIMIT ?')
  return (query) => {
    const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    if (words.size === 0) return []
    const expression = [...words].map((word) => `"${word}"`).join(' OR ')
    return best.all(expression, RANKED_MAX).map(({ rowid }) => ids[Number(rowid) - 1] ?? '')
  }
}

async function measure(): Promise<BenchReport> {
  const folder = options.sets ?? retrievalSetsFolder()
  const rows: string[][] = []
  const gainRows: string[][] = []
  const verdicts: Verdict[] = []
  const paths = folder === null ? [] : readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  for (const path of paths.toSorted()) {
    const name = basename(path, '.jsonl')
    const set = readRetrievalSet(readFileSync(join(folder ?? '', path)), path)
    const file = join(folder ?? '', path)
    const rankings = { knowhow: keywordRanking(set.documents), 'FTS5, porter': fts5Ranking(set.documents) }
    const counts = [String(set.documents.size), String(set.queries.length)]
    for (const [by, rank] of Object.entries(rankings)) {
      const quality = await evaluateRanking(set, rank, async () => {})
      rows.push([`${name}, ${by}`, ...counts, ...MEASURES.map((measure) => quality[measure].toFixed(4))])
      const reach = TARGETS[name]
      if (by === 'knowhow' && reach !== undefined)
        verdicts.push({
          what: `${MAIN_MEASURE} on ${name}, keywords`,
          value: quality[MAIN_MEASURE],
          reach,
          kind: 'score',
        })
    }
    const { legs, fused_minus_keyword: gains } = evaluatedAsInstalled(file)
    for (const leg of ['vector', 'fused'] as const) {
      const figures = MEASURES.map((measure) => legs[leg][measure].toFixed(4))
      rows.push([`${name}, knowhow as installed, ${leg}`, ...counts, ...figures])
    }
    gainRows.push([name, ...MEASURES.map((measure) => interval(gains[measure]))])
    for (const measure of MEASURES) {
      const reach = FUSED_TARGETS[name]?.[measure]
      if (reach !== undefined)
        verdicts.push({ what: `${measure} on ${name}, as installed`, value: legs.fused[measure], reach, kind: 'score' })
    }
  }
  const missing = 'Not measured: there are no retrieval sets beside this checkout, name their folder with --sets.'
  return {
    question: 'Relevance',
    method:
      'Published retrieval sets in English, in the format of `knowhow eval` and no part of this repository (`--sets DIR`), ranked by the product’s keyword leg as `knowhow eval` does and by SQLite FTS5 (porter unicode61, bm25, any of the words); and by `knowhow eval` of the compiled program without any setting, so with the built-in embedder, fused by score. Means over the queries. Nothing is timed, so the numbers are the same on every machine. The queries of `procedures` are paraphrases that share almost no word with what they ask for: no ranking by words finds them, that is what vectors are for.',
    tables:
      rows.length === 0
        ? []
        : [
            { title: 'Quality', columns: ['set', 'documents', 'queries', ...MEASURES], rows },
            {
              title: 'What the fusion adds to keywords (95 %, paired bootstrap over the queries)',
              columns: ['set', ...MEASURES],
              rows: gainRows,
            },
          ],
    verdicts,
    plot: null,
    notes: paths.length === 0 ? [missing] : [],
  }
}

function interval({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${low.toFixed(3)} – ${high.toFixed(3)}`
}

await answer(options, measure)
