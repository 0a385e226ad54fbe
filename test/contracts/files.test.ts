import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { sqliteLock } from '../../src/adapters/sqlite-lock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { filesContract } from './files.contract.ts'
import { lockContract } from './lock.contract.ts'

function temporaryFolder(): { readonly root: string; cleanUp(): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'knowhow-')))
  return { root, cleanUp: () => rmSync(root, { recursive: true, force: true }) }
}

filesContract('in memory', () => {
  const files = new MemoryFiles()
  files.makeFolder('/root')
  return { files, root: '/root', linkTo: (path, target) => files.linkTo(path, target), cleanUp: () => {} }
})

filesContract('on disk', () => ({
  ...temporaryFolder(),
  files: diskFiles,
  linkTo: (path, target) => symlinkSync(target, path),
}))

lockContract('in memory', () => {
  const lock = new MemoryLock()
  return { first: lock, second: lock, path: '/lock', cleanUp: () => {} }
})

lockContract('SQLite', () => {
  const folder = temporaryFolder()
  return { first: sqliteLock, second: sqliteLock, path: join(folder.root, 'lock'), cleanUp: folder.cleanUp }
})
