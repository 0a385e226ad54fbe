/** Names of tokenizers on the Hugging Face hub, as settings hold them. */

export interface HubName {
  /** `org/name`. */
  readonly repository: string
  /** A branch, a tag or a commit. */
  readonly revision: string
}

const DEFAULT_REVISION = 'main'

/** As the hub allows them; none of it leaves its folder in a cache, or means another folder on Windows. */
const PART = /^\w(?:[\w.-]{0,94}\w)?$/
const REVISION = /^\w(?:[\w.+-]*\w)?(?:\/\w(?:[\w.+-]*\w)?)*$/
const REVISION_LENGTH_MAX = 200

/**
 * `org/name` or `org/name@revision`; null for anything else. A single word is a path, never a name of the hub, so that a
 * mistyped file is not looked for on a server; so is what ends as a JSON file does.
 */
export function hubNameOf(source: string): HubName | null {
  const at = source.indexOf('@')
  const repository = at === -1 ? source : source.slice(0, at)
  const revision = at === -1 ? DEFAULT_REVISION : source.slice(at + 1)
  return isRepository(repository) && isRevision(revision) ? { repository, revision } : null
}

function isRepository(text: string): boolean {
  const parts = text.split('/')
  // In a cache `--` stands between organisation and name.
  return parts.length === 2 && parts.every((part) => PART.test(part)) && !/--|\.\.|\.git$|\.json$/i.test(text)
}

function isRevision(text: string): boolean {
  return text.length <= REVISION_LENGTH_MAX && REVISION.test(text) && !text.includes('..')
}
