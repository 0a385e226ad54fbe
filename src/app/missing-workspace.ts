/** What a person is told who looks into a workspace that is not there. */
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'

/** What of an operation decides which notices it is worth; see `Operation`. */
export interface NoticeNeeds {
  readonly writes?: boolean
  readonly needsEmbedder?: true
  readonly needsWorkspace?: true
  readonly silentOfMissing?: true
}

/** Null where there is one. Also of a folder that has a workspace in it instead of being one. */
export function missingNotice(files: Files, layout: Layout): string | null {
  const { root, procedures, imports } = layout
  const inside = `${root}/.knowhow`
  const hasInside = files.stat(inside)?.kind === 'folder'
  const isOne = [procedures, imports].some((path) => files.stat(inWorkspace(layout, path)) !== null)
  // Asked by its names: the root itself may be a link, and lead nowhere.
  if (files.names(root) !== null && (isOne || !hasInside)) return null
  const near = hasInside ? `, but there is one at ${inside}` : ''
  return `there is no workspace at ${root}${near}; choose it with --workspace, or make one by knowhow import FILE`
}

/** Throws `not_found` where there is none. */
export function requireWorkspace(files: Files, layout: Layout): void {
  const missing = missingNotice(files, layout)
  if (missing !== null) throw new MemoryError('not_found', missing)
}
