/**
 * The embedder of one run: as it is set up, and as it proved to be once something wanted it. One that cannot be opened is
 * a fault like one in its settings: what needs it stops with that, a search goes on by keywords.
 */
import { MemoryError } from '../model/memory-error.ts'
import type { FusionName } from '../search/fusion.ts'
import type { VectorLegOptions } from '../search/vector-leg.ts'
import type { EffectiveConfig } from './config.ts'
import type { Machine } from './machine.ts'
import { type EmbedderSetup, embedderNotices, embedderSetup, whyUnusable } from './model-servers.ts'

export class WorkspaceEmbedder {
  readonly #machine: Machine
  readonly #effective: EffectiveConfig
  #setup: EmbedderSetup
  #openingFault: MemoryError | null = null

  /** Opens nothing. */
  constructor(machine: Machine, effective: EffectiveConfig) {
    this.#machine = machine
    this.#effective = effective
    this.#setup = embedderSetup(effective, machine)
  }

  get setup(): EmbedderSetup {
    return this.#setup
  }

  /** Whether one is to be asked, as far as is known. */
  get isUsed(): boolean {
    return this.#setup !== null && 'options' in this.#setup
  }

  /** Null unless an embedder is asked for and cannot be used. */
  get fault(): MemoryError | null {
    return this.#setup !== null && 'fault' in this.#setup ? this.#setup.fault : null
  }

  /** For who expects vectors. Throws `fault`. */
  requireNoFault(): void {
    const { fault } = this
    if (fault !== null) throw fault
  }

  /** Whether it is the one inside the program, which can always be had. */
  get isBuiltin(): boolean {
    return this.#setup !== null && 'options' in this.#setup && this.#setup.options.backend === 'builtin'
  }

  /** What suits it: sums of scores need a scale that is known, and that of a foreign embedder is not. */
  get fusion(): FusionName {
    return this.isBuiltin ? 'score' : 'rrf'
  }

  /** Why one that is asked for is not asked; null when it is, and when none is. */
  get whyUnused(): string | null {
    return this.#setup === null ? null : whyUnusable(this.#setup)
  }

  /** What of its settings a person whose command needs no embedder should know all the same. */
  get notices(): readonly string[] {
    return embedderNotices(this.#setup, this.#effective)
  }

  /** What `openIfUsable` has met; null when it has met nothing. */
  get openingNotice(): string | null {
    return this.#openingFault === null
      ? null
      : `${this.#openingFault.message}; until then search ranks by keywords alone`
  }

  /** Null when no embedder is asked. Throws why one cannot be used. */
  async open(): Promise<VectorLegOptions | null> {
    const setup = this.#setup
    if (setup === null || 'unasked' in setup) return null
    if ('fault' in setup) throw setup.fault
    const embedder = await this.#machine.openEmbedder(setup.options)
    return {
      // What is computed here goes nowhere, and to look for secrets would cost each search more than to embed its query.
      embedder:
        embedder.isInProcess === true ? embedder : (await import('./masked-embedder.ts')).maskedEmbedder(embedder),
      batchSize: setup.options.batchSize,
      kernel: await this.#machine.openKernel(),
    }
  }

  /** Null also for one that cannot be used: `fault` then tells why. */
  async openIfUsable(): Promise<VectorLegOptions | null> {
    if (!this.isUsed) return null
    try {
      return await this.open()
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error
      this.#openingFault = error
      this.#setup = { fault: error }
      return null
    }
  }
}
