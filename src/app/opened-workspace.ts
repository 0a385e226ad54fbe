/** A workspace as one run of the program sees it: its settings, its library, and the way to write when it must. */
import { ExperienceLibrary } from '../experiences/library.ts'
import type { ImportResult } from '../importer/import-result.ts'
import type { ImportSurroundings, Running } from '../importer/import-surroundings.ts'
import type { CodePointRange } from '../importer/intake/trajectory-excerpt.ts'
import type { Extractor, OnMalformed } from '../importer/intake/trajectory-format.ts'
import type { Redactor } from '../importer/redaction/redactor.ts'
import { MemoryError } from '../model/memory-error.ts'
import { ANALYZER_VERSION } from '../search/analyzer-version.ts'
import type { ExperienceSearch } from '../search/experience-search.ts'
import type { FusionChoice } from '../search/fusion.ts'
import type { VectorLegOptions } from '../search/vector-leg.ts'
import { refuseLinks } from '../workspace/confinement.ts'
import { inWorkspace, type Layout, layoutOf } from '../workspace/layout.ts'
import { folderOf, publishNewOutside } from '../workspace/publication.ts'
import { listTrajectories, readTrajectory } from '../workspace/trajectory-shelf.ts'
import type { WorkspacePorts, WritableWorkspace } from '../workspace/workspace.ts'
import { type EffectiveConfig, effectiveConfig, isModelChosen, shownSetting } from './config.ts'
import type { Config } from './config-schema.ts'
import type { ImportCounts } from './listed-imports.ts'
import type { ChatModelOptions, Machine } from './machine.ts'
import { chatSetup, embedderSetup, serverNotices } from './model-servers.ts'

export interface WorkspaceChoice {
  /** Absolute. */
  readonly root: string
  /** Absolute path given by --config; null for none. */
  readonly configPath: string | null
  /** For the note beside the lock. */
  readonly command: string
}

export interface ImportOptions {
  readonly filename?: string | undefined
  readonly request_id?: string | undefined
  readonly source_id?: string | undefined
  readonly memory_hint?: string | undefined
  readonly extractor?: 'auto' | Extractor | undefined
  readonly on_malformed?: OnMalformed | undefined
  readonly max_requests?: number | undefined
  readonly redact: boolean
  readonly resume?: string | undefined
}

const CONFIG_BYTES_MAX = 1024 * 1024

const NOTHING_INDEXED = {
  count: 0,
  invalid: [],
  leftOut: [],
  facts: { generation: 0, bytes: 0, documents: 0, invalid: 0, terms: 0, beside: 0 },
}
const OWN_FOLDERS = ['procedures', 'trajectories', 'imports', 'processing', 'operations', 'index'] as const
const LOGS = ['imports', 'processing', 'operations'] as const
const NO_IMPORTS: ImportCounts = { complete: 0, incomplete: 0, damaged: [] }

/** Imports the search room and the importer only where they are needed: most of a short command would be spent on them. */
export class OpenedWorkspace implements Disposable {
  readonly #machine: Machine
  readonly #choice: WorkspaceChoice
  readonly #effective: EffectiveConfig
  readonly #layout: Layout
  #search: ExperienceSearch | null = null
  /** Held from the first write to the end. */
  #writable: WritableWorkspace | null = null

  /** Reads settings only; a missing workspace is an empty one. Throws `invalid_config`, `not_found`, `not_a_file`, `path_outside`. */
  constructor(machine: Machine, choice: WorkspaceChoice) {
    this.#machine = machine
    this.#choice = choice
    const kind = machine.files.stat(choice.root)?.kind
    if (kind === 'file' || kind === 'other')
      throw new MemoryError(
        'not_a_file',
        `${choice.root} is no folder, so it cannot be a workspace; choose another with --workspace`,
      )
    this.#effective = effectiveConfig({
      environment: machine.environment,
      given: choice.configPath === null ? null : givenConfig(machine, choice.configPath),
      workspace: workspaceConfig(machine, choice.root),
    })
    this.#layout = layoutOf(choice.root, this.#config)
    for (const folder of [this.#layout.procedures, this.#layout.trajectories, this.#layout.operations])
      refuseLinks(machine.files, this.#layout, folder)
  }

  get #config(): Config {
    return this.#effective.config
  }

  /** What the person should know about the settings. */
  get notices(): readonly string[] {
    return [...this.#effective.notices, ...serverNotices(this.#effective, this.#machine.environment)]
  }

  async library(): Promise<ExperienceLibrary> {
    const defaults = { ...this.#config.search, embedderFault: this.#embedderFault?.message }
    return new ExperienceLibrary(await this.#ports(), this.#layout, await this.#openSearch(), defaults)
  }

  /** How a search fuses its legs unless it is asked otherwise. */
  get fusionChoice(): FusionChoice {
    const { fusion, vector_weight: vectorWeight } = this.#config.search
    return { fusion, vectorWeight }
  }

  async importTrajectory(file: string | null, options: ImportOptions, run: Running): Promise<ImportResult> {
    const chosen = options.extractor ?? 'auto'
    const { importTrajectory } = await import('../importer/import-story.ts')
    const result = await importTrajectory(await this.#surroundings(run), {
      file,
      filename: options.filename ?? null,
      requestId: options.resume ?? options.request_id ?? null,
      sourceId: options.source_id ?? null,
      memoryHint: options.memory_hint ?? null,
      extractor: chosen === 'auto' ? null : chosen,
      onMalformed: options.on_malformed ?? null,
      maxRequests: options.max_requests ?? null,
      redact: options.redact,
    })
    await this.#catchUp(
      result.experiences.map(({ path }) => path),
      run,
    )
    return result
  }

  /** After an import that is over and recorded: whatever happens here is a notice. */
  async #catchUp(written: readonly string[], { say, progress, signal }: Running): Promise<void> {
    if (written.length === 0 || signal.aborted) return
    try {
      const search = await this.#openSearch()
      search.refresh()
      const notice = await search.catchUp(written, { signal, onProgress: progress, onWait: say })
      if (notice !== null) say(notice)
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      const why = error.code === 'interrupted' ? 'interrupted' : error.message
      say(`not all vectors were made (${why}); knowhow reindex supplies what is missing`)
    }
  }

  async imports() {
    const { listImports } = await import('./listed-imports.ts')
    return listImports(await this.#ports(), this.#layout)
  }

  isTrajectory(path: string): boolean {
    return path.startsWith(`${this.#layout.trajectories}/`)
  }

  /** @param redactor masks what a model is shown; null shows it as it is */
  async readTrajectory(path: string, range: CodePointRange, redactor: Redactor | null) {
    const [{ decodeText }, { excerptOf }, { MaskedText }] = await Promise.all([
      import('../importer/intake/decoding.ts'),
      import('../importer/intake/trajectory-excerpt.ts'),
      import('../importer/redaction/masked-text.ts'),
    ])
    const { text } = decodeText(readTrajectory(this.#machine, this.#layout, path))
    const tokenizer = await this.#machine.openTokenizer(this.#config.tokenizer)
    const shown = redactor?.learn(text) ?? new MaskedText(text)
    const render = (start: number, end: number) => shown.segment(start, end)
    const excerpt = excerptOf(text, range, render, tokenizer, this.#config.token_limits.read)
    return { path, kind: 'trajectory' as const, ...excerpt }
  }

  /** A file that lies anywhere. Throws what `OutsideFiles.read` throws. */
  readOutside(file: string): Uint8Array {
    const { outside } = this.#machine
    return outside.read(outside.absolutePath(file), this.#config.max_file_bytes)
  }

  /** Where a new file is to lie, absolute. Throws `name_taken`, `not_found`, and `invalid_argument` for the workspace's own folders. */
  newOutside(file: string): string {
    const { files, outside } = this.#machine
    const path = outside.absolutePath(file)
    const own = OWN_FOLDERS.find((name) => path.startsWith(`${inWorkspace(this.#layout, this.#layout[name])}/`))
    if (own !== undefined)
      throw new MemoryError('invalid_argument', `${path} lies among the workspace's own files; name a file elsewhere`)
    if (files.stat(path) !== null) throw alreadyThere(path)
    if (files.stat(folderOf(path)) === null)
      throw new MemoryError('not_found', `there is no folder ${folderOf(path)}; make it first, or name another file`)
    return path
  }

  /** Publishes the whole file or none. Throws `name_taken`. @param path as `newOutside` gave it */
  async publishOutside(path: string, data: Uint8Array): Promise<void> {
    const { files, ids } = this.#machine
    if (!publishNewOutside(files, ids, this.#machine, path, data)) throw alreadyThere(path)
  }

  async reindex({ say, progress, signal }: Pick<Running, 'say' | 'progress' | 'signal'>) {
    // Whoever asks for an embedder expects vectors of a reindex; without a word in the exit code they would be missed.
    const fault = this.#embedderFault
    if (fault !== null) throw fault
    const openWorkspace = await this.#writing(say)
    openWorkspace()
    const search = await this.#openSearch()
    search.rebuild()
    const supplied = await tellingToReindex(search.supply({ signal, onProgress: progress, onWait: say }))
    if (supplied?.isStored === false)
      say('the vectors could not be written to metadata/index and end with this command; see that it can be written')
    const { count, invalid, leftOut } = search
    return {
      experiences: count,
      indexed: count - leftOut.length,
      invalid: [...invalid],
      pending: [...leftOut],
      embedded: supplied?.embedded ?? 0,
      reused: supplied?.reused ?? 0,
    }
  }

  async status() {
    const { count, invalid, leftOut, facts: index } = await this.#currentIndex()
    const indexed = count - leftOut.length
    const { complete, incomplete, damaged } = await this.#importCounts()
    const facts = {
      workspace: this.#choice.root,
      experiences: count,
      trajectories: listTrajectories(this.#machine, this.#layout).length,
      imports: { complete, incomplete },
      pending: leftOut.length,
      invalid: invalid.length,
      index: { analyzer: ANALYZER_VERSION, when_to_use: indexed, when_to_use_content: indexed, ...index },
      engines: { search: 'orama', tokens: this.#machine.tokenEngineOf(this.#config.tokenizer) },
    }
    return damaged.length === 0 ? facts : { ...facts, damaged }
  }

  async indexStats() {
    const search = await this.#openSearch()
    search.refresh()
    const { facts, vectorFacts: vectors } = search
    const stats = { ...facts, analyzer: ANALYZER_VERSION }
    return vectors === null ? stats : { ...stats, vectors }
  }

  async settings() {
    const { config, sources, keys } = this.#effective
    const settings: Record<string, { value: unknown; source: string }> = {}
    for (const [key, source] of sources())
      settings[key] = { value: shownSetting(key, valueAt(config, key), keys()), source }
    const key = config.llm.api_key_env
    return {
      workspace: this.#choice.root,
      settings,
      keys: { [key]: (this.#machine.environment[key] ?? '') === '' ? ('unset' as const) : ('set' as const) },
      notices: [...this.notices],
    }
  }

  async #ports(): Promise<WorkspacePorts> {
    const { files, lock, clock, ids, openDigest } = this.#machine
    return { files, lock, clock, ids, digest: await openDigest() }
  }

  async #openSearch(): Promise<ExperienceSearch> {
    const { ExperienceSearch } = await import('../search/experience-search.ts')
    const ports = await this.#ports()
    if (this.#search !== null) return this.#search
    const search = new ExperienceSearch(ports, this.#layout)
    const vectors = this.#embedderFault === null ? await this.openVectors() : null
    if (vectors !== null) search.useVectors(vectors)
    this.#search ??= search
    return this.#search
  }

  /** What both views know, brought in step with the files. */
  async #currentIndex(): Promise<Pick<ExperienceSearch, 'count' | 'invalid' | 'leftOut' | 'facts'>> {
    if (this.#isEmpty(this.#layout.procedures) && this.#isEmpty(this.#layout.index)) return NOTHING_INDEXED
    const search = await this.#openSearch()
    search.refresh()
    return search
  }

  async #importCounts(): Promise<ImportCounts> {
    if (LOGS.every((folder) => this.#isEmpty(this.#layout[folder]))) return NO_IMPORTS
    const { countImports } = await import('./listed-imports.ts')
    return countImports(await this.#ports(), this.#layout)
  }

  #isEmpty(folder: string): boolean {
    return (this.#machine.files.names(inWorkspace(this.#layout, folder)) ?? []).length === 0
  }

  async #surroundings(run: Running): Promise<ImportSurroundings> {
    const machine = this.#machine
    const search = await this.#openSearch()
    return {
      ports: await this.#ports(),
      layout: this.#layout,
      outside: machine.outside,
      bytesMax: this.#config.max_file_bytes,
      limits: this.#config.token_limits,
      bounds: this.#config.extraction,
      tokenizerSource: this.#config.tokenizer,
      openTokenizer: machine.openTokenizer,
      hasModel: isModelChosen(this.#effective),
      requireModel: () => void this.#chatOptions(),
      openChat: async () => machine.openChat(this.#chatOptions()),
      openWorkspace: await this.#writing(run.say),
      index: () => search.refresh(),
      ...run,
    }
  }

  /** What takes the right to write, which is held to the end. */
  async #writing(say: (notice: string) => void): Promise<() => WritableWorkspace> {
    const { openRecovered } = await import('./recovered-workspace.ts')
    const search = await this.#openSearch()
    const writer = { pid: this.#machine.pid, command: this.#choice.command }
    const ports = await this.#ports()
    const options = { writer, index: () => search.refresh(), say }
    return () => {
      this.#writable ??= openRecovered(ports, this.#layout, options)
      return this.#writable
    }
  }

  /** What makes vectors and ranks by them; null when no embedder is asked for. Throws `invalid_config`. */
  async openVectors(): Promise<VectorLegOptions | null> {
    const setup = this.#embedderSetup
    if (setup === null) return null
    if ('fault' in setup) throw setup.fault
    const embedder = await this.#machine.openEmbedder(setup.options)
    return { embedder, batchSize: setup.options.batchSize, kernel: await this.#machine.openKernel() }
  }

  get #embedderSetup() {
    return embedderSetup(this.#effective, this.#machine.environment)
  }

  /** Null unless an embedder is asked for and cannot be used as it is set up. */
  get #embedderFault(): MemoryError | null {
    const setup = this.#embedderSetup
    return setup !== null && 'fault' in setup ? setup.fault : null
  }

  /** Throws `llm_unavailable` when no chat model is configured, and `invalid_config`. */
  #chatOptions(): ChatModelOptions {
    const setup = chatSetup(this.#effective, this.#machine.environment)
    if (setup === null)
      throw new MemoryError(
        'llm_unavailable',
        'no chat model is configured; set LLM_MODEL_NAME (and LLM_BASE_URL, LLM_API_KEY), or use --extractor offline',
      )
    if ('fault' in setup) throw setup.fault
    return setup.options
  }

  [Symbol.dispose](): void {
    this.#search?.[Symbol.dispose]()
    this.#writable?.[Symbol.dispose]()
    this.#writable = null
  }
}

/** The view is whole without the vectors that did not come, and those that came are kept. */
async function tellingToReindex<T>(supplying: Promise<T>): Promise<T> {
  try {
    return await supplying
  } catch (cause) {
    if (!(cause instanceof MemoryError)) throw cause
    const { code, message, details } = cause
    if (code === 'interrupted')
      throw new MemoryError(code, 'interrupted while embedding; run knowhow reindex again to embed the rest', { cause })
    if (code !== 'embedder_unavailable') throw cause
    throw new MemoryError(code, `${message}, then run knowhow reindex again to embed the rest`, { ...details, cause })
  }
}

function givenConfig(machine: Machine, path: string): { path: string; text: string } {
  return { path, text: new TextDecoder().decode(machine.outside.read(path, CONFIG_BYTES_MAX)) }
}

function workspaceConfig(machine: Machine, root: string): { path: string; text: string } | null {
  const path = `${root}/knowhow.json`
  const bytes = machine.files.read(path, { bytesMax: CONFIG_BYTES_MAX })
  return bytes === null ? null : { path, text: new TextDecoder().decode(bytes) }
}

function alreadyThere(path: string): MemoryError {
  return new MemoryError('name_taken', `${path} exists already and is left as it is; name another file`, { path })
}

function valueAt(config: Config, key: string): unknown {
  const [group, name] = key.split('.')
  const member = (config as unknown as Readonly<Record<string, unknown>>)[group ?? '']
  return name === undefined ? member : (member as Readonly<Record<string, unknown>>)[name]
}
