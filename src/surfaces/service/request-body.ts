/** The body of a request, as it may be trusted: bounded, whole, in UTF-8, and one JSON object. */
import { isRecord } from '../../model/json-values.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { strictJson } from '../../model/strict-json.ts'

/** Throws `media_type_unsupported`, `body_too_large`, `invalid_argument`. */
export async function argumentsIn(request: Request, bytesMax: number): Promise<Readonly<Record<string, unknown>>> {
  const value = strictJson(textIn(await jsonBytes(request, bytesMax)))
  if (isRecord(value)) return value
  throw new MemoryError('invalid_argument', 'arguments: takes an object, such as {"query":"…"}', { field: 'arguments' })
}

/** As they came. Throws `media_type_unsupported`, `body_too_large`, and `invalid_argument` for a body that broke off. */
async function jsonBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  requireJson(request.headers)
  return bodyBytes(request, bytesMax)
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

function requireJson(headers: Headers): void {
  if (!JSON_TYPE.test((headers.get('content-type') ?? '').trim()))
    throw new MemoryError('media_type_unsupported', 'the body must be JSON in UTF-8: Content-Type: application/json')
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    throw new MemoryError('media_type_unsupported', 'the body must be sent as it is, without Content-Encoding')
}

/** As they came. Throws `body_too_large`, and `invalid_argument` for a body that broke off. */
export async function bodyBytes({ headers, body }: Request, bytesMax: number): Promise<Uint8Array> {
  // What is declared too large is not even begun.
  if (Number(headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (;;) {
    const chunk = await nextChunk(reader)
    if (chunk === null) return Buffer.concat(chunks)
    length += chunk.length
    // The rest is not read: whoever sends it is told, and left.
    if (length > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<Uint8Array | null> {
  try {
    return (await reader?.read())?.value ?? null
  } catch (cause) {
    throw new MemoryError('invalid_argument', 'the body broke off before its end', { cause })
  }
}

function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new MemoryError('invalid_argument', 'arguments: not in UTF-8', { field: 'arguments', cause })
  }
}

function tooLarge(bytesMax: number): MemoryError {
  return new MemoryError('body_too_large', `the body has more than ${bytesMax} bytes; send less at once`)
}
