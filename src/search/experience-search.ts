/**
 * The door of the search room: finds experiences by keywords, always as their files are now. Hands out paths and
 * versions, never contents. Writes nothing.
 */
import { VIEW_NAMES, type ViewName, viewText } from '../model/experience.ts'
import { MemoryError } from '../model/memory-error.ts'
import {
  Catalogue,
  type CatalogueChange,
  type CatalogueEntry,
  type CatalogueOptions,
  type InvalidFile,
} from './catalogue.ts'
import { type FusionName, fuseByRank, fuseByScore, type Placing } from './fusion.ts'
import { checkedRequest, SEARCH_LIMIT_MAX, type SearchRequest } from './search-request.ts'
import { KeywordView, type SearchView } from './view.ts'

const CANDIDATES_PER_HIT = 5

export interface SearchHit {
  readonly path: string
  readonly version: string
  readonly score: number
  /** How well it fits by itself, 0…1. */
  readonly fit: number
  readonly vector: Placing | null
  readonly keyword: Placing | null
}

/** A valid file that is in neither view. */
export interface LeftOutFile {
  readonly path: string
  readonly version: string
  /** Why a view refused it; null where the caller excluded it. */
  readonly error: string | null
}

export interface SearchAnswer {
  readonly view: ViewName
  readonly mode: 'keyword'
  readonly fusion: FusionName
  readonly hits: readonly SearchHit[]
  /** False while some valid file is left out. */
  readonly indexComplete: boolean
  readonly leftOut: readonly LeftOutFile[]
  readonly invalid: readonly InvalidFile[]
}

/** Version by path: a path whose file still has this version belongs in neither view. */
export type ExcludedVersions = ReadonlyMap<string, string>

export interface ExperienceSearchOptions extends CatalogueOptions {
  readonly openView?: (name: ViewName) => SearchView
}

export class ExperienceSearch {
  readonly #catalogue: Catalogue
  readonly #views: ReadonlyMap<ViewName, SearchView>
  /** Version by path of what both views hold. */
  readonly #indexed = new Map<string, string>()
  #excluded: ExcludedVersions = new Map()
  readonly #refused = new Map<string, LeftOutFile>()

  constructor(options: ExperienceSearchOptions) {
    const { openView = (name) => new KeywordView(name), ...catalogue } = options
    this.#catalogue = new Catalogue(catalogue)
    this.#views = new Map(VIEW_NAMES.map((name) => [name, openView(name)]))
  }

  /** Valid experiences as of the last refresh, sorted by path; also those that are left out of the views. */
  get entries(): readonly CatalogueEntry[] {
    return this.#catalogue.entries
  }

  get invalid(): readonly InvalidFile[] {
    return this.#catalogue.invalid
  }

  entry(path: string): CatalogueEntry | null {
    return this.#catalogue.entry(path)
  }

  /** Sorted by path. */
  get leftOut(): readonly LeftOutFile[] {
    const files = [...this.#refused.values()]
    for (const [path, version] of this.#excluded)
      if (this.entry(path)?.version === version && !this.#refused.has(path)) files.push({ path, version, error: null })
    return files.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** Brings both views in step with the files. What a view refused before is tried again. */
  refresh(excluded: ExcludedVersions = new Map()): CatalogueChange {
    const change = this.#catalogue.refresh()
    const touched = new Set([...change.added, ...change.changed, ...change.removed])
    for (const paths of [this.#excluded.keys(), excluded.keys(), this.#refused.keys()])
      for (const path of paths) touched.add(path)
    this.#excluded = new Map(excluded)
    for (const path of touched) this.#bringInStep(path)
    return change
  }

  /** Searches the views as of the last refresh. Throws `invalid_argument`. */
  search(request: SearchRequest): SearchAnswer {
    const { query, view: name, limit, vectorWeight, minFit, fusion } = checkedRequest(request)
    const view = this.#view(name)
    const rankings = { vector: [], keyword: view.rank(query, Math.min(SEARCH_LIMIT_MAX, CANDIDATES_PER_HIT * limit)) }
    const weight = view.weigh(query)
    const fused = fusion === 'rrf' ? fuseByRank(rankings, vectorWeight) : fuseByScore(rankings, weight.upperBound)
    const hits: SearchHit[] = []
    for (const { path, score, vector, keyword } of fused) {
      if (hits.length === limit) break
      const fit = weight.coverageOf(path)
      if (fit >= minFit) hits.push({ path, version: this.#indexed.get(path) ?? '', score, fit, vector, keyword })
    }
    const { leftOut, invalid } = this
    return { view: name, mode: 'keyword', fusion, hits, indexComplete: leftOut.length === 0, leftOut, invalid }
  }

  #view(name: ViewName): SearchView {
    const view = this.#views.get(name)
    if (view !== undefined) return view
    throw new MemoryError(
      'invalid_argument',
      `there is no index ${JSON.stringify(name)}; take ${VIEW_NAMES.join(' or ')}`,
    )
  }

  #bringInStep(path: string): void {
    const entry = this.entry(path)
    this.#refused.delete(path)
    if (entry === null || this.#excluded.get(path) === entry.version) this.#takeOut(path)
    else if (this.#indexed.get(path) !== entry.version) this.#put(entry)
  }

  #put(entry: CatalogueEntry): void {
    try {
      for (const [name, view] of this.#views) view.set(entry.path, viewText(name, entry.experience))
      this.#indexed.set(entry.path, entry.version)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      // In both views or in none: an experience that only one of them finds looks lost in the other.
      this.#takeOut(entry.path)
      this.#refused.set(entry.path, { path: entry.path, version: entry.version, error: error.message })
    }
  }

  #takeOut(path: string): void {
    for (const view of this.#views.values()) view.remove(path)
    this.#indexed.delete(path)
  }
}
