/**
 * The one declaration of what the program can do. Commands, tools, routes, help and completions are generated from it;
 * `exposure` decides which surface offers what.
 */
import type * as v from 'valibot'
import type { ExtractionRun, ImportSurroundings } from '../importer/import-surroundings.ts'
import type { Running } from '../importer/running.ts'
import type { MemoryError } from '../model/memory-error.ts'
import { checkedInput } from './checked-input.ts'
import type { OpenedWorkspace } from './opened-workspace.ts'

export type Exposure = 'cli' | 'repl' | 'service' | 'extraction'

export interface OperationContext extends Running {
  readonly workspace: OpenedWorkspace
  /** The segment being worked on; null outside an extraction run. */
  readonly extraction: ExtractionRun | null
  /** Whether secrets in originals are hidden from who asks; an extraction run has a redactor for that. */
  readonly masksOriginals: boolean
  readonly toolsFor: ImportSurroundings['toolsFor']
}

/** How a command ends: its exit code follows from it. */
export type Ending = 'done' | 'incomplete' | 'interrupted' | 'failed'

type Fields = v.ObjectEntries

/** What a command is read by; its help and completions are made of it. */
export interface CommandDeclaration<E extends Fields = Fields> {
  /** One word or two; null where there is no command. */
  readonly command: string | null
  /** One sentence for help, tools and routes. */
  readonly summary: string
  /** Fields that a command takes without a flag, in order. A last one that is a list takes all that follow. */
  readonly positionals: readonly string[]
  /** Command lines that work, for help. */
  readonly examples: readonly string[]
  /** Words of its answer that need explaining, and what they mean, for help. */
  readonly terms?: Readonly<Record<string, string>>
  /** Whether it takes its fields as one JSON object too, by `--from`. */
  readonly takesObject?: true
  /** Whether it asks a running service in place of a workspace on this machine, by `--remote`. */
  readonly isRemote?: true
  /** Schemas are made when they are asked for: a command needs those of one operation only. */
  readonly input: () => v.StrictObjectSchema<E, undefined>
}

export interface Operation<E extends Fields = Fields, O = unknown> extends CommandDeclaration<E> {
  /** Of the tool and the route: lower_snake_case. */
  readonly name: string
  readonly exposure: readonly Exposure[]
  /** Fields that an extraction's tool has; all when left out. */
  readonly toolFields?: readonly (keyof E & string)[]
  /** Whether it changes what an agent may rely on: experiences, imports, memories. */
  readonly writes: boolean
  /** Whether it may take long, and then tells how far it is. */
  readonly isLong?: true
  /** Whether it changes only what is there already: a missing workspace is told, and not made. */
  readonly needsWorkspace?: true
  /** Of a missing workspace nothing is said beside its answer, though it writes none: it needs none, or says so itself. */
  readonly silentOfMissing?: true
  /** Whether a fault in how the embedder is set up ends it, where other operations go on without. */
  readonly needsEmbedder?: true
  /** When an agent should call it, for its tool: sentences that stand behind the summary. */
  readonly whenToUse?: string
  /** Whether it answers with what past runs said, which a tool must not let pass for an order. */
  readonly recallsPast?: true
  /** Whether it may replace what was remembered, or take it away. */
  readonly destroys?: true
  /** Whether it writes, and called again with the same input changes nothing more. */
  readonly isRepeatable?: true
  readonly output: () => v.GenericSchema<unknown, O>
  readonly run: (context: OperationContext, input: v.InferOutput<v.StrictObjectSchema<E, undefined>>) => Promise<O>
  readonly endingOf?: (output: O) => Ending
  /** Its answer where the workspace cannot be opened, as its settings are wrong; the error is the answer unless it is given. */
  readonly whenUnopened?: (error: MemoryError) => O
}

/** Keeps the types of input and output tied within a declaration, and forgets them in the table. */
export function operation<E extends Fields, O>(declared: Operation<E, O>): Operation {
  return declared as unknown as Operation
}

/** Validates `input` strictly, then runs. Throws as `checkedInput`. */
export async function runOperation(operation: Operation, context: OperationContext, input: unknown): Promise<unknown> {
  return operation.run(context, checkedInput(operation.input(), input))
}
