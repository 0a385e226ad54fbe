/** What a new memory has that nobody needs to say, times aside: one remembered now has those of now, one brought along its own. */
import { isGiven } from '../model/json-values.ts'
import type { MemoryKind } from './schema.ts'

export interface MemoryDefaults {
  readonly workingTtlSeconds: number
}

/**
 * What is given, and what is never null and was not given.
 * @param session that it lies in or that intends it
 * @param workingTtlSeconds needed for working memory only
 */
export function withStartingValues(
  kind: MemoryKind,
  given: Readonly<Record<string, unknown>>,
  { session, workingTtlSeconds }: Partial<MemoryDefaults> & { readonly session: string | null },
): Record<string, unknown> {
  const said = Object.entries(given).filter(([, value]) => isGiven(value))
  return { ...startingValues(), ...Object.fromEntries(said) }

  function startingValues(): Readonly<Record<string, unknown>> {
    switch (kind) {
      case 'episodic':
        return {}
      case 'semantic':
        return { version: 1 }
      case 'procedural':
        return { steps: [], preconditions: [], postconditions: [], usage_count: 0 }
      case 'prospective':
        return { priority: 'medium', status: 'pending', scope: session === null ? 'global' : 'session' }
      case 'working':
        return { memory_type: 'context', priority: 0, ttl_seconds: workingTtlSeconds }
    }
  }
}
