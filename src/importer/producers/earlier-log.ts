/** A log that was imported before the one at hand. */

export interface EarlierLog {
  /** Of its original in the workspace. */
  readonly path: string
  /** Whether it holds the same bytes as the log at hand. */
  readonly isSame: boolean
  /** As it is stored, to see whether it matters: no word of it may go further. Null when it cannot be read. */
  readonly glance: () => string | null
  /** With its secrets masked. Null when it is gone or damaged. */
  readonly masked: () => string | null
}

/** The latest import first. Nothing is read before it is called. */
export type EarlierLogs = () => readonly EarlierLog[]
