/**
 * How good is the keyword leg? Runs several retrieval sets as `knowhow eval` does, and puts them into one table.
 *
 *     bun scripts/bench/relevance.ts SET.jsonl…
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { evaluateRanking, keywordRanking } from '../../src/search/retrieval-evaluation.ts'
import { MEASURES } from '../../src/search/retrieval-metrics.ts'
import { readRetrievalSet } from '../../src/search/retrieval-set.ts'

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error('usage: bun scripts/bench/relevance.ts SET.jsonl…')
  process.exit(2)
}
console.log(['set'.padEnd(18), '  docs', 'queries', ...MEASURES].join('  '))
for (const path of paths) {
  const set = readRetrievalSet(readFileSync(path), path)
  const quality = await evaluateRanking(set, keywordRanking(set.documents), async () => {})
  const counts = [String(set.documents.size).padStart(6), String(set.queries.length).padStart(7)]
  const numbers = MEASURES.map((measure) => quality[measure].toFixed(4).padStart(measure.length))
  console.log([basename(path).padEnd(18), ...counts, ...numbers].join('  '))
}
