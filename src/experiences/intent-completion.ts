/**
 * The one way from a journaled intent to its file: publish, index, close, or give up to what someone else put there. A
 * journal may have come with a workspace from someone else, so nothing it says is believed unchecked.
 */
import { readExperience } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { publishNew, publishReplacement } from '../workspace/publication.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import { experiencePath } from './experience-path.ts'
import type { Intent, OperationJournal } from './operation-journal.ts'

/**
 * Throws unless the intent may be carried out: `path_outside` and `invalid_name` for a path that is no experience's,
 * `settings_changed` for one in another folder than the configured one, `not_a_file`, `log_corrupt` for a version that
 * is not the text's, `invalid_experience`.
 */
export function requireSoundIntent({ ports, layout }: WritableWorkspace, { path, version, text }: Intent): void {
  if (liesInOtherFolder(ports.files, layout, path))
    throw new MemoryError(
      'settings_changed',
      `${JSON.stringify(path)} is not directly in ${layout.procedures}; set procedure_dir as it was to have it written`,
    )
  experiencePath(ports.files, layout, path)
  const kind = ports.files.stat(inWorkspace(layout, path))?.kind ?? 'file'
  if (kind !== 'file') throw new MemoryError('not_a_file', `${path} is no regular file; move it away`)
  const bytes = new TextEncoder().encode(text)
  if (ports.digest.sha256(bytes) !== version)
    throw new MemoryError('log_corrupt', `the version recorded for ${path} is not the checksum of its text`)
  readExperience(bytes)
}

/** Whether nothing but the setting stands in the way: the path is an experience's, were its folder the configured one. */
function liesInOtherFolder(files: Files, layout: Layout, path: string): boolean {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  if (folder === layout.procedures) return false
  try {
    experiencePath(files, { ...layout, procedures: folder }, path)
    return true
  } catch (error) {
    if (error instanceof MemoryError && (error.code === 'path_outside' || error.code === 'invalid_name')) return false
    throw error
  }
}

/**
 * Brings the file of an open intent to its target if it is still at the recorded prior state, and closes the intent.
 * A hand edit is never overwritten, a file deleted by hand never recreated.
 * @returns the version that lies there now; null for none. Anything but the intent's own means that it was superseded.
 * Throws what `requireSoundIntent` throws, with nothing touched.
 */
export function completeIntent(
  workspace: WritableWorkspace,
  journal: OperationJournal,
  intent: Intent,
  index: (path: string) => void,
): string | null {
  requireSoundIntent(workspace, intent)
  const found = bringIntoPlace(workspace, intent)
  if (found === intent.version) {
    index(intent.path)
    journal.closeIndexed(intent.key)
  } else {
    journal.closeSuperseded(intent.key, found)
  }
  return found
}

function bringIntoPlace({ ports, layout }: WritableWorkspace, intent: Intent): string | null {
  const versionThere = () => {
    const bytes = ports.files.read(inWorkspace(layout, intent.path))
    return bytes === null ? null : ports.digest.sha256(bytes)
  }
  const found = versionThere()
  if (found !== intent.prior || found === intent.version) return found
  const bytes = new TextEncoder().encode(intent.text)
  if (intent.prior !== null) publishReplacement(ports.files, ports.ids, layout, intent.path, bytes)
  else if (!publishNew(ports.files, ports.ids, layout, intent.path, bytes)) return versionThere()
  return intent.version
}
