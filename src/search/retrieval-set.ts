/**
 * Reads a retrieval set: documents, queries, and judgements of which document answers which query, as JSON lines in any
 * order. Knows nothing of rankings.
 */
import * as v from 'valibot'
import { MemoryError } from '../model/memory-error.ts'

export interface JudgedQuery {
  readonly text: string
  /** By id of the document; 0: judged, and not relevant. One at least is above 0. */
  readonly grades: ReadonlyMap<string, number>
}

export interface RetrievalSet {
  /** Texts by id. */
  readonly documents: ReadonlyMap<string, string>
  /** Those that have a relevant document, in the order of the file. */
  readonly queries: readonly JudgedQuery[]
  /** How many other queries there are: nothing can be measured by them. */
  readonly unjudgedCount: number
  readonly judgementCount: number
}

/** The graded gain doubles with each grade, and a sum of gains must stay a number. */
const GRADE_MAX = 100
/** A value is shown in a message up to so many UTF-16 units. */
const SHOWN_MAX = 60

const FIELDS = 'doc and query take kind, id and text, qrel takes kind, query, doc and grade'

const LINE_FEED = 0x0a

const text = v.string('takes a text')
const filledText = v.pipe(
  v.string('takes a text that is not empty'),
  v.check((value) => value.trim() !== '', 'takes a text that is not empty'),
)
const gradeRule = `takes a whole number from 0 to ${GRADE_MAX}`
const grade = v.pipe(
  v.number(gradeRule),
  v.integer(gradeRule),
  v.minValue(0, gradeRule),
  v.maxValue(GRADE_MAX, gradeRule),
)

/** Further fields are ignored: collections keep titles and codes of their own. */
const recordSchema = v.variant(
  'kind',
  [
    v.object({ kind: v.literal('doc'), id: filledText, text }),
    v.object({ kind: v.literal('query'), id: filledText, text: filledText }),
    v.object({ kind: v.literal('qrel'), query: filledText, doc: filledText, grade }),
  ],
  'takes doc, query or qrel',
)

type SetRecord = v.InferOutput<typeof recordSchema>
type Judgement = Extract<SetRecord, { kind: 'qrel' }> & { readonly line: number }

/** What was read, with the line it stands in (from 1). */
interface Entry {
  readonly text: string
  readonly line: number
}

/**
 * @param file as the person named it, for messages
 * Throws `malformed_input` with the line.
 */
export function readRetrievalSet(bytes: Uint8Array, file: string): RetrievalSet {
  const faultAt = faultIn(file)
  const documents = new Map<string, Entry>()
  const queries = new Map<string, Entry>()
  const judgements: Judgement[] = []
  for (const [line, lineBytes] of linesOf(bytes)) {
    const record = recordIn(lineBytes, (...fault) => faultAt(line, ...fault))
    if (record === null) continue
    if (record.kind === 'qrel') {
      judgements.push({ ...record, line })
      continue
    }
    const entries = record.kind === 'doc' ? documents : queries
    const earlier = entries.get(record.id)
    if (earlier !== undefined)
      throw faultAt(line, `the ${record.kind} ${shown(record.id)} stands in line ${earlier.line} already; keep one`)
    entries.set(record.id, { text: record.text, line })
  }
  const grades = gradesByQuery(judgements, { documents, queries }, faultAt)
  const judged = [...queries].flatMap(([id, query]) => {
    const own = grades.get(id) ?? new Map<string, number>()
    return [...own.values()].some((value) => value > 0) ? [{ text: query.text, grades: own }] : []
  })
  if (judged.length === 0) throw nothingToMeasure(file, queries.size)
  return {
    documents: new Map([...documents].map(([id, document]) => [id, document.text])),
    queries: judged,
    unjudgedCount: queries.size - judged.length,
    judgementCount: judgements.length,
  }
}

type Fault = (what: string, cause?: unknown) => MemoryError
type FaultAt = (line: number, ...fault: Parameters<Fault>) => MemoryError

/** A fault of the file, mended by hand alone. */
function faultIn(file: string): FaultAt {
  return (line, what, cause) =>
    new MemoryError('malformed_input', `${file}, line ${line}: ${what}`, { path: file, line, resumable: false, cause })
}

function* linesOf(bytes: Uint8Array): Generator<readonly [line: number, bytes: Uint8Array]> {
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(LINE_FEED, start)
    const end = found === -1 ? bytes.length : found
    yield [line, bytes.subarray(start, end)]
    start = end + 1
  }
}

/** @returns null for a blank line */
function recordIn(bytes: Uint8Array, fault: Fault): SetRecord | null {
  const line = decoded(bytes, fault)
  if (line.trim() === '') return null
  const parsed = v.safeParse(recordSchema, parsedJson(line, fault))
  if (parsed.success) return parsed.output
  throw fault(recordFault(parsed.issues[0]))
}

function decoded(bytes: Uint8Array, fault: Fault): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const readable = new TextDecoder().decode(bytes)
    throw fault(`${shown(readable)} is not UTF-8; save the file in UTF-8`, cause)
  }
}

function parsedJson(line: string, fault: Fault): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw fault(`${shown(line)} is not JSON; write one JSON object a line`, cause)
  }
}

function recordFault(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue)
  if (field === null) return `takes a JSON object with kind doc, query or qrel, not ${shortened(issue.received)}`
  if (issue.received === 'undefined') return `the field ${field} is missing; ${FIELDS}`
  return `${field} ${issue.message}, not ${shortened(issue.received)}`
}

interface Entries {
  readonly documents: ReadonlyMap<string, Entry>
  readonly queries: ReadonlyMap<string, Entry>
}

/** By query, then by document. */
function gradesByQuery(
  judgements: readonly Judgement[],
  { documents, queries }: Entries,
  faultAt: FaultAt,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const byQuery = new Map<string, Map<string, number>>()
  for (const { query, doc, grade: value, line } of judgements) {
    if (!queries.has(query))
      throw faultAt(line, `there is no query ${shown(query)}; add its line or leave this judgement out`)
    if (!documents.has(doc))
      throw faultAt(line, `there is no doc ${shown(doc)}; add its line or leave this judgement out`)
    const grades = byQuery.get(query) ?? new Map<string, number>()
    if (grades.has(doc))
      throw faultAt(line, `query ${shown(query)} and doc ${shown(doc)} are judged in an earlier line already; keep one`)
    byQuery.set(query, grades.set(doc, value))
  }
  return byQuery
}

function nothingToMeasure(file: string, queryCount: number): MemoryError {
  const missing =
    queryCount === 0
      ? 'has no query; add lines such as {"kind":"query","id":"q1","text":"…"}'
      : `judges no document relevant to any of its queries (${queryCount}); add lines such as {"kind":"qrel","query":"q1","doc":"d1","grade":1}`
  return new MemoryError('malformed_input', `${file} ${missing}`, { path: file, resumable: false })
}

function shown(value: string): string {
  return shortened(JSON.stringify(value))
}

function shortened(value: string): string {
  return value.length <= SHOWN_MAX ? value : `${value.slice(0, SHOWN_MAX)}…`
}
