/**
 * Creates and updates experience files: check, journal the whole target, publish, index, close. Lives only as long as an
 * extraction run; the one place from which the program writes an experience.
 */
import {
  type Experience,
  type ExperienceTexts,
  experienceBytes,
  experienceNameFault,
  parseExperience,
  readExperience,
  TEXT_FIELDS,
} from '../model/experience.ts'
import { MemoryError, scopeOf } from '../model/memory-error.ts'
import type { RequestId } from '../model/request-id.ts'
import type { TokenLimits } from '../model/token-limits.ts'
import type { Tokenizer } from '../ports.ts'
import { inWorkspace } from '../workspace/layout.ts'
import type { WritableWorkspace } from '../workspace/workspace.ts'
import { experiencePath } from './experience-path.ts'
import { requireFieldsFit } from './field-limits.ts'
import {
  type Completion,
  completeIntent,
  requireSoundIntent,
  settlePublished,
  versionThere,
  type WrittenViews,
} from './intent-completion.ts'
import { type Intent, type Operation, OperationJournal } from './operation-journal.ts'

/** The file is in place; `error` says why neither view holds it, if so. */
export type Written = { readonly path: string; readonly version: string } & (
  | { readonly status: 'committed' }
  | { readonly status: 'index_pending'; readonly error: string }
)

/** What an experience rests on; never nothing. */
type Sources = readonly [string, ...string[]]

export interface WriteOptions {
  readonly request: RequestId
  readonly tokenizer: Tokenizer
  readonly limits: TokenLimits
  readonly views: WrittenViews
}

export class ExperienceWriter implements Disposable {
  readonly #workspace: WritableWorkspace
  readonly #options: WriteOptions
  readonly #journal: OperationJournal

  constructor(workspace: WritableWorkspace, options: WriteOptions) {
    this.#workspace = workspace
    this.#options = options
    this.#journal = new OperationJournal(workspace.ports, workspace.layout, options.request)
  }

  /** What this request has written so far, with each operation's key, oldest first. */
  get operations(): readonly Operation[] {
    return [...this.#journal.ledger.values()]
  }

  /**
   * @param key scoped to the request; repeating it with the same payload returns the earlier result
   * @param name without `.json`
   * @param sources trajectories of this workspace, that of the run first
   * Throws `invalid_name`, `invalid_experience`, `field_too_long`, `name_taken`, `operation_conflict`.
   */
  async create(key: string, name: string, texts: ExperienceTexts, sources: Sources): Promise<Written> {
    const payload = this.#payload(['create', name, texts, ...sources])
    const earlier = await this.#earlier(key, payload)
    if (earlier !== null) return earlier
    const fault = experienceNameFault(name)
    if (fault !== null)
      throw new MemoryError('invalid_name', `${JSON.stringify(name)} cannot name an experience: ${fault}`)
    const experience = parseExperience({ ...texts, sources: joined([], sources) })
    requireFieldsFit(texts, this.#options.tokenizer, this.#options.limits)
    const path = `${this.#workspace.layout.procedures}/${name}.json`
    if (versionThere(this.#workspace, path) !== null) throw nameTaken(path)
    return this.#commit({ key, payload, action: 'created', path, prior: null }, experience)
  }

  /**
   * @param expectedVersion the file's version as the caller last saw it
   * @param changes the texts to replace; the others, and the sources, are kept
   * @param sources as of `create`; they are added
   * Throws `not_found`, `version_conflict`, `invalid_experience`, `field_too_long`, `operation_conflict`, `path_outside`.
   */
  async update(
    key: string,
    path: string,
    expectedVersion: string,
    changes: Partial<ExperienceTexts>,
    sources: Sources,
  ): Promise<Written> {
    const payload = this.#payload(['update', path, expectedVersion, changes, ...sources])
    const earlier = await this.#earlier(key, payload)
    if (earlier !== null) return earlier
    const { layout, ports } = this.#workspace
    experiencePath(ports.files, layout, path)
    const bytes = this.#bytesOf(path)
    if (bytes === null) throw new MemoryError('not_found', `${path} does not exist; create it, or search for its name`)
    const version = ports.digest.sha256(bytes)
    if (version !== expectedVersion)
      throw new MemoryError(
        'version_conflict',
        `${path} is at version ${version}, the update expects ${expectedVersion}; read it again`,
        { path, version },
      )
    const current = readExperience(bytes)
    const experience = parseExperience({ ...current, ...changes, sources: joined(current.sources, sources) })
    requireFieldsFit(changes, this.#options.tokenizer, this.#options.limits)
    return this.#commit({ key, payload, action: 'updated', path, prior: version }, experience)
  }

  #payload(asked: readonly unknown[]): string {
    return this.#workspace.ports.digest.sha256(new TextEncoder().encode(JSON.stringify(asked)))
  }

  /**
   * The files of this request's writes that neither view holds, each with the reason. What was corrected since, by the
   * model or by hand, is none any more, for good.
   * @param belongs by key, which operations are asked for
   */
  pending(belongs: (key: string) => boolean): readonly { readonly path: string; readonly error: string }[] {
    const found: { path: string; error: string }[] = []
    for (const { intent, error } of this.operations) {
      if (error === null || !belongs(intent.key)) continue
      const version = versionThere(this.#workspace, intent.path)
      if (version === intent.version) found.push({ path: intent.path, error })
      else this.#journal.closeSuperseded(intent.key, version)
    }
    return found
  }

  /** The result of the operation of this key, finished if it was not; null when there is none. */
  async #earlier(key: string, payload: string): Promise<Written | null> {
    const operation = this.#journal.ledger.get(key)
    if (operation === undefined) return null
    const { intent, outcome } = operation
    if (intent.payload !== payload)
      throw new MemoryError(
        'operation_conflict',
        `operation_key was used before for another write of ${intent.path}; choose a new key`,
        { path: intent.path },
      )
    if (outcome === 'superseded') throw changedMeanwhile(intent.path)
    if (outcome === 'indexed') return committed(intent)
    // Left open by a fault of the disk, which may have passed.
    if (outcome === 'open') {
      requireSoundIntent(this.#workspace, intent)
      return this.#complete(intent)
    }
    return written(
      intent,
      await begun(() => settlePublished(this.#workspace, this.#journal, operation, this.#options.views, true)),
    )
  }

  #bytesOf(path: string): Uint8Array | null {
    return this.#workspace.ports.files.read(inWorkspace(this.#workspace.layout, path))
  }

  async #commit(
    place: Pick<Intent, 'key' | 'payload' | 'action' | 'path' | 'prior'>,
    experience: Experience,
  ): Promise<Written> {
    const bytes = experienceBytes(experience)
    const version = this.#workspace.ports.digest.sha256(bytes)
    const intent = { ...place, version, text: new TextDecoder().decode(bytes) }
    return this.#complete(await begun(async () => this.#journal.begin(intent)))
  }

  async #complete(intent: Intent): Promise<Written> {
    const completion = await begun(() => completeIntent(this.#workspace, this.#journal, intent, this.#options.views))
    if (completion.found !== intent.version && intent.prior === null) throw nameTaken(intent.path)
    return written(intent, completion)
  }

  /** Of its journal: see `LogWriter.requireInPlace`. */
  requireInPlace(): void {
    this.#journal.requireInPlace()
  }

  [Symbol.dispose](): void {
    this.#journal[Symbol.dispose]()
  }
}

function joined(sources: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...sources, ...more])]
}

/** Whether a write would change nothing but the sources. */
export function sameTexts(a: ExperienceTexts, b: ExperienceTexts): boolean {
  return TEXT_FIELDS.every((field) => a[field] === b[field])
}

/**
 * What stops a write that is in the journal stops its import: whoever asked for it cannot mend a folder that may not be
 * written, and the next run does what was begun.
 */
async function begun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MemoryError) || scopeOf(error.code) !== 'call') throw error
    throw new MemoryError('io_failed', error.message, { cause: error })
  }
}

function committed({ path, version }: Intent): Written {
  return { status: 'committed', path, version }
}

/** Throws `version_conflict` when it was superseded. */
function written(intent: Intent, { found, pending }: Completion): Written {
  const { path, version } = intent
  if (found !== version) throw changedMeanwhile(path)
  return pending === null ? committed(intent) : { status: 'index_pending', path, version, error: pending }
}

function nameTaken(path: string): MemoryError {
  return new MemoryError('name_taken', `${path} exists; update it, or choose another meaningful name`, { path })
}

function changedMeanwhile(path: string): MemoryError {
  return new MemoryError(
    'version_conflict',
    `${path} was changed by someone else before this write could be finished; read it again and use a new operation_key`,
    { path },
  )
}
