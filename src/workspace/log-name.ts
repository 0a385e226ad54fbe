/** The file that keeps a request's log. */
import { fileNameFault } from '../model/file-name.ts'
import type { RequestId } from '../model/request-id.ts'
import type { Digest } from '../ports.ts'

/**
 * `run-001` → `run-001.jsonl`. Ids that differ only in case, or that some platform cannot hold as a file name, get a
 * digest behind a `~`, which no id contains.
 */
export function logName(digest: Digest, id: RequestId): string {
  const lower = id.toLowerCase()
  if (lower === id && !id.startsWith('.') && fileNameFault(id) === null) return `${id}.jsonl`
  return `${lower.replaceAll('.', '_')}~${digest.sha256(new TextEncoder().encode(id)).slice(0, 12)}.jsonl`
}

export function isLogName(name: string): boolean {
  return name.endsWith('.jsonl')
}
