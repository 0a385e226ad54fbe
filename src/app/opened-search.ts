/** The search of a workspace, with what its journals leave out of it. */
import { PendingFiles } from '../experiences/pending-files.ts'
import type { EmbedderKey } from '../ports.ts'
import { ExperienceSearch } from '../search/experience-search.ts'
import type { VectorLegOptions } from '../search/vector-leg.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'

export interface OpenedSearch {
  readonly search: ExperienceSearch
  readonly pending: PendingFiles
  /** Of the embedder that it uses; null without. */
  readonly embedder: EmbedderKey | null
}

/** @param vectors null to rank by keywords alone */
export async function openSearch(
  ports: WorkspacePorts,
  layout: Layout,
  vectors: VectorLegOptions | null,
): Promise<OpenedSearch> {
  const pending = new PendingFiles(ports, layout)
  await pending.prepare()
  const search = new ExperienceSearch(ports, layout, { excludedNow: () => pending.now() })
  if (vectors !== null) search.useVectors(vectors)
  return { search, pending, embedder: vectors?.embedder.key ?? null }
}
