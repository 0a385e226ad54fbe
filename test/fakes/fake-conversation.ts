/** Standard input that is given beforehand, off a terminal. */
import type { Conversation } from '../../src/ports/conversation.ts'

export class FakeConversation implements Conversation {
  readonly isAtTerminal = false
  readonly #parts: readonly string[]
  #interrupt = () => {}

  /** @param parts as they come */
  constructor(parts: readonly string[]) {
    this.#parts = parts
  }

  async *typed(): AsyncIterable<string> {
    for (const part of this.#parts) yield part
  }

  size() {
    return { columns: 80, rows: 24 }
  }

  onResize(): void {}

  onReturn(): void {}

  takeKeys(): void {}

  onInterruption(listener: () => void): void {
    this.#interrupt = listener
  }

  interrupt(): void {
    this.#interrupt()
  }
}
