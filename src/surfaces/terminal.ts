/** Where a command reads and writes. */
import type { Conversation } from '../ports/conversation.ts'

export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** All of standard input. Throws `file_too_large` above so many bytes. */
  readonly input: (bytesMax: number) => Uint8Array
  /** Whether `out` does. */
  readonly takesColour: () => Promise<boolean>
  /** Whether a line of `error` can be drawn anew. */
  readonly drawsErrors: () => Promise<boolean>
  /** Whether a person types and reads here. */
  readonly isAtTerminal: () => Promise<boolean>
  readonly converse: () => Promise<Conversation>
  readonly signal: AbortSignal
}
