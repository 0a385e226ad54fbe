/** A workspace as one run of the program sees it: its settings, its library, and the way to write when it must. */
import { ExperienceLibrary } from '../experiences/library.ts'
import { readLedger } from '../experiences/operation-journal.ts'
import { recoverOperations } from '../experiences/recovery.ts'
import { decodeText } from '../importer/decoding.ts'
import type { ExtractionTool } from '../importer/extraction/extraction-tool.ts'
import { type ImportState, readImports } from '../importer/import-log.ts'
import type { ExtractionRun, Extractor, ImportProgress, ImportSetting } from '../importer/import-request.ts'
import type { ImportResult } from '../importer/import-result.ts'
import { importResult, importTrajectory, writtenExperiences } from '../importer/import-story.ts'
import type { OnMalformed } from '../importer/intake.ts'
import { MaskedText } from '../importer/masked-text.ts'
import { readProcessing } from '../importer/processing-log.ts'
import type { Redactor } from '../importer/redaction.ts'
import { type CodePointRange, excerptOf } from '../importer/trajectory-excerpt.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { ChatModel } from '../ports.ts'
import { ANALYZER_VERSION } from '../search/analyzer.ts'
import { ExperienceSearch } from '../search/experience-search.ts'
import { inWorkspace, type Layout, layoutOf } from '../workspace/layout.ts'
import { listTrajectories, readTrajectory } from '../workspace/trajectory-shelf.ts'
import { openForWriting, type WritableWorkspace } from '../workspace/workspace.ts'
import { type Config, type EffectiveConfig, effectiveConfig } from './config.ts'
import type { Machine } from './machine.ts'

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

/** What a running operation may tell and be told meanwhile. */
export interface Running {
  readonly progress: (step: ImportProgress) => void
  /** Tells the person something beside the answer. */
  readonly say: (notice: string) => void
  /** Lets signals and timers have their turn between two pieces of long work. */
  readonly breathe: () => Promise<void>
  readonly signal: AbortSignal
  /** The tools of the extraction agent for one segment. */
  readonly toolsFor: (extraction: ExtractionRun) => readonly ExtractionTool[]
}

const CONFIG_BYTES_MAX = 1024 * 1024

export class OpenedWorkspace implements Disposable {
  readonly library: ExperienceLibrary
  readonly #machine: Machine
  readonly #choice: WorkspaceChoice
  readonly #effective: EffectiveConfig
  readonly #layout: Layout
  #search: ExperienceSearch
  /** Held from the first write to the end. */
  #writable: WritableWorkspace | null = null

  /** Reads settings only; a missing workspace is an empty one. Throws `invalid_config`, `not_found`. */
  constructor(machine: Machine, choice: WorkspaceChoice) {
    this.#machine = machine
    this.#choice = choice
    this.#effective = effectiveConfig({
      environment: machine.environment,
      given: choice.configPath === null ? null : givenConfig(machine, choice.configPath),
      workspace: workspaceConfig(machine, choice.root),
    })
    this.#layout = layoutOf(choice.root, this.#config)
    this.#search = this.#newSearch()
    this.library = new ExperienceLibrary(machine, this.#layout, () => this.#search, this.#config.search)
  }

  get #config(): Config {
    return this.#effective.config
  }

  /** What the person should know about the settings. */
  get notices(): readonly string[] {
    return this.#effective.notices
  }

  async importTrajectory(file: string | null, options: ImportOptions, run: Running): Promise<ImportResult> {
    const chosen = options.extractor ?? 'auto'
    return importTrajectory(this.#importSetting(run), {
      file,
      filename: options.filename ?? null,
      requestId: options.resume ?? options.request_id ?? null,
      sourceId: options.source_id ?? null,
      memoryHint: options.memory_hint ?? null,
      extractor: chosen === 'auto' ? null : chosen,
      onMalformed: options.on_malformed ?? 'fail',
      maxRequests: options.max_requests ?? null,
      redact: options.redact,
    })
  }

  listImports() {
    const { files, digest } = this.#machine
    const ports = { files, digest }
    return readImports(ports, this.#layout).flatMap((state) => {
      const result = this.#resultOf(state)
      if (result === null || result.trajectory === null) return []
      const { request_id, status, trajectory, segments, experiences } = result
      const error = status === 'complete' ? null : (state.stopped?.error ?? null)
      return [{ request_id, status, trajectory, segments, experiences, error }]
    })
  }

  isTrajectory(path: string): boolean {
    return path.startsWith(`${this.#layout.trajectories}/`)
  }

  /** @param redactor masks what a model is shown; null shows it as it is */
  async readTrajectory(path: string, range: CodePointRange, redactor: Redactor | null) {
    const { text } = decodeText(readTrajectory(this.#machine, this.#layout, path))
    const tokenizer = await this.#machine.openTokenizer(this.#config.tokenizer)
    const shown = redactor?.learn(text) ?? new MaskedText(text)
    const render = (start: number, end: number) => shown.segment(start, end)
    const excerpt = excerptOf(text, range, render, tokenizer, this.#config.token_limits.read)
    return { path, kind: 'trajectory' as const, ...excerpt }
  }

  async reindex() {
    this.#openWorkspace()
    const fresh = this.#newSearch()
    fresh.refresh()
    this.#search = fresh
    const { entries, invalid, leftOut } = fresh
    return {
      experiences: entries.length,
      indexed: entries.length - leftOut.length,
      invalid: [...invalid],
      pending: leftOut.map(({ path, version, error }) => ({ path, version, error: error ?? '' })),
      embedded: 0,
      reused: 0,
    }
  }

  async status() {
    this.#search.refresh()
    const { complete, incomplete } = this.#countImports()
    const { entries, invalid, leftOut } = this.#search
    const indexed = entries.length - leftOut.length
    return {
      workspace: this.#choice.root,
      experiences: entries.length,
      trajectories: listTrajectories(this.#machine, this.#layout).length,
      imports: { complete, incomplete },
      pending: leftOut.length,
      invalid: invalid.length,
      index: { analyzer: ANALYZER_VERSION, when_to_use: indexed, when_to_use_content: indexed },
      engines: { search: 'orama', tokens: this.#machine.tokenEngine(this.#config.tokenizer) },
    }
  }

  async settings() {
    const { config, sources, notices } = this.#effective
    const settings: Record<string, { value: unknown; source: string }> = {}
    for (const [key, source] of sources) settings[key] = { value: valueAt(config, key), source }
    const key = config.llm.api_key_env
    return {
      workspace: this.#choice.root,
      settings,
      keys: { [key]: (this.#machine.environment[key] ?? '') === '' ? ('unset' as const) : ('set' as const) },
      notices: [...notices],
    }
  }

  #newSearch(): ExperienceSearch {
    const name = this.#layout.procedures
    return new ExperienceSearch({ ...this.#machine, folder: inWorkspace(this.#layout, name), name })
  }

  #countImports(): { complete: number; incomplete: number } {
    const states = readImports(this.#machine, this.#layout)
    const complete = states.filter(({ completed }) => completed !== null).length
    return { complete, incomplete: states.length - complete }
  }

  #resultOf(state: ImportState): ImportResult | null {
    if (state.completed !== null) return state.completed.result
    if (state.requested === null) return null
    const operations = readLedger(this.#machine, this.#layout, state.requestId).values()
    return importResult(
      state,
      readProcessing(this.#machine, this.#layout, state.requestId),
      writtenExperiences(operations),
    )
  }

  #importSetting(run: Running): ImportSetting {
    const machine = this.#machine
    return {
      ports: machine,
      layout: this.#layout,
      outside: machine.outside,
      bytesMax: this.#config.max_file_bytes,
      limits: this.#config.token_limits,
      bounds: this.#config.extraction,
      tokenizerSource: this.#config.tokenizer,
      openTokenizer: machine.openTokenizer,
      hasModel: this.#config.llm.model !== null,
      openChat: () => this.#openChat(),
      openWorkspace: () => this.#openWorkspace(),
      index: () => this.#search.refresh(),
      ...run,
    }
  }

  #openWorkspace(): WritableWorkspace {
    if (this.#writable === null) {
      const { pid } = this.#machine
      this.#writable = openForWriting(this.#machine, this.#layout, { pid, command: this.#choice.command })
      recoverOperations(this.#writable, () => this.#search.refresh())
    }
    return this.#writable
  }

  #openChat(): ChatModel {
    const { base_url, model, api_key_env, timeout_ms, retries } = this.#config.llm
    if (model === null)
      throw new MemoryError(
        'llm_unavailable',
        'no chat model is configured; set LLM_MODEL_NAME (and LLM_BASE_URL, LLM_API_KEY), or use --extractor offline',
      )
    return this.#machine.openChat({
      baseUrl: base_url ?? undefined,
      apiKey: this.#machine.environment[api_key_env],
      model,
      timeoutMs: timeout_ms,
      retries,
    })
  }

  [Symbol.dispose](): void {
    this.#writable?.[Symbol.dispose]()
    this.#writable = null
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

function valueAt(config: Config, key: string): unknown {
  const [group, name] = key.split('.')
  const member = (config as unknown as Readonly<Record<string, unknown>>)[group ?? '']
  return name === undefined ? member : (member as Readonly<Record<string, unknown>>)[name]
}
