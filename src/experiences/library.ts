/** The one door to the experiences as they are now: reading and finding. Writing needs a run (experience-writer.ts). */

import { aboutFile } from '../model/error-report.ts'
import {
  EXPERIENCE_FILE_BYTES_MAX,
  type Experience,
  readExperience,
  requireExperienceSize,
  type ViewName,
  viewText,
} from '../model/experience.ts'
import { MemoryError, scopeOf } from '../model/memory-error.ts'
import type { Digest, Files } from '../ports.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'
import type { FusionChoice } from '../search/fusion.ts'
import type { SearchAnswer } from '../search/hybrid-answer.ts'
import type { LeftOutFile } from '../search/indexed-contents.ts'
import type { SearchRequest } from '../search/search-request.ts'
import type { IndexedVersion } from '../search/shown-documents.ts'
import { joinedNotices } from '../search/vector-notices.ts'
import { nameDirectlyIn } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { listTrajectories } from '../workspace/trajectory-shelf.ts'
import { isExperienceFileName, meantExperiencePath } from './experience-path.ts'

export interface SearchDefaults extends FusionChoice {
  readonly limit: number
  /** Why an embedder that is asked for is not used; null when it is, or none is asked for. */
  readonly whyNoEmbedder: string | null
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

export interface AllExperiences {
  readonly experiences: readonly CurrentExperience[]
  /** Valid files that are in no view. */
  readonly leftOut: readonly LeftOutFile[]
  readonly invalid: readonly { readonly path: string; readonly error: string }[]
}

type ViewRequest = SearchRequest & { readonly view: ViewName }

type ScoredExperience = CurrentExperience & Pick<SearchAnswer['hits'][number], 'score' | 'fit' | 'vector' | 'keyword'>

/** What a search has found, with its contents. */
interface CurrentResults {
  readonly found: SearchAnswer
  readonly results: ScoredExperience[]
  /** Hits that are left out, as their files are changed over and over. */
  readonly changed: number
  readonly hasLostVectors: boolean
}

export interface ViewTexts {
  readonly texts: readonly (IndexedVersion & { readonly text: string })[]
  readonly leftOut: readonly LeftOutFile[]
}

export const NOTHING_HERE = 'there are no experiences in this workspace yet; begin with knowhow import FILE'
const DAMAGED =
  'stored vectors are damaged, and their experiences rank by keywords alone; knowhow reindex makes them anew'
const NO_EMBEDDER = 'no embedder is configured: ranked by keywords alone'

function nothingNotice(invalid: number): string {
  if (invalid === 0) return NOTHING_HERE
  const what =
    invalid === 1
      ? 'the one file in the folder of experiences is none'
      : `none of the ${invalid} files in the folder of experiences is one`
  return `${what}; knowhow reindex says why`
}

function noticeOfChanged(count: number): string | null {
  if (count === 0) return null
  return `${count === 1 ? '1 result is' : `${count} results are`} left out, being changed over and over at this moment; search again`
}

function noticeOf(search: ExperienceSearch, ofVectors: string | null, why: string | null): { notice?: string } {
  if (search.count === 0) return { notice: nothingNotice(search.invalid.length) }
  if (!search.hasEmbedder) return { notice: why === null ? NO_EMBEDDER : `ranked by keywords alone: ${why}` }
  return ofVectors === null ? {} : { notice: ofVectors }
}

/**
 * How often files that were changed meanwhile are looked at anew. Who saves a file without a pause gets it as it is in
 * the end, in the place that it had a moment before. A vector that is damaged each time it is read is left out.
 */
const ROUNDS_MAX = 3
/**
 * How often hits are looked up anew when files were changed between being ranked and being read. In the next round such
 * a file is mostly beside the base, and what was ranked is known without reading it again.
 */
const READ_ROUNDS_MAX = 20

export class ExperienceLibrary {
  readonly #files: Files
  readonly #digest: Digest
  readonly #layout: Layout
  readonly #search: ExperienceSearch
  readonly #defaults: SearchDefaults

  constructor(
    ports: { readonly files: Files; readonly digest: Digest },
    layout: Layout,
    search: ExperienceSearch,
    defaults: SearchDefaults,
  ) {
    this.#files = ports.files
    this.#digest = ports.digest
    this.#layout = layout
    this.#search = search
    this.#defaults = defaults
  }

  /** Throws `not_found`, `path_outside`, `invalid_experience`. */
  read(asked: string): CurrentExperience {
    const path = meantExperiencePath(this.#files, this.#layout, asked)
    const bytes = this.#bytesOf(path)
    if (bytes === null) throw new MemoryError('not_found', `${path} does not exist; find its name with knowhow search`)
    const experience = naming(path, () => readExperience(bytes))
    return this.#current(path, this.#digest.sha256(bytes), experience)
  }

  /** Of experiences, or of all that can be read, sorted; by their names alone. @param of `path` for all */
  paths(of: 'experience' | 'path'): readonly string[] {
    const { procedures } = this.#layout
    const names = this.#files.names(inWorkspace(this.#layout, procedures)) ?? []
    const paths = names.filter((name) => isExperienceFileName(name)).map((name) => `${procedures}/${name}`)
    const others = of === 'path' ? listTrajectories({ files: this.#files }, this.#layout) : []
    return [...paths.sort(), ...others]
  }

  /** The answer of contract §4. Throws `invalid_argument`. */
  async search(
    { query, index: view = 'when_to_use', limit, vector_weight: weight, min_fit: minFit }: SearchQuestion,
    signal?: AbortSignal,
  ) {
    const search = this.#search
    const request = {
      query,
      view,
      limit: limit ?? this.#defaults.limit,
      vectorWeight: weight ?? this.#defaults.vectorWeight,
      fusion: this.#defaults.fusion,
      minFit: minFit ?? 0,
    }
    search.begin(request, signal)
    search.refresh()
    return this.#foundResults(request, signal)
  }

  /** A view's texts as the files are now, sorted by path, and the experiences that are not among them. */
  viewTexts(view: ViewName): ViewTexts {
    const { experiences, leftOut } = this.experiences()
    const texts = experiences.map(({ path, version, experience }) => ({
      path,
      version,
      text: viewText(view, experience),
    }))
    return { texts, leftOut }
  }

  /** All that are in the views, as the files are now, sorted by path. */
  experiences(): AllExperiences {
    for (let round = 1; ; round += 1) {
      this.#search.refresh()
      const indexed = this.#search.indexedVersions()
      const experiences = indexed.flatMap(
        ({ path, version }) => this.#asFound(path, round === ROUNDS_MAX ? null : version) ?? [],
      )
      if (experiences.length === indexed.length || round === ROUNDS_MAX)
        return { experiences, leftOut: this.#search.leftOut, invalid: this.#search.invalid }
    }
  }

  /** Vectors that proved to be damaged, and those of files edited meanwhile, are asked for, or the notice tells. */
  async #foundResults(request: ViewRequest, signal: AbortSignal | undefined) {
    let prepared = await this.#search.prepare(request, signal)
    for (let round = 1; ; round += 1) {
      const current = this.#currentResults(request, prepared.vector)
      const { hasLostVectors } = current
      const more = this.#search.moreOwed(request, prepared)
      if (!hasLostVectors && more === null) return this.#answered(request, current, prepared.notice)
      if (round === ROUNDS_MAX)
        return this.#answered(request, current, hasLostVectors ? DAMAGED : (more ?? prepared).notice)
      prepared = await this.#search.prepareAgain(request, prepared, signal)
    }
  }

  /** In one go with what was found: another question may bring the search in step with other files at each wait. */
  #answered({ query, view }: ViewRequest, { found, results, changed }: CurrentResults, ofVectors: string | null) {
    const search = this.#search
    const notice = joinedNotices(noticeOfChanged(changed), ofVectors)
    return {
      query,
      index: view,
      mode: found.mode,
      fusion: found.fusion,
      ...noticeOf(search, notice, this.#defaults.whyNoEmbedder),
      results,
      index_complete: search.leftOut.length === 0,
      pending_indexes: [...search.leftOut],
      invalid: [...search.invalid],
    }
  }

  /** The hits with their contents; asked again when a file was changed between its being found and being read. */
  #currentResults(request: SearchRequest, vector: Float32Array | null): CurrentResults {
    let hasLostVectors = false
    for (let round = 1; ; round += 1) {
      const found = this.#search.search(request, vector)
      hasLostVectors ||= found.hasLostVectors
      const results = found.hits.flatMap(({ path, version, score, fit, vector, keyword }) => {
        const ranked = this.#search.experienceAt(path)
        const current = ranked === null ? this.#asFound(path, version) : this.#current(path, version, ranked)
        if (current === null) return []
        const { experience, ...rest } = current
        return [{ ...rest, score, fit, vector, keyword, experience }]
      })
      const changed = found.hits.length - results.length
      if (changed === 0 || round === READ_ROUNDS_MAX) return { found, results, changed, hasLostVectors }
      this.#search.refresh()
    }
  }

  /** Null when the file is no experience, or no longer this version. @param version null: whatever it is by now */
  #asFound(path: string, version: string | null): CurrentExperience | null {
    try {
      const current = this.read(path)
      return version === null || current.version === version ? current : null
    } catch (error) {
      if (error instanceof MemoryError && scopeOf(error.code) === 'call') return null
      throw error
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

  /** A source that leads out of the workspace is not looked at; what cannot be looked at is as good as missing. */
  #isHere(source: string): boolean {
    try {
      nameDirectlyIn(this.#files, this.#layout, this.#layout.trajectories, source)
      return this.#files.stat(inWorkspace(this.#layout, source))?.kind === 'file'
    } catch (error) {
      if (error instanceof MemoryError) return false
      throw error
    }
  }
}

/** What `look` returns; a fault that it throws names `path`. */
function naming<T>(path: string, look: () => T): T {
  try {
    return look()
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    throw new MemoryError(error.code, aboutFile(path, error.message), { cause: error })
  }
}
