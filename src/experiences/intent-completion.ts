/** The one way from a journaled intent to its file: publish, index, close, or give up to what someone else put there. */
import { inWorkspace } from '../workspace/layout.ts'
import { publishNew, publishReplacement } from '../workspace/publication.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import type { Intent, OperationJournal } from './operation-journal.ts'

/**
 * Brings the file of an open intent to its target if it is still at the recorded prior state, and closes the intent.
 * A hand edit is never overwritten, a file deleted by hand never recreated.
 * @returns the version that lies there now; null for none. Anything but the intent's own means that it was superseded.
 */
export function completeIntent(
  workspace: WritableWorkspace,
  journal: OperationJournal,
  intent: Intent,
  index: () => void,
): string | null {
  const found = bringIntoPlace(workspace, intent)
  if (found === intent.version) {
    index()
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
