/** What every producer's log is read into: runs made of tool calls with their outcome. Knows no file format. */

export type Outcome = 'passed' | 'failed' | 'unknown'

/**
 * What an outcome rests on, strongest first: an exit code the producer recorded, one printed into the output, the
 * producer's error flag, words of the output, nothing. An unknown outcome with `exit` or `flag` is a good code that says
 * nothing about the command, such as that of `make | tail`.
 */
export type Evidence = 'exit' | 'mark' | 'flag' | 'text' | 'none'

/**
 * `command` a shell command; `edit` a tool that changes a file; `look` reads only, in a shell or by a tool;
 * `note` touches nothing (plans, thoughts); `call` any other tool.
 */
export type StepKind = 'command' | 'edit' | 'look' | 'note' | 'call'

export interface Step {
  readonly kind: StepKind
  /** Whether `command` is a shell command line. */
  readonly shell: boolean
  /** Canonical text of the call: the shell command line, else the tool's name and its arguments as stable JSON. */
  readonly command: string
  /** The call as a reader wants to see it; code of several lines as a block, indented by four, long ones by their beginning. */
  readonly shown: string
  /** As the tool printed it, without terminal control sequences. */
  readonly output: string
  readonly outcome: Outcome
  readonly evidence: Evidence
  /** Of a failure that an exit code tells. */
  readonly exitCode?: number
  /** Of a failure: lines of its output that calls which passed printed too; undefined where nobody looked. */
  readonly usual?: ReadonlySet<string>
  /** False when the call was cut off, sent to the background or is the last thing in a log without an end. */
  readonly finished: boolean
  /** Where it ran, as far as the log shows it; equal texts are one place. Shell commands only. */
  readonly place?: string
  /** What else tells it from a call of the same command line: different ones are different commands. Undefined where nothing does. */
  readonly setting?: string
  /** Which of the log's calls and answers made it, and answered it, from 0 on; undefined where the log keeps both together. */
  readonly calledAt?: number
  readonly answeredAt?: number
  /** Workspace path of the log imported before that it stands in; undefined in the log at hand. */
  readonly logPath?: string
  /** The id of the commit that it stands for, between two attempts; undefined of what was called. */
  readonly commit?: string
  /** What the person had asked for when the call was made. */
  readonly task: string | null
}

export interface Run {
  /** What the person asked first. */
  readonly task: string | null
  /** The folder the run worked in, when the producer says so; paths below it are shown relative. */
  readonly folder: string | null
  /** Messages of people and of the model. */
  readonly turns: number
  readonly steps: readonly Step[]
}
