/** What `status` answers, put together from what each part of a workspace tells. */
import type { Tokenizer } from '../ports.ts'
import { ANALYZER_VERSION } from '../search/analyzer-version.ts'
import type { Layout } from '../workspace/layout.ts'
import type { IndexState } from './index-state.ts'
import type { ImportCounts } from './listed-imports.ts'
import type { MemoryState } from './memory-state.ts'

export interface StatusParts {
  readonly layout: Layout
  readonly index: IndexState
  readonly imports: ImportCounts
  readonly trajectories: number
  readonly memory: MemoryState
  readonly tokens: Tokenizer['engine'] | null
}

export function statusAnswer({ layout, index: state, imports, trajectories, memory, tokens }: StatusParts) {
  const { count, invalid, leftOut, facts, vectors } = state
  const indexed = count - leftOut.length
  const index = { analyzer: ANALYZER_VERSION, when_to_use: indexed, when_to_use_content: indexed, ...facts }
  const { complete, incomplete } = imports
  const isDamaged = 'fault' in memory
  const damaged = [...imports.damaged, ...(isDamaged ? [{ path: layout.memory, error: memory.fault.message }] : [])]
  const found = {
    workspace: layout.root,
    experiences: count,
    trajectories,
    imports: { complete, incomplete },
    pending: leftOut.length,
    invalid: invalid.length,
    index: vectors === null ? index : { ...index, vectors },
    memory: isDamaged ? null : memory.counts,
    engines: { search: 'orama', tokens },
  }
  return damaged.length === 0 ? found : { ...found, damaged }
}
