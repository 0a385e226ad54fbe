/** What one has to know of the machine to read its numbers. */
import { Database } from 'bun:sqlite'
import { readFileSync, realpathSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** @param data the folder whose file system is described */
export function describeMachine(data: string): readonly string[] {
  const fileSystem = fileSystemOf(data)
  const warning = fileSystem === 'tmpfs' ? ': in memory, choose a folder on a real disk with --data' : ''
  return [
    `Processor: ${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} usable cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `System: ${type()} ${release().split('-')[0]}, file system ${fileSystem}${warning}`,
    `Software: Bun ${Bun.version}, SQLite ${sqliteVersion()}`,
  ]
}

function sqliteVersion(): string {
  using database = new Database(':memory:')
  const version = database.prepare('SELECT sqlite_version()').values()[0]?.[0]
  return String(version)
}

/** Its kind, as ext4. */
export function fileSystemOf(folder: string): string {
  if (process.platform !== 'linux') return 'unknown'
  const path = realpathSync(folder)
  let found = { mount: '', kind: 'unknown' }
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, mount = '', kind = ''] = line.split(' ')
    const isAbove = path === mount || path.startsWith(mount === '/' ? '/' : `${mount}/`)
    if (mount !== '' && isAbove && mount.length >= found.mount.length) found = { mount, kind }
  }
  return found.kind
}
