/** Who types on standard input while the program answers, line by line or key by key: a person, or a script. */
export interface Conversation {
  /** Whether a person types and reads here: both ends are a terminal. */
  readonly isAtTerminal: boolean
  /** What is typed, as it comes, to its end. */
  typed(): AsyncIterable<string>
  /** Of the screen, in characters, as of now. */
  size(): { readonly columns: number; readonly rows: number }
  onResize(listener: () => void): void
  /** The program was stopped, as by Ctrl-Z, and goes on: others have had the terminal meanwhile. */
  onReturn(listener: () => void): void
  /** Whether each key comes by itself, unseen, Ctrl-C among them; else whole lines do, seen as they are typed. */
  takeKeys(isTaken: boolean): void
  /** From here on an interruption ends nothing but what the listener ends. */
  onInterruption(listener: () => void): void
}
