/** A workspace in memory with experiences that are searched: file times come from a clock that tests move. */
import type { ViewName } from '../../src/model/experience.ts'
import type { Files } from '../../src/ports.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import type { ExcludedVersions } from '../../src/search/indexed-contents.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { CountingIds } from './counting-ids.ts'
import { digest } from './digest.ts'
import { FixedClock } from './fixed-clock.ts'
import { MemoryFiles } from './memory-files.ts'
import { MemoryLock } from './memory-lock.ts'

export const INDEX = '/w/metadata/index'
export const INDEX_LOCK = `${INDEX}/lock`
export const layout = layoutOf('/w', WORKSPACE_FOLDERS)

export function experienceJson(when: string, content = 'Nothing.'): string {
  return JSON.stringify({ description: 'D', 'when-to-use': when, content, sources: [] })
}

export function versionOf(text: string): string {
  return digest.sha256(new TextEncoder().encode(text))
}

export class SearchedWorkspace {
  readonly clock = new FixedClock()
  readonly lock = new MemoryLock()
  readonly ids = new CountingIds()
  readonly files: MemoryFiles
  /** Names of the experience files that were read, in order. */
  reads: string[] = []

  /** @param skewMs how far the file system's clock is ahead */
  constructor(skewMs = 0) {
    this.files = new MemoryFiles({ tick: () => this.clock.now() + skewMs })
    this.files.makeFolder('/w')
    this.files.makeFolder('/w/procedures')
  }

  write(name: string, when: string, content?: string): void {
    this.files.write(`/w/procedures/${name}.json`, experienceJson(when, content))
  }

  remove(name: string): void {
    this.files.remove(`/w/procedures/${name}.json`)
  }

  /** What the next process would open. */
  open(
    besideMax = 64,
    faults: Partial<Files> = {},
    excludedNow: () => ExcludedVersions = () => new Map(),
  ): ExperienceSearch {
    const { files, clock, lock, ids } = this
    const noteRead = (name: string) => this.reads.push(name)
    const port = new Proxy<Files>(files, {
      get: (target, name) => {
        const fault = Reflect.get(faults, name)
        if (fault !== undefined) return fault
        if (name === 'read')
          return (path: string, options?: { bytesMax: number }) => {
            if (path.startsWith('/w/procedures/')) noteRead(path.slice('/w/procedures/'.length))
            return target.read(path, options)
          }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return new ExperienceSearch({ files: port, lock, digest, clock, ids }, layout, { besideMax, excludedNow })
  }

  /** Brings a search in step and tells how many files that made it read. */
  readsOf(search: ExperienceSearch): number {
    const before = this.reads.length
    search.refresh()
    return this.reads.length - before
  }

  /** Files of the index. */
  get index(): readonly string[] {
    return this.files.names(INDEX) ?? []
  }
}

/** Names of what a query finds, without folder and suffix. */
export function namesFor(search: ExperienceSearch, query: string, view?: ViewName): readonly string[] {
  search.refresh()
  const { hits } = search.search({ query, view, limit: 200 })
  return hits.map(({ path }) => path.slice('procedures/'.length, -'.json'.length))
}
