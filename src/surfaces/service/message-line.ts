/** One line of standard input as messages of JSON-RPC, and what is answered to a line that holds none. Reads no stream. */
import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { isRecord } from '../../model/json-values.ts'

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
  let value: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line)
    if (text.trim() === '') return []
    value = JSON.parse(text)
  } catch {
    return [refused(PARSE_ERROR, 'Parse error: the line is not valid JSON in UTF-8')]
  }
  if (!Array.isArray(value)) return [partOf(value)]
  if (value.length > 0 && value.length <= BATCH_LENGTH_MAX) return value.map(partOf)
  return [refused(INVALID_REQUEST, `Invalid Request: a batch holds 1 to ${BATCH_LENGTH_MAX} messages`)]
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

function refused(code: number, message: string, id: RequestId | null = null): LinePart {
  return { refusal: refusal(code, message, id) }
}

function refusal(code: number, message: string, id: RequestId | null): LineRefusal {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
