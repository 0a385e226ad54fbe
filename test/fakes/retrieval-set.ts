/** A small retrieval set as the text of its file. */

export const doc = (id: string, text: string) => ({ kind: 'doc', id, text })
export const query = (id: string, text: string) => ({ kind: 'query', id, text })
export const qrel = (query: string, doc: string, grade: number) => ({ kind: 'qrel', query, doc, grade })

/** Two documents, two queries; `q2` has no relevant document. */
const SMALL = [
  doc('d1', 'Rebuild the search index'),
  doc('d2', 'Clear the cache'),
  query('q1', 'stale search index'),
  query('q2', 'cache'),
  qrel('q1', 'd1', 2),
  qrel('q2', 'd1', 0),
]

export function retrievalSet(records: readonly unknown[] = SMALL): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
