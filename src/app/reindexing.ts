/** A reindex from the files alone: both views, then the vectors that are owed, those of memories too. For the holder of the writer's lock. */
import type { Running } from '../importer/running.ts'
import { type ErrorCode, MemoryError } from '../model/memory-error.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import type { SuppliedMemories } from './memory-vectors.ts'
import { type RecoveryOptions, recover } from './recovered-workspace.ts'

export interface ReindexRun extends RecoveryOptions, Pick<Running, 'onWait' | 'progress' | 'signal'> {
  readonly workspace: WritableWorkspace
  readonly memory: MemoryVectors
}

/** Of the memory graph, which shares the shelf of vectors. */
export interface MemoryVectors {
  /** Of all texts; their vectors are kept. */
  textKeys(): Promise<readonly Uint8Array[]>
  /** Gives those that have none a vector. Throws `embedder_unavailable` and `interrupted`. */
  supplyVectors(run: Pick<Running, 'onWait' | 'progress' | 'signal'>): Promise<SuppliedMemories>
}

/** What says better than `index_corrupt` why there is no index. */
const CAUSES: ReadonlySet<ErrorCode> = new Set(['disk_full', 'read_only', 'permission_denied'])

/** Throws what kept the index from being written, `index_corrupt` when that is unknown, `embedder_unavailable` and `interrupted`. */
export async function reindexed(search: ExperienceSearch, run: ReindexRun) {
  search.rebuild()
  // Said before vectors are paid for that could not be kept either.
  if (search.storageFault !== null) throw unwritten('the index could not', search.storageFault)
  const { onWait, progress, signal, memory, say, views } = run
  const leftOutKeys = await ofReadable(() => memory.textKeys(), say)
  const wanted = { signal, onProgress: progress, onWait, leftOutKeys: leftOutKeys ?? [] }
  const supplied = await tellingToReindex(search.supply(wanted))
  if (supplied?.isStored === false) throw unwritten('not all vectors could', supplied.storageFault)
  // Behind the experiences: what another embedder or another width has left is off the shelf by now.
  const ofMemories = leftOutKeys === null ? null : await tellingToReindex(memory.supplyVectors(run))
  // Tries once more what imports wrote and no view took.
  await recover(run.workspace, { views, say, asksAgain: false })
  search.refresh()
  const { count, invalid, leftOut } = search
  const divided = (supplied?.divided ?? 0) + (ofMemories?.divided ?? 0)
  return {
    experiences: count,
    indexed: count - leftOut.length,
    invalid: [...invalid],
    pending: [...leftOut],
    embedded: (supplied?.embedded ?? 0) + (ofMemories?.embedded ?? 0),
    reused: supplied?.reused ?? 0,
    ...(divided === 0 ? {} : { divided }),
  }
}

/** Null for a graph that cannot be read: its memories keep what vectors they have, and the views are whole without it. */
async function ofReadable<T>(read: () => Promise<T>, say: (notice: string) => void): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code === 'interrupted') throw error
    say(`memories are left out: ${error.message}`)
    return null
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
