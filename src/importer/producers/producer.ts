/** One kind of log and how it is read. A new kind is a new module behind this interface, named in recognition.ts. */
import type { TrajectoryFormat } from '../intake/trajectory-format.ts'
import type { EarlierLogs } from './earlier-log.ts'
import type { Run } from './run.ts'

export interface LogInput {
  /** The whole decoded log. */
  readonly text: string
  readonly format: TrajectoryFormat
  /** Of its original in the workspace, to tell it from earlier logs; not given where there are none. */
  readonly path?: string
  /** Logs whose runs may go on in this one; when not given the text alone counts. */
  readonly earlier?: EarlierLogs
}

export interface ProducerInput extends LogInput {
  /** The JSON values found in the text, one a line or the whole; empty for plain text. Any value, trusted in nothing. */
  readonly records: readonly unknown[]
}

export interface Producer {
  readonly name: string
  /** For people, in the plural or as the owner of logs. */
  readonly title: string
  /** How to read its logs, in sentences for a model. */
  readonly recordShape: string
  /** Whether the log is of this kind, decided by its content; judges no call. Never throws, like `read`. */
  recognises(input: ProducerInput): boolean
  /**
   * The runs of a log that it recognises. Never throws, whatever the records are: what it does not know it skips. Takes
   * time in proportion to the text.
   */
  read(input: ProducerInput): readonly Run[]
}
