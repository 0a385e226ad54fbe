/** A workspace as one run of the program sees it: its settings, its library, and the way to write when it must. */
import { ExperienceLibrary } from '../experiences/library.ts'
import { OPERATION_LOG } from '../experiences/operation-journal.ts'
import { recoverOperations } from '../experiences/recovery.ts'
import { IMPORT_LOG, type ImportState } from '../importer/import-log.ts'
import type { ImportResult } from '../importer/import-result.ts'
import { importResult, importTrajectory } from '../importer/import-story.ts'
import type { ImportSurroundings, Running } from '../importer/import-surroundings.ts'
import { decodeText } from '../importer/intake/decoding.ts'
import { type CodePointRange, excerptOf } from '../importer/intake/trajectory-excerpt.ts'
import type { Extractor, OnMalformed } from '../importer/intake/trajectory-format.ts'
import { PROCESSING_LOG } from '../importer/processing-log.ts'
import { MaskedText } from '../importer/redaction/masked-text.ts'
import type { Redactor } from '../importer/redaction/redactor.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { ChatModel } from '../ports.ts'
import { ANALYZER_VERSION } from '../search/analyzer.ts'
import { ExperienceSearch } from '../search/experience-search.ts'
import { refuseLinks } from '../workspace/confinement.ts'
import { inWorkspace, type Layout, layoutOf } from '../workspace/layout.ts'
import type { LogRecord } from '../workspace/record-log.ts'
import { cutTornLogs, type LogKind, readRequestLogs } from '../workspace/request-log.ts'
import { listTrajectories, readTrajectory } from '../workspace/trajectory-shelf.ts'
import { openForWriting, type WritableWorkspace } from '../workspace/workspace.ts'
import { type Config, type EffectiveConfig, effectiveConfig, shownSetting } from './config.ts'
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
    return importTrajectory(this.#surroundings(run), {
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
  }

  async imports() {
    const { imports: states, resultOf, damaged } = this.#logs()
    const imports = states.map((state) => {
      const { request_id, status, trajectory, segments, experiences } = resultOf(state)
      const error = status === 'complete' ? null : (state.stopped?.error ?? null)
      return { request_id, status, trajectory, segments, experiences, error }
    })
    return damaged.length === 0 ? { imports } : { imports, damaged }
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

  async reindex(say: (notice: string) => void) {
    this.#openWorkspace(say)
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
    const { entries, invalid, leftOut } = this.#search
    const indexed = entries.length - leftOut.length
    const { imports, damaged } = this.#logs()
    const complete = imports.filter(({ completed }) => completed !== null).length
    const facts = {
      workspace: this.#choice.root,
      experiences: entries.length,
      trajectories: listTrajectories(this.#machine, this.#layout).length,
      imports: { complete, incomplete: imports.length - complete },
      pending: leftOut.length,
      invalid: invalid.length,
      index: { analyzer: ANALYZER_VERSION, when_to_use: indexed, when_to_use_content: indexed },
      engines: { search: 'orama', tokens: this.#machine.tokenEngineOf(this.#config.tokenizer) },
    }
    return damaged.length === 0 ? facts : { ...facts, damaged }
  }

  async settings() {
    const { config, sources, notices } = this.#effective
    const settings: Record<string, { value: unknown; source: string }> = {}
    for (const [key, source] of sources) settings[key] = { value: shownSetting(key, valueAt(config, key)), source }
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

  /** What all logs tell. An import of which one cannot be read is told from its others. */
  #logs() {
    const all = <H, R extends LogRecord, S>(kind: LogKind<H, R, S>) => {
      const { logs, damaged } = readRequestLogs(this.#machine, this.#layout, kind)
      return { states: new Map(logs.map(({ id, state }) => [id, state])), damaged }
    }
    const [imports, processing, operations] = [all(IMPORT_LOG), all(PROCESSING_LOG), all(OPERATION_LOG)]
    const resultOf = (state: ImportState): ImportResult => {
      const { completed, requestId } = state
      if (completed !== null) return completed.result
      return importResult(state, processing.states.get(requestId) ?? null, operations.states.get(requestId) ?? null)
    }
    const damaged = [...imports.damaged, ...processing.damaged, ...operations.damaged]
    return { imports: [...imports.states.values()], resultOf, damaged }
  }

  #surroundings(run: Running): ImportSurroundings {
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
      openWorkspace: () => this.#openWorkspace(run.say),
      index: () => this.#search.refresh(),
      ...run,
    }
  }

  /** The right to write, held to the end; what a killed run left open is finished first. */
  #openWorkspace(say: (notice: string) => void): WritableWorkspace {
    if (this.#writable !== null) return this.#writable
    const { pid } = this.#machine
    const writable = openForWriting(this.#machine, this.#layout, { pid, command: this.#choice.command })
    try {
      for (const kind of [IMPORT_LOG, PROCESSING_LOG, OPERATION_LOG])
        for (const { path, tornBytes } of cutTornLogs(this.#machine, this.#layout, kind))
          say(`${path}: a last record that was written only in part was taken off (${tornBytes} bytes)`)
      const { operations, refused, damaged } = recoverOperations(writable, () => this.#search.refresh())
      for (const { path, outcome } of operations)
        say(
          outcome === 'finished'
            ? `finished what an interrupted run began: ${path}`
            : `gave up what an interrupted run began, as someone has changed the file since: ${path}`,
        )
      for (const { path, error } of refused)
        say(`${path}: what an interrupted run began to write was not written: ${error}`)
      for (const { path, error } of damaged) say(`${path} was passed over: ${error}`)
    } catch (error) {
      writable[Symbol.dispose]()
      throw error
    }
    this.#writable = writable
    return writable
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
