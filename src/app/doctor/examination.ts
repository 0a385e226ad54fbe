/** Looks at everything that a run relies on, and changes no experience, log or original. */
import { type Check, checked } from './check.ts'
import { ENGINE_FIX, engineCheck } from './engine-check.ts'
import type { Examined } from './examined.ts'
import { clockCheck, serverChecks } from './server-checks.ts'
import { storageChecks } from './storage-checks.ts'

export interface Examination {
  readonly ok: boolean
  readonly checks: readonly Check[]
}

/** Throws `interrupted`. */
export async function examine(examined: Examined): Promise<Examination> {
  const checks = [
    ...(await storageChecks(examined)),
    ...(await serverChecks(examined)),
    await checked('cypher', ENGINE_FIX, () => engineCheck(examined)),
    await checked('clock', 'look at the logs that are named', () => clockCheck(examined)),
  ]
  return { ok: checks.every(({ ok }) => ok), checks }
}
