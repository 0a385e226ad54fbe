/** The chat model of one run: whether one is asked, and how to open it. Opens nothing by itself. */
import type { ChatModel } from '../ports.ts'
import type { EffectiveConfig } from './config.ts'
import type { ChatModelOptions, Machine } from './machine.ts'
import { chatNotices, chatSetup, requireChat, type ServerSetup, whyNoModel } from './model-servers.ts'

export class WorkspaceChat {
  readonly #machine: Machine
  readonly #effective: EffectiveConfig

  constructor(machine: Machine, effective: EffectiveConfig) {
    this.#machine = machine
    this.#effective = effective
  }

  get setup(): ServerSetup<ChatModelOptions> {
    return chatSetup(this.#effective, this.#machine.environment)
  }

  /** What a person whose command needs no chat model should know all the same. */
  get notices(): readonly string[] {
    return chatNotices(this.setup, this.#effective)
  }

  /** Why what may ask a model goes on without one unless told otherwise; null when it asks one. */
  get whyNoModel(): string | null {
    return whyNoModel(this.#effective)
  }

  /** Throws `llm_unavailable` when no model is configured, and `invalid_config`. */
  require(): ChatModelOptions {
    return requireChat(this.#effective, this.#machine.environment)
  }

  /** Throws as `require`. */
  async open(): Promise<ChatModel> {
    return this.#machine.openChat(this.require())
  }
}
