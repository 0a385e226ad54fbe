/** What both views know, as `status` and `index stats` tell it. */
import type { ShelfPorts } from '../search/derived-folder.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'
import type { VectorFacts } from '../search/vector-leg.ts'
import { VectorShelf } from '../search/vector-shelf.ts'
import type { Layout } from '../workspace/layout.ts'
import type { OpenedSearch } from './opened-search.ts'

export interface ShownVectors extends VectorFacts {
  /** Whether the vectors on the disk are another embedder's, so that searches rank by keywords until a reindex. */
  readonly embedder_changed: boolean
  /** Backend of the embedder that is used now. */
  readonly embedder: string
}

export interface IndexState extends Pick<ExperienceSearch, 'count' | 'invalid' | 'leftOut' | 'facts'> {
  /** Null without an embedder. */
  readonly vectors: ShownVectors | null
}

/** Brings both views in step with the files first. */
export function currentIndexState({ search, embedder }: OpenedSearch, ports: ShelfPorts, layout: Layout): IndexState {
  search.refresh()
  const { count, invalid, leftOut, facts, vectorFacts } = search
  if (vectorFacts === null || embedder === null) return { count, invalid, leftOut, facts, vectors: null }
  const embedder_changed = new VectorShelf(ports, layout, embedder).files()[0]?.isOwn === false
  return { count, invalid, leftOut, facts, vectors: { ...vectorFacts, embedder_changed, embedder: embedder.backend } }
}
