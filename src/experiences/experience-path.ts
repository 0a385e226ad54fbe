/** Paths that name an experience file. */
import { experienceNameFault } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'
import { nameDirectlyIn } from '../workspace/confinement.ts'
import type { Layout } from '../workspace/layout.ts'

const SUFFIX = '.json'

/** The path that a person or a model means, who may leave out `.json`. Throws what `experiencePath` throws. */
export function meantExperiencePath(files: Files, layout: Layout, path: string): string {
  const folder = `${layout.procedures}/`
  const isBareName = path.startsWith(folder) && experienceNameFault(path.slice(folder.length)) === null
  return experiencePath(files, layout, isBareName ? `${path}${SUFFIX}` : path)
}

/**
 * The same path, when it is that of a possible experience.
 * Throws `path_outside`, and `invalid_name` for a file that the program would not take for an experience.
 */
export function experiencePath(files: Files, layout: Layout, path: string): string {
  const name = nameDirectlyIn(files, layout, layout.procedures, path)
  const fault = fileNameFault(name)
  if (fault === null) return path
  throw new MemoryError(
    'invalid_name',
    `${JSON.stringify(path)} names no experience: ${fault}; knowhow search shows the paths there are`,
  )
}

export function isExperienceFileName(name: string): boolean {
  return fileNameFault(name) === null
}

/** Null for the name of a possible experience. */
function fileNameFault(name: string): string | null {
  return name.endsWith(SUFFIX)
    ? experienceNameFault(name.slice(0, -SUFFIX.length))
    : `its name does not end in ${SUFFIX}`
}
