/** Vectors for what imports wrote, once they are over and recorded: whatever happens here is a notice. */
import type { Running } from '../importer/running.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'
import { leftOutSentence } from './operations/file-fault.ts'

/** @param written paths of experiences */
export async function catchUp(
  search: ExperienceSearch,
  written: ReadonlySet<string>,
  { say, onWait, progress, signal }: Running,
): Promise<void> {
  try {
    search.refresh()
    const notice = await search.catchUp([...written], { signal, onProgress: progress, onWait })
    if (notice !== null) say(notice)
    for (const { path, error } of search.leftOut) if (written.has(path)) say(leftOutSentence(path, error))
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    const why = error.code === 'interrupted' ? 'interrupted' : error.message
    say(`not all vectors were made (${why}); knowhow reindex supplies what is missing`)
  }
}
