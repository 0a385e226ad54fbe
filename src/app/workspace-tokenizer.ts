/** The tokenizer of one run: who names it, and what it proved to be. Opened once, however often it is asked for. */
import type { OpenTokenizerOptions, Tokenizer, TokenizerIdentity } from '../ports.ts'
import type { EffectiveConfig } from './config.ts'
import type { Machine } from './machine.ts'

export type TokenizerWait = Pick<OpenTokenizerOptions, 'signal' | 'onWait'>

export class WorkspaceTokenizer {
  readonly #machine: Machine
  /** As configured. */
  readonly source: string
  readonly #namedBy: 'person' | 'workspace'
  #opening: Promise<Tokenizer> | null = null

  /** Opens nothing. */
  constructor(machine: Machine, { config, fromWorkspace }: EffectiveConfig) {
    this.#machine = machine
    this.source = config.tokenizer
    this.#namedBy = fromWorkspace.has('tokenizer') ? 'workspace' : 'person'
  }

  /** Throws `tokenizer_unavailable` and `interrupted`; it is tried again the next time. */
  async open({ signal, onWait }: TokenizerWait): Promise<Tokenizer> {
    const { openTokenizer, environment } = this.#machine
    this.#opening ??= openTokenizer(this.source, { environment, namedBy: this.#namedBy, signal, onWait })
    try {
      return await this.#opening
    } catch (error) {
      this.#opening = null
      throw error
    }
  }

  /** Opens nothing, and never goes online to know it. */
  identity(): Promise<TokenizerIdentity> {
    const { identifyTokenizer, environment } = this.#machine
    return identifyTokenizer(this.source, { environment })
  }

  /** Never goes online to know it. */
  engine(): ReturnType<Machine['tokenEngineOf']> {
    const { tokenEngineOf, environment } = this.#machine
    return tokenEngineOf(this.source, { environment: { ...environment, HF_HUB_OFFLINE: '1' } })
  }
}
