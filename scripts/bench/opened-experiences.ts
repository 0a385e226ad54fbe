/** The product's own search on a workspace of the disk, wired as the program wires it. */
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import { openIds, systemClock, systemDigest } from '../../src/adapters/system.ts'
import type { Files } from '../../src/ports.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import type { WorkspacePorts } from '../../src/workspace/workspace.ts'

export function machinePorts(files: Files = diskFiles): WorkspacePorts {
  return { files, lock: sqliteLock, clock: systemClock, digest: systemDigest, ids: openIds(systemClock) }
}

/** In step with the files now; it looks at them again only when told. */
export function openSearch(root: string, ports = machinePorts()): ExperienceSearch {
  const search = new ExperienceSearch(ports, layoutOf(root, WORKSPACE_FOLDERS))
  search.refresh()
  return search
}
