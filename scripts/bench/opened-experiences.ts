/** The product's own search on a workspace of the disk, wired as the program wires it. */

import { bunDigest } from '../../src/adapters/bun-digest.ts'
import { openIds, systemClock } from '../../src/adapters/clock-and-ids.ts'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { nodeDigest } from '../../src/adapters/node-digest.ts'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'

/** In step with the files now; it looks at them again only when told. */
export function openSearch(root: string): ExperienceSearch {
  const ids = openIds(systemClock)
  const ports = { files: diskFiles, lock: sqliteLock, clock: systemClock, digest: bunDigest ?? nodeDigest, ids }
  const search = new ExperienceSearch(ports, layoutOf(root, WORKSPACE_FOLDERS))
  search.refresh()
  return search
}
