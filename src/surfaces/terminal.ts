/** What a command says, and where. */

export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** All of standard input. Throws `file_too_large` above so many bytes. */
  readonly input: (bytesMax: number) => Uint8Array
  /** Whether `out` does. */
  readonly takesColour: () => Promise<boolean>
  /** Whether a line of `error` can be drawn anew. */
  readonly drawsErrors: () => Promise<boolean>
  readonly signal: AbortSignal
}
