/**
 * `serving-process WORKSPACE COUNT [ADDRESS MODEL]`: opens a workspace, with the vectors of that server if one is named,
 * answers questions in both views, and prints what memory it has then. A process of its own, for nothing else may be in
 * it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { VIEW_NAMES } from '../../src/model/experience.ts'
import { openHybridSearch, openSearch } from './opened-experiences.ts'
import { syntheticQueries } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED } from './synthetic-workspace.ts'

const QUERIES_PER_VIEW = 20

export interface ServingMemory {
  readonly rssBytes: number
  /** Shared pages counted by their share; null where the system does not tell. */
  readonly pssBytes: number | null
  /** The most that was resident since the start; null where the system does not tell. */
  readonly peakBytes: number | null
  /** From the opening to the first answer in both views. */
  readonly firstMs: number
  readonly hits: number
  /** Questions whose answer had to do without vectors. */
  readonly keywordCount: number
}

const [root = '', count = '0', address, model = ''] = process.argv.slice(2)
const startMs = performance.now()
let firstMs = 0
let hits = 0
let keywordCount = 0
const search = address === undefined ? openSearch(root) : openHybridSearch(root, { address, model })
for (const query of syntheticQueries(QUERIES_PER_VIEW, EXPERIENCE_SEED, Number(count))) {
  for (const view of VIEW_NAMES) {
    const { vector } = await search.prepare({ query, view })
    hits += search.search({ query, view }, vector).hits.length
    if (vector === null) keywordCount += 1
  }
  firstMs ||= performance.now() - startMs
}
Bun.gc(true)
const memory: ServingMemory = {
  rssBytes: process.memoryUsage.rss(),
  pssBytes: bytesIn('/proc/self/smaps_rollup', /^Pss:\s+(\d+) kB$/m),
  peakBytes: bytesIn('/proc/self/status', /^VmHWM:\s+(\d+) kB$/m),
  firstMs,
  hits,
  keywordCount,
}
console.log(JSON.stringify(memory))

function bytesIn(file: string, line: RegExp): number | null {
  if (!existsSync(file)) return null
  const kibibytes = line.exec(readFileSync(file, 'utf8'))?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
