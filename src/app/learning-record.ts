/** Joins importer and memory graph, which do not know each other: what an import learnt becomes an event of the graph. */
import { requireActive } from '../graph/sessions.ts'
import type { LearningRecord } from '../importer/import-surroundings.ts'
import type { Running } from '../importer/running.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { WorkspaceMemory } from './workspace-memory.ts'

export function learningRecord(openMemory: () => Promise<WorkspaceMemory>, run: Running): LearningRecord {
  return {
    admit: async (session) => {
      const { database } = await (await openMemory()).reading(run)
      requireActive(database, session)
    },
    tell: async (learning) => {
      try {
        await (await openMemory()).recordLearning(learning, run)
      } catch (error) {
        if (!(error instanceof MemoryError) || error.code === 'interrupted') throw error
        // The import has done its work, and only its last step is to be done again.
        throw new MemoryError(
          error.code,
          `the memory graph cannot take what the import learnt: ${error.message}; its experiences are written, and it is completed by: knowhow import --resume ${learning.requestId}`,
          { resumable: true, cause: error },
        )
      }
    },
  }
}
