/** Why a file in the folder of experiences is none, as far as its name, kind and size tell before it is read. */
import { experienceNameFault, experienceSizeFault } from '../model/experience.ts'
import type { FileKind, FileStat } from '../ports.ts'

const SUFFIX = '.json'
/** What a runtime puts in the place of bytes that are no UTF-8: by such a name the file cannot be opened. */
const LOST = '\ufffd'

/** Others are ignored, whatever they are. */
export function isCandidate(fileName: string): boolean {
  return fileName.endsWith(SUFFIX) || fileName.toLowerCase().endsWith(SUFFIX)
}

/** One sentence for the person who put it there; null when it has to be read. @param stat null when nothing has this name */
export function unreadFault(fileName: string, stat: FileStat | null): string | null {
  if (stat === null) return fileName.includes(LOST) ? 'its name is not UTF-8; rename it' : null
  return nameFault(fileName) ?? kindFault(stat.kind) ?? experienceSizeFault(stat.bytes)
}

function nameFault(fileName: string): string | null {
  if (!fileName.endsWith(SUFFIX)) return `the name must end in ${SUFFIX} in lower case; rename it`
  const fault = experienceNameFault(fileName.slice(0, -SUFFIX.length))
  return fault === null ? null : `the file name is not that of an experience: ${fault}; rename it`
}

function kindFault(kind: FileKind): string | null {
  if (kind === 'file') return null
  if (kind === 'link') return 'it is a symbolic link, which is never followed; put the file itself here'
  if (kind === 'folder') return 'it is a folder; an experience is one file'
  return 'it is not a regular file'
}
