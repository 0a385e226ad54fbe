/** A reindex from the files alone: both views, then the vectors that are owed. For the holder of the writer's lock. */
import type { Running } from '../importer/import-surroundings.ts'
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'

export interface ReindexRun extends Pick<Running, 'onWait' | 'progress' | 'signal'> {
  /** Tries once more what imports wrote and no view took. */
  readonly settle: () => Promise<void>
}

/** What says better than `index_corrupt` why there is no index. */
const CAUSES: ReadonlySet<ErrorCode> = new Set(['disk_full', 'read_only', 'permission_denied'])

/** Throws what kept the index from being written, `index_corrupt` when that is unknown, `embedder_unavailable` and `interrupted`. */
export async function reindexed(search: ExperienceSearch, run: ReindexRun) {
  search.rebuild()
  // Said before vectors are paid for that could not be kept either.
  if (search.storageFault !== null) throw unwritten('the index could not', search.storageFault)
  const { onWait, progress, signal, settle } = run
  const supplied = await tellingToReindex(search.supply({ signal, onProgress: progress, onWait }))
  if (supplied?.isStored === false) throw unwritten('not all vectors could', supplied.storageFault)
  await settle()
  search.refresh()
  const { count, invalid, leftOut } = search
  const divided = supplied?.divided ?? 0
  return {
    experiences: count,
    indexed: count - leftOut.length,
    invalid: [...invalid],
    pending: [...leftOut],
    embedded: supplied?.embedded ?? 0,
    reused: supplied?.reused ?? 0,
    ...(divided === 0 ? {} : { divided }),
  }
}

/** @param fault null when somebody else was writing */
function unwritten(what: string, fault: MemoryError | null): MemoryError {
  const code = fault !== null && CAUSES.has(fault.code) ? fault.code : 'index_corrupt'
  const why = fault?.message ?? 'another process was writing there'
  const next = 'mend that and run knowhow reindex again; until then each search works it out anew'
  return new MemoryError(code, `${what} be written to metadata/index (${why}); ${next}`)
}

/** The view is whole without the vectors that did not come, and those that came are kept. */
async function tellingToReindex<T>(supplying: Promise<T>): Promise<T> {
  try {
    return await supplying
  } catch (cause) {
    if (!(cause instanceof MemoryError)) throw cause
    const { code, message, details } = cause
    if (code === 'interrupted')
      throw new MemoryError(code, 'interrupted while embedding; run knowhow reindex again to embed the rest', { cause })
    if (code !== 'embedder_unavailable') throw cause
    throw new MemoryError(code, `${message}, then run knowhow reindex again to embed the rest`, { ...details, cause })
  }
}
