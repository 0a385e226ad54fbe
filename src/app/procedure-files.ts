/** Experience files as the memory graph follows them: which there are in which version, and what one says. */
import type { ExperienceLibrary } from '../experiences/library.ts'
import type { ProcedureFile } from '../graph/procedures.ts'
import type { Experience } from '../model/experience.ts'
import { MemoryError, scopeOf } from '../model/memory-error.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'

export interface ProcedureFiles {
  readonly files: readonly ProcedureFile[]
  /** Null when the file is another by now. */
  readonly read: (file: ProcedureFile) => Experience | null
}

export const NO_PROCEDURE_FILES: ProcedureFiles = { files: [], read: () => null }

/** As the files are now, also those that are left out of the views. */
export function procedureFiles(search: ExperienceSearch, library: ExperienceLibrary): ProcedureFiles {
  search.refresh()
  const files = [...search.indexedVersions(), ...search.leftOut].map(({ path, version }) => ({ path, version }))
  return { files, read: ({ path, version }) => readVersion(library, path, version) }
}

function readVersion(library: ExperienceLibrary, path: string, version: string): Experience | null {
  try {
    const current = library.read(path)
    return current.version === version ? current.experience : null
  } catch (error) {
    if (error instanceof MemoryError && scopeOf(error.code) === 'call') return null
    throw error
  }
}
