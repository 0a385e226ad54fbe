/** The one door to the experiences as they are now: reading and finding. Writing needs a run (experience-writer.ts). */
import {
  EXPERIENCE_FILE_BYTES_MAX,
  type Experience,
  readExperience,
  requireExperienceSize,
  type ViewName,
} from '../model/experience.ts'
import { invariant, MemoryError } from '../model/memory-error.ts'
import type { Digest, Files } from '../ports.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'
import { nameDirectlyIn } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { experiencePath } from './experience-path.ts'

export interface SearchDefaults {
  readonly vector_weight: number
  readonly fusion: 'rrf' | 'score'
  readonly limit: number
}

export interface SearchQuestion {
  readonly query: string
  readonly index?: ViewName | undefined
  readonly limit?: number | undefined
  readonly vector_weight?: number | undefined
  readonly min_fit?: number | undefined
}

export interface CurrentExperience {
  readonly path: string
  readonly version: string
  readonly experience: Experience
  /** Present when a source is not in this workspace, or none is named. */
  readonly source_missing?: true
}

const NOTHING_HERE = 'there are no experiences in this workspace yet; begin with knowhow import FILE'
const NO_EMBEDDER = 'no embedder is configured: ranked by keywords alone'

export class ExperienceLibrary {
  readonly #files: Files
  readonly #digest: Digest
  readonly #layout: Layout
  readonly #search: () => ExperienceSearch
  readonly #defaults: SearchDefaults

  constructor(
    ports: { readonly files: Files; readonly digest: Digest },
    layout: Layout,
    search: () => ExperienceSearch,
    defaults: SearchDefaults,
  ) {
    this.#files = ports.files
    this.#digest = ports.digest
    this.#layout = layout
    this.#search = search
    this.#defaults = defaults
  }

  /** Throws `not_found`, `path_outside`, `invalid_experience`. */
  read(path: string): CurrentExperience {
    experiencePath(this.#files, this.#layout, path)
    const bytes = this.#bytesOf(path)
    if (bytes === null) throw new MemoryError('not_found', `${path} does not exist; find its name with knowhow search`)
    const experience = naming(path, () => readExperience(bytes))
    return this.#current(path, this.#digest.sha256(bytes), experience)
  }

  /** The answer of contract §4. Throws `invalid_argument`. */
  search({ query, index: view = 'when_to_use', limit, vector_weight: weight, min_fit: minFit }: SearchQuestion) {
    const search = this.#search()
    search.refresh()
    const found = search.search({
      query,
      view,
      limit: limit ?? this.#defaults.limit,
      vectorWeight: weight ?? this.#defaults.vector_weight,
      fusion: this.#defaults.fusion,
      minFit: minFit ?? 0,
    })
    const results = found.hits.map(({ path, version, score, fit, vector, keyword }) => {
      const entry = search.entry(path)
      invariant(entry !== null, `${path} was found and is in the catalogue`)
      const { experience, ...missing } = this.#current(path, version, entry.experience)
      return { ...missing, path, version, score, fit, vector, keyword, experience }
    })
    return {
      query,
      index: view,
      mode: found.mode,
      fusion: found.fusion,
      notice: search.entries.length === 0 ? NOTHING_HERE : NO_EMBEDDER,
      results,
      index_complete: found.indexComplete,
      pending_indexes: found.leftOut.map((file) => ({ ...file, error: file.error ?? '' })),
      invalid: [...found.invalid],
    }
  }

  #bytesOf(path: string): Uint8Array | null {
    const file = inWorkspace(this.#layout, path)
    const stat = this.#files.stat(file)
    if (stat?.kind === 'file') naming(path, () => requireExperienceSize(stat.bytes))
    return this.#files.read(file, { bytesMax: EXPERIENCE_FILE_BYTES_MAX })
  }

  #current(path: string, version: string, experience: Experience): CurrentExperience {
    const { sources } = experience
    const missing = sources.length === 0 || sources.some((source) => !this.#isHere(source))
    return missing ? { path, version, experience, source_missing: true } : { path, version, experience }
  }

  /** A source that leads out of the workspace is as good as missing, and is not looked at. */
  #isHere(source: string): boolean {
    try {
      nameDirectlyIn(this.#files, this.#layout, this.#layout.trajectories, source)
    } catch (error) {
      if (error instanceof MemoryError && error.code === 'path_outside') return false
      throw error
    }
    return this.#files.stat(inWorkspace(this.#layout, source))?.kind === 'file'
  }
}

/** What `look` returns; a fault that it throws names `path`. */
function naming<T>(path: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    throw new MemoryError(error.code, `${path}: ${error.message}`, { cause: error })
  }
}
