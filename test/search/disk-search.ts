/** One search by a process of its own: `disk-search.ts ROOT VIEW QUERY…` prints the names that each query finds. */
import process from 'node:process'
import { openIds, systemClock } from '../../src/adapters/clock-and-ids.ts'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { nodeDigest } from '../../src/adapters/node-digest.ts'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import type { ViewName } from '../../src/model/experience.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'

export function openOnDisk(root: string): ExperienceSearch {
  const ids = openIds(systemClock)
  const ports = { files: diskFiles, lock: sqliteLock, digest: nodeDigest, clock: systemClock, ids }
  return new ExperienceSearch(ports, layoutOf(root, WORKSPACE_FOLDERS))
}

/** Names, sorted: scores are another test's matter. */
export function namesOnDisk(search: ExperienceSearch, view: ViewName, query: string): readonly string[] {
  search.refresh()
  const { hits } = search.search({ query, view, limit: 200 })
  return hits.map(({ path }) => path.slice('procedures/'.length, -'.json'.length)).sort()
}

if (import.meta.main) {
  const [root = '', view = '', ...queries] = process.argv.slice(2)
  using search = openOnDisk(root)
  const found = queries.map((query) => namesOnDisk(search, view as ViewName, query))
  console.log(JSON.stringify({ found, generation: search.facts.generation, beside: search.facts.beside }))
}
