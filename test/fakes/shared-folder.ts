/** Third-party material that may lie beside the checkout; tests that need it skip with a notice where it does not. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const shared = join(import.meta.dir, '..', '..', '..', 'shared')

export function samplesFolder(): string | null {
  return sharedFolder('samples')
}

/** Retrieval sets, one JSONL file each. */
export function retrievalSetsFolder(): string | null {
  return sharedFolder('eval')
}

function sharedFolder(name: string): string | null {
  const folder = join(shared, name)
  return existsSync(folder) ? folder : null
}

export function noticeWithout(what: string): void {
  console.warn(`notice: ../shared/${what} is not here, so the tests that need it are skipped`)
}
