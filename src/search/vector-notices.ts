/** What a person is told of vectors: of those that are missing, and of those that stand for parts of a text. */

export const UNTIL_REINDEX = ' until knowhow reindex'
export const CHANGED = 'the embedder was changed'
export const NO_VECTORS = 'no experience in this index has a vector'
export const QUERY_DIVIDED = `the query ${dividedWords('was')}`
export const VAGUE_QUERY = 'the embedder knows too few words of the query'
export const NOT_KEPT = 'the vectors could not be written to metadata/index'

export function widthFault(width: number, expected: number): string {
  return `the embedder now gives ${width} dimensions instead of ${expected}`
}

/** Null when nothing is owed. @param fault why it was not supplied; null when nobody tried; @param of what it is owed */
export function noticeOfOwed(
  owed: number,
  fault: string | null,
  of: { readonly one: string; readonly many: string } = { one: 'experience', many: 'experiences' },
): string | null {
  if (owed === 0) return null
  const what = owed === 1 ? `1 ${of.one} has no vector yet and ranks` : `${owed} ${of.many} have no vector yet and rank`
  const reason = fault === null ? '' : ` (${fault})`
  return `${what} by keywords alone${reason}; knowhow reindex supplies what is missing`
}

/** Null when none was. @param count texts that were embedded in parts */
export function noticeOfDivided(count: number): string | null {
  if (count === 0) return null
  return count === 1 ? `1 text ${dividedWords('was')}` : `${count} texts ${dividedWords('were')}`
}

function dividedWords(verb: 'was' | 'were'): string {
  return `${verb} over the model's limit: embedded in parts and averaged`
}

/** One sentence behind the other; null when there is none. */
export function joinedNotices(...notices: readonly (string | null)[]): string | null {
  const given = notices.filter((notice) => notice !== null)
  return given.length === 0 ? null : given.join('. ')
}
