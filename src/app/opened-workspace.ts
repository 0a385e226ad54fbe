/** A workspace as one run of the program sees it: its settings, its library, and the way to write when it must. */
import type { WrittenViews } from '../experiences/intent-completion.ts'
import { ExperienceLibrary } from '../experiences/library.ts'
import type { ImportForecast } from '../importer/import-forecast.ts'
import type { ImportResult } from '../importer/import-result.ts'
import type { ImportSurroundings } from '../importer/import-surroundings.ts'
import type { CodePointRange } from '../importer/intake/trajectory-excerpt.ts'
import type { Running } from '../importer/running.ts'
import type { Tokenizer } from '../ports.ts'
import { ANALYZER_VERSION } from '../search/analyzer-version.ts'
import type { FusionChoice } from '../search/fusion.ts'
import type { VectorLegOptions } from '../search/vector-leg.ts'
import { refuseLinks } from '../workspace/confinement.ts'
import { inWorkspace, type Layout, layoutOf } from '../workspace/layout.ts'
import { listTrajectories } from '../workspace/trajectory-shelf.ts'
import type { WorkspacePorts, WritableWorkspace } from '../workspace/workspace.ts'
import type { EffectiveConfig } from './config.ts'
import type { Config } from './config-schema.ts'
import type { ConsolidateOptions } from './consolidation/consolidation.ts'
import type { ExportFormat } from './export/export-format.ts'
import { type ImportOptions, importRequest } from './import-options.ts'
import type { IndexState } from './index-state.ts'
import type { ImportCounts } from './listed-imports.ts'
import type { Machine } from './machine.ts'
import type { MemoryState } from './memory-state.ts'
import { missingNotice, type NoticeNeeds, requireWorkspace } from './missing-workspace.ts'
import { type NewOutsideFile, newOutsideFile } from './new-outside-file.ts'
import { NO_IMPORTS, NOTHING_REMEMBERED, nothingIndexed } from './nothing-there.ts'
import type { OpenedSearch } from './opened-search.ts'
import type { ProcedureFiles } from './procedure-files.ts'
import { sharedOpening } from './shared-opening.ts'
import type { Masking, TrajectoryReader } from './trajectory-reading.ts'
import { WorkspaceChat } from './workspace-chat.ts'
import { WorkspaceEmbedder } from './workspace-embedder.ts'
import type { WorkspaceMemory } from './workspace-memory.ts'
import { type WorkspaceChoice, workspaceSettings } from './workspace-settings.ts'
import { WorkspaceTokenizer } from './workspace-tokenizer.ts'

/** Of a graph as JSON lines, which is read in one piece. */
const GRAPH_BYTES_MAX = 512 * 2 ** 20
const LOGS = ['imports', 'processing', 'operations'] as const

type ImportRun = Running & Pick<ImportSurroundings, 'toolsFor'>

/** Imports the search room and the importer only where they are needed: most of a short command would be spent on them. */
export class OpenedWorkspace implements Disposable {
  readonly #machine: Machine
  readonly #choice: WorkspaceChoice
  readonly #effective: EffectiveConfig
  readonly #layout: Layout
  readonly #chat: WorkspaceChat
  readonly #embedder: WorkspaceEmbedder
  readonly #tokenizer: WorkspaceTokenizer
  #search: OpenedSearch | null = null
  /** A second one would stay open to the end, and nobody would have it. */
  readonly #firstSearch = sharedOpening(async () => this.#newSearch(await this.#ports()))
  #memory: WorkspaceMemory | null = null
  #trajectories: TrajectoryReader | null = null
  /** Held from the first write to the end. */
  #writable: WritableWorkspace | null = null

  /** Reads settings only; a missing workspace is an empty one. Throws `invalid_config`, `not_found`, `not_a_file`, `path_outside`. */
  constructor(machine: Machine, choice: WorkspaceChoice) {
    this.#machine = machine
    this.#choice = choice
    this.#effective = workspaceSettings(machine, choice)
    this.#layout = layoutOf(choice.root, this.#config)
    this.#chat = new WorkspaceChat(machine, this.#effective)
    this.#embedder = new WorkspaceEmbedder(machine, this.#effective)
    this.#tokenizer = new WorkspaceTokenizer(machine, this.#effective)
    for (const folder of [this.#layout.procedures, this.#layout.trajectories, this.#layout.operations])
      refuseLinks(machine.files, this.#layout, folder)
  }

  get #config(): Config {
    return this.#effective.config
  }

  /** What the person should know about the settings that nothing else tells. */
  noticesFor({ needsEmbedder, writes = true, needsWorkspace, silentOfMissing }: NoticeNeeds = {}): readonly string[] {
    const looks = (!writes || needsWorkspace === true) && silentOfMissing !== true
    const missing = looks ? missingNotice(this.#machine.files, this.#layout) : null
    const isTold = needsEmbedder === true && this.#embedder.fault !== null
    const ofEmbedder = isTold ? [] : this.#embedder.notices
    return [...this.#effective.notices, ...(missing === null ? [] : [missing]), ...this.#chat.notices, ...ofEmbedder]
  }

  async library(): Promise<ExperienceLibrary> {
    const { search } = await this.#openSearch()
    const defaults = { ...this.fusionChoice, limit: this.#config.search.limit, whyNoEmbedder: this.#embedder.whyUnused }
    return new ExperienceLibrary(await this.#ports(), this.#layout, search, defaults)
  }

  /** How a search fuses its legs unless it is asked otherwise. */
  get fusionChoice(): FusionChoice {
    const { fusion, vector_weight: vectorWeight } = this.#config.search
    return { fusion: fusion ?? this.#embedder.fusion, vectorWeight }
  }

  async importTrajectory(file: string | null, options: ImportOptions, run: ImportRun): Promise<ImportResult> {
    const { importTrajectory } = await import('../importer/import-story.ts')
    return importTrajectory(await this.#surroundings(run), importRequest(file, options))
  }

  /** What `importTrajectory` would have to do; stores nothing. Throws what `readOutside`, `openTokenizer` and `importForecast` throw. */
  async forecastImport(file: string, options: ImportOptions, run: Running): Promise<ImportForecast> {
    const bytes = this.readOutside(file)
    const { importForecast } = await import('../importer/import-forecast.ts')
    if (options.extractor === 'llm') this.#chat.require()
    const { token_limits: limits, extraction: bounds } = this.#config
    const tokenizer = await this.openTokenizer(run)
    const setup = { ...run, tokenizer, limits, bounds, whyNoModel: this.#chat.whyNoModel }
    return importForecast(file, this.#machine.outside.absolutePath(file), bytes, importRequest(file, options), setup)
  }

  /** Vectors for what imports wrote, once they are over and recorded: whatever happens here is a notice. */
  async catchUp(written: ReadonlySet<string>, run: Running): Promise<void> {
    // Without the right to write nothing was written: a finished import was told again.
    if (written.size === 0 || run.signal.aborted || this.#writable === null) return
    const { openingNotice } = this.#embedder
    if (openingNotice !== null) run.say(openingNotice)
    if (!this.#embedder.isUsed) return
    const [{ catchUp }, { search }] = await Promise.all([import('./caught-up.ts'), this.#openSearch()])
    await catchUp(search, written, run)
  }

  async memory(): Promise<WorkspaceMemory> {
    if (this.#memory !== null) return this.#memory
    const [{ WorkspaceMemory }, openDatabase] = await Promise.all([
      import('./workspace-memory.ts'),
      this.#machine.loadDatabase(),
    ])
    this.#memory ??= new WorkspaceMemory({
      machine: this.#machine,
      openDatabase,
      layout: this.#layout,
      settings: this.#config.memory,
      embedder: this.#embedder,
      ports: () => this.#ports(),
      search: { ...this.fusionChoice, limit: this.#config.search.limit },
      procedures: () => this.#procedureFiles(),
    })
    return this.#memory
  }

  /** See `consolidation`. */
  async consolidate(options: ConsolidateOptions, run: Running) {
    const { consolidation } = await import('./consolidation/consolidation.ts')
    const openTokenizer = () => this.openTokenizer(run)
    const [machine, chat, config] = [this.#machine, this.#chat, this.#config]
    return consolidation(options, { memory: await this.memory(), machine, chat, openTokenizer, config }, run)
  }

  async imports() {
    const { listImports } = await import('./listed-imports.ts')
    return listImports(await this.#ports(), this.#layout)
  }

  isTrajectory(path: string): boolean {
    return path.startsWith(`${this.#layout.trajectories}/`)
  }

  async readTrajectory(path: string, range: CodePointRange, masking: Masking, run: Running) {
    const { TrajectoryReader } = await import('./trajectory-reading.ts')
    this.#trajectories ??= new TrajectoryReader(this.#machine, this.#layout)
    const openTokenizer = () => this.openTokenizer(run)
    return this.#trajectories.excerpt(path, {
      range,
      masking,
      openTokenizer,
      tokensMax: this.#config.token_limits.read,
    })
  }

  /** A file that lies anywhere: a log, or a whole memory graph. Throws what `OutsideFiles.read` throws. */
  readOutside(file: string, what: 'log' | 'graph' = 'log'): Uint8Array {
    const { outside } = this.#machine
    return outside.read(outside.absolutePath(file), what === 'log' ? this.#config.max_file_bytes : GRAPH_BYTES_MAX)
  }

  /** See there. */
  newOutside(file: string): NewOutsideFile {
    return newOutsideFile(this.#machine, this.#layout, file)
  }

  /** See `exported`. */
  async exportExperiences(format: ExportFormat, dir: string, run: Pick<Running, 'yieldToSignals' | 'signal'>) {
    const { exported } = await import('./export/experience-export.ts')
    return exported({ machine: this.#machine, layout: this.#layout, library: () => this.library(), run }, format, dir)
  }

  /** Throws `not_found` too. */
  async reindex(run: Pick<Running, 'say' | 'onWait' | 'progress' | 'signal'>) {
    requireWorkspace(this.#machine.files, this.#layout)
    // Whoever asks for an embedder expects vectors of a reindex; without a word in the exit code they would be missed.
    this.#embedder.requireNoFault()
    const openWorkspace = await this.#writing(run)
    this.#embedder.requireNoFault()
    const workspace = await openWorkspace()
    const { reindexed } = await import('./reindexing.ts')
    const { search } = await this.#openSearch()
    const views = await this.#views(run.signal)
    return reindexed(search, { ...run, workspace, views, memory: await this.memory() })
  }

  async status() {
    const index = await this.#currentIndex()
    const { statusAnswer } = await import('./status-answer.ts')
    return statusAnswer({
      layout: this.#layout,
      index,
      imports: await this.#importCounts(),
      trajectories: listTrajectories(this.#machine, this.#layout).length,
      memory: await this.#memoryState(index.count),
      tokens: await this.#tokenizer.engine(),
    })
  }

  /** A graph that is not there yet would have the experiences in it. */
  async #memoryState(experiences: number): Promise<MemoryState> {
    if (this.#machine.files.stat(inWorkspace(this.#layout, this.#layout.memory)) === null)
      return { counts: { ...NOTHING_REMEMBERED, procedural: experiences } }
    return (await import('./memory-state.ts')).memoryState(await this.memory())
  }

  /** As configured. */
  get tokenizerSource(): string {
    return this.#config.tokenizer
  }

  /** Throws `tokenizer_unavailable` and `interrupted`. */
  async openTokenizer(run: Running): Promise<Tokenizer> {
    const tokenizer = await this.#tokenizer.open(run)
    if (tokenizer.notice !== undefined) run.say(tokenizer.notice)
    return tokenizer
  }

  async indexStats() {
    const { facts, leftOut, vectors } = await this.#currentIndex()
    const stats = { ...facts, pending: leftOut.length, analyzer: ANALYZER_VERSION }
    return vectors === null ? stats : { ...stats, vectors }
  }

  async doctor(running: Pick<Running, 'yieldToSignals' | 'signal' | 'onWait'>) {
    const [{ examine }, { readOnlyFiles }, ports] = await Promise.all([
      import('./doctor/examination.ts'),
      import('../workspace/guarded-files.ts'),
      this.#ports(),
    ])
    // One of its own: a search mends and writes what it finds damaged, and nobody would be told.
    const looking = { ...ports, files: readOnlyFiles(ports.files) }
    return examine({
      machine: this.#machine,
      ports: looking,
      layout: this.#layout,
      tokenizer: this.#tokenizer,
      chat: this.#chat.setup,
      whyNoModel: this.#chat.whyNoModel,
      embedder: this.#embedder.setup,
      memoryProblems: async () => (await import('./memory-state.ts')).memoryProblems((await this.memory()).file),
      indexState: async () => {
        const opened = await this.#newSearch(looking)
        try {
          return await this.#indexStateOf(opened)
        } finally {
          opened.search[Symbol.dispose]()
        }
      },
      running,
    })
  }

  async backup(dir: string, running: Pick<Running, 'yieldToSignals' | 'signal'>) {
    const { backUp } = await import('./backup.ts')
    const { pid, isRunning, outside } = this.#machine
    const ports = await this.#ports()
    const setup = { ports, layout: this.#layout, outside, pid, isRunning, running, memory: (await this.memory()).file }
    return backUp(setup, outside.absolutePath(dir))
  }

  async settings() {
    const { keyStates, shownSettings } = await import('./shown-settings.ts')
    return {
      workspace: this.#choice.root,
      settings: shownSettings(this.#effective),
      keys: keyStates(this.#config, this.#machine.environment),
      notices: [...this.noticesFor()],
    }
  }

  async #ports(): Promise<WorkspacePorts> {
    const { files, lock, clock, ids, openDigest } = this.#machine
    return { files, lock, clock, ids, digest: await openDigest() }
  }

  async #openSearch(): Promise<OpenedSearch> {
    await this.#search?.pending.prepare()
    this.#search ??= await this.#firstSearch()
    return this.#search
  }

  async #newSearch(ports: WorkspacePorts): Promise<OpenedSearch> {
    const { openSearch } = await import('./opened-search.ts')
    return openSearch(ports, this.#layout, await this.#embedder.openIfUsable())
  }

  /** What both views know, brought in step with the files. */
  async #currentIndex(): Promise<IndexState> {
    const { procedures, index } = this.#layout
    const { isUsed, isBuiltin } = this.#embedder
    // Another embedder has to be opened to know that it can be.
    const mayTell = !isUsed || isBuiltin
    if (mayTell && this.#isEmpty(procedures) && this.#isEmpty(index)) return nothingIndexed(isUsed)
    return this.#indexStateOf(await this.#openSearch())
  }

  async #indexStateOf(opened: OpenedSearch): Promise<IndexState> {
    const { currentIndexState } = await import('./index-state.ts')
    return currentIndexState(opened, await this.#ports(), this.#layout)
  }

  async #procedureFiles(): Promise<ProcedureFiles> {
    const { NO_PROCEDURE_FILES, procedureFiles } = await import('./procedure-files.ts')
    if (this.#isEmpty(this.#layout.procedures)) return NO_PROCEDURE_FILES
    const { search } = await this.#openSearch()
    return procedureFiles(search, await this.library())
  }

  async #importCounts(): Promise<ImportCounts> {
    if (LOGS.every((folder) => this.#isEmpty(this.#layout[folder]))) return NO_IMPORTS
    const { countImports } = await import('./listed-imports.ts')
    return countImports(await this.#ports(), this.#layout)
  }

  #isEmpty(folder: string): boolean {
    const { files } = this.#machine
    const path = inWorkspace(this.#layout, folder)
    return files.names(path)?.length === 0 || files.stat(path) === null
  }

  async #surroundings(run: ImportRun): Promise<ImportSurroundings> {
    const machine = this.#machine
    const { learningRecord } = await import('./learning-record.ts')
    // Tried once an import: one that cannot be had may take as long as a download to say so.
    let opening: Promise<Tokenizer> | null = null
    return {
      ports: await this.#ports(),
      layout: this.#layout,
      outside: machine.outside,
      bytesMax: this.#config.max_file_bytes,
      limits: this.#config.token_limits,
      bounds: this.#config.extraction,
      segmentTimeoutMs: this.#config.llm.segment_timeout_ms,
      tokenizer: await this.#tokenizer.identity(),
      openTokenizer: () => (opening ??= this.openTokenizer(run)),
      whyNoModel: this.#chat.whyNoModel,
      requireModel: () => void this.#chat.require(),
      openChat: () => this.#chat.open(),
      openWorkspace: await this.#writing(run),
      views: await this.#views(run.signal),
      learning: learningRecord(() => this.memory(), run),
      ...run,
    }
  }

  /** What takes the right to write, which is held to the end. */
  async #writing({ say, signal }: Pick<Running, 'say' | 'signal'>): Promise<() => Promise<WritableWorkspace>> {
    const { openRecovered } = await import('./recovered-workspace.ts')
    const { pending } = await this.#openSearch()
    await pending.prepare({ isWriting: true })
    const writer = { pid: this.#machine.pid, command: this.#choice.command }
    const ports = await this.#ports()
    const options = { writer, views: await this.#views(signal), say }
    return async () => {
      this.#writable ??= await openRecovered(ports, this.#layout, options)
      return this.#writable
    }
  }

  /** Both views, for who writes a file. */
  async #views(signal: AbortSignal): Promise<WrittenViews> {
    const { search } = await this.#openSearch()
    return {
      mayWait: search.hasEmbedder && !this.#embedder.isBuiltin,
      takeIn: (path, read, asksAgain) => search.takeIn(path, read, { asksAgain, signal }),
    }
  }

  /** What makes vectors and ranks by them; null when no embedder is asked. Throws `invalid_config` and `embedder_unavailable`. */
  openVectors(): Promise<VectorLegOptions | null> {
    return this.#embedder.open()
  }

  [Symbol.dispose](): void {
    this.#memory?.[Symbol.dispose]()
    this.#search?.search[Symbol.dispose]()
    this.#writable?.[Symbol.dispose]()
    this.#writable = null
  }
}
