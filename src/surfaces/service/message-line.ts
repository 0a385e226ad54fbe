/** One line of standard input as messages of JSON-RPC, and what is answered to a line that holds none. Reads no stream. */
import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { isRecord } from '../../model/json-values.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { strictJson } from '../../model/strict-json.ts'

/** The older revisions that know batches name no bound. */
const BATCH_LENGTH_MAX = 100

/** As JSON-RPC has it: the id is null where the line does not tell. */
export interface LineRefusal {
  readonly jsonrpc: '2.0'
  readonly id: RequestId | null
  readonly error: { readonly code: number; readonly message: string }
}

export type LinePart = { readonly message: JSONRPCMessage } | { readonly refusal: LineRefusal }

/** A batch is taken apart, and each of its messages answered by itself. Nothing for a line without a word. */
export function partsOfLine(line: Uint8Array): readonly LinePart[] {
  const value = valueIn(line)
  if (value === undefined) return []
  if ('refusal' in value) return [value]
  const { parsed } = value
  if (!Array.isArray(parsed)) return [partOf(parsed)]
  if (parsed.length > 0 && parsed.length <= BATCH_LENGTH_MAX) return parsed.map(partOf)
  return [refused(INVALID_REQUEST, `Invalid Request: a batch holds 1 to ${BATCH_LENGTH_MAX} messages`)]
}

/** The JSON of a line or a body, in which nothing can be read in two ways; undefined where there is no word. */
export function valueIn(
  bytes: Uint8Array,
): { readonly parsed: unknown } | { readonly refusal: LineRefusal } | undefined {
  let text: string
  let parsed: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.trim() === '') return undefined
    parsed = JSON.parse(text)
  } catch {
    return refused(PARSE_ERROR, 'Parse error: not valid JSON in UTF-8')
  }
  try {
    strictJson(text)
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    return refused(INVALID_REQUEST, `Invalid Request: ${error.message}`, idOf(parsed))
  }
  return { parsed }
}

export function tooLongLine(bytesMax: number): LineRefusal {
  return refusal(INVALID_REQUEST, `Invalid Request: the line is over ${bytesMax} bytes; send less at once`, null)
}

function partOf(value: unknown): LinePart {
  try {
    return { message: parseJSONRPCMessage(value) }
  } catch {
    return refused(INVALID_REQUEST, 'Invalid Request: it is no message of JSON-RPC 2.0', idOf(value))
  }
}

/** Only of a request: an answer to anything else would be taken for another one's. */
function idOf(value: unknown): RequestId | null {
  if (!isRecord(value) || typeof value.method !== 'string') return null
  return typeof value.id === 'string' || Number.isInteger(value.id) ? (value.id as RequestId) : null
}

function refused(code: number, message: string, id: RequestId | null = null): { readonly refusal: LineRefusal } {
  return { refusal: refusal(code, message, id) }
}

function refusal(code: number, message: string, id: RequestId | null): LineRefusal {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
