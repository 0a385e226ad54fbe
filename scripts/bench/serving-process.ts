/**
 * `serving-process WORKSPACE COUNT`: opens a workspace, answers questions in both views, and prints what memory it has
 * then. A process of its own, for nothing else may be in it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { VIEW_NAMES } from '../../src/model/experience.ts'
import { openSearch } from './opened-experiences.ts'
import { syntheticQueries } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED } from './synthetic-workspace.ts'

const ROLLUP = '/proc/self/smaps_rollup'
const QUERIES_PER_VIEW = 20

export interface ServingMemory {
  readonly rssBytes: number
  /** Shared pages counted by their share; null where the system does not tell. */
  readonly pssBytes: number | null
  readonly hits: number
}

const [root = '', count = '0'] = process.argv.slice(2)
const search = openSearch(root)
let hits = 0
for (const query of syntheticQueries(QUERIES_PER_VIEW, EXPERIENCE_SEED, Number(count)))
  for (const view of VIEW_NAMES) hits += search.search({ query, view }).hits.length
Bun.gc(true)
const memory: ServingMemory = { rssBytes: process.memoryUsage.rss(), pssBytes: pssBytes(), hits }
console.log(JSON.stringify(memory))

function pssBytes(): number | null {
  if (!existsSync(ROLLUP)) return null
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(ROLLUP, 'utf8'))?.[1]
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
