/** Whether the graph engine of Cypher can be started here. One command needs it, and no other. */
import { MemoryError } from '../../model/memory-error.ts'
import { type Check, fine } from './check.ts'
import type { Examined } from './examined.ts'

const TIME_LIMIT_MS = 20_000
export const ENGINE_FIX =
  'install OpenSSL 3 (libssl.so.3), and set TMPDIR to a folder that programs can be loaded from; only knowhow memory cypher needs it'

/** Throws what `CypherEngine.ready` throws. */
export async function engineCheck({ machine, running }: Examined): Promise<Check> {
  try {
    using engine = await machine.openCypherEngine()
    const limits = { timeLimitMs: TIME_LIMIT_MS, limitMs: TIME_LIMIT_MS, signal: running.signal }
    return fine('cypher', `the engine is there (version ${await engine.ready(limits)})`)
  } catch (error) {
    if (!(error instanceof MemoryError) || error.details.isMissing !== true) throw error
    return fine('cypher', 'this program has no engine for it: knowhow memory cypher cannot be used, all else can')
  }
}
