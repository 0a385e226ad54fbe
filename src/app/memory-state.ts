/** What the memory graph holds, as `status` tells it, and whether it is as it should be, as `doctor` asks. */
import { type GraphCounts, graphCounts } from '../graph/stats.ts'
import { graphProblems } from '../graph/validation.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { MemoryFile } from './memory-file.ts'
import type { WorkspaceMemory } from './workspace-memory.ts'

export type MemoryState =
  | { readonly counts: GraphCounts }
  /** It cannot be read. */
  | { readonly fault: MemoryError }

export async function memoryState(memory: WorkspaceMemory): Promise<MemoryState> {
  try {
    return { counts: graphCounts(await memory.reading({ say: () => {} })) }
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return { fault: error }
  }
}

/** Without following the experience files, so that nothing is written. Throws what opening it throws. */
export function memoryProblems(file: MemoryFile): readonly string[] {
  const database = file.asItLies()
  if (database === null) return []
  return graphProblems(database).map(({ table, id, error }) => `${table}${id === null ? '' : ` ${id}`}: ${error}`)
}
