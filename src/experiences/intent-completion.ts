/**
 * The one way from a journaled intent to its file: publish, index, close, or give up to what someone else put there. A
 * journal may have come with a workspace from someone else, so nothing it says is believed unchecked.
 */
import { type Experience, readExperience } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'
import type { TakenIn } from '../search/vector-supply.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { publishNew, publishReplacement } from '../workspace/publication.ts'
import type { WorkspacePorts, WritableWorkspace } from '../workspace/workspace.ts'
import { experiencePath } from './experience-path.ts'
import type { Intent, Operation, OperationJournal } from './operation-journal.ts'

/** The two search views, as who writes a file needs them. */
export interface WrittenViews {
  /** Whether taking a file in waits for something that may fail, such as an embedder. */
  readonly mayWait: boolean
  /**
   * Brings both in step with a file that was just written.
   * @param read what it holds, for who needs to know
   * @param asksAgain whether what was refused before is tried once more
   */
  readonly takeIn: (path: string, read: () => Experience, asksAgain: boolean) => Promise<TakenIn>
}

/** Where a write ended. */
export interface Completion {
  /** The version that lies there now; null for none. Anything but the intent's own means that it was superseded. */
  readonly found: string | null
  /** Why neither view holds the file, though it is in place; null when both do, or when it was superseded. */
  readonly pending: string | null
}

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
 * A hand edit is never overwritten, a file deleted by hand never recreated. Throws `interrupted`.
 * @param intent just made, or found to be sound
 */
export async function completeIntent(
  workspace: WritableWorkspace,
  journal: OperationJournal,
  intent: Intent,
  views: WrittenViews,
): Promise<Completion> {
  const found = placed(workspace, journal, intent)
  if (found !== intent.version) {
    journal.closeSuperseded(intent.key, found)
    return { found, pending: null }
  }
  // Whoever is killed while it waits must not have the file made again that somebody has deleted by then.
  if (views.mayWait) journal.notePublished(intent.key)
  const taken = await takenIn(intent, views, false)
  const pending = typeof taken === 'string' ? null : taken.refused
  if (pending === null) journal.closeIndexed(intent.key)
  else journal.notePending(intent.key, pending)
  return { found, pending }
}

/**
 * Asks the views once more to take a file that they had not when its operation was left, unless somebody has changed it
 * since: that ends the operation for good.
 */
export async function settlePublished(
  workspace: WritableWorkspace,
  journal: OperationJournal,
  { intent, error }: Operation,
  views: WrittenViews,
  asksAgain: boolean,
): Promise<Completion> {
  const found = versionThere(workspace, intent.path)
  if (found !== intent.version) {
    journal.closeSuperseded(intent.key, found)
    return { found, pending: null }
  }
  const taken = await takenIn(intent, views, asksAgain)
  // That the embedder cannot be had now says nothing of a text that it has refused.
  const pending = typeof taken === 'string' ? (taken === 'owing' ? error : null) : taken.refused
  if (pending === null) journal.closeIndexed(intent.key)
  else if (pending !== error) journal.notePending(intent.key, pending)
  return { found, pending }
}

/** A view that fails is one that does not take the file. */
async function takenIn({ path, text }: Intent, views: WrittenViews, asksAgain: boolean): Promise<TakenIn> {
  try {
    return await views.takeIn(path, () => readExperience(new TextEncoder().encode(text)), asksAgain)
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code === 'interrupted') throw error
    return { refused: error.message }
  }
}

/** Of the file as it is now; null when there is none. */
export function versionThere(
  { ports, layout }: { readonly ports: Pick<WorkspacePorts, 'files' | 'digest'>; readonly layout: Layout },
  path: string,
): string | null {
  const bytes = ports.files.read(inWorkspace(layout, path))
  return bytes === null ? null : ports.digest.sha256(bytes)
}

/** What lies there in the end. A fault behind the moment at which the file was there is recorded as that: whoever removes it then has it removed for good. */
function placed(workspace: WritableWorkspace, journal: OperationJournal, intent: Intent): string | null {
  try {
    return bringIntoPlace(workspace, intent)
  } catch (error) {
    if (intent.version !== intent.prior && versionThere(workspace, intent.path) === intent.version)
      journal.notePublished(intent.key)
    throw error
  }
}

function bringIntoPlace(workspace: WritableWorkspace, intent: Intent): string | null {
  const { ports, layout } = workspace
  const found = versionThere(workspace, intent.path)
  // A run that was killed between this name and its sync left it to the next power cut.
  if (found === intent.version) ports.files.syncFolder(inWorkspace(layout, layout.procedures))
  if (found !== intent.prior || found === intent.version) return found
  const bytes = new TextEncoder().encode(intent.text)
  if (intent.prior !== null) publishReplacement(ports.files, ports.ids, layout, intent.path, bytes)
  else if (!publishNew(ports.files, ports.ids, layout, intent.path, bytes)) return versionThere(workspace, intent.path)
  return intent.version
}
