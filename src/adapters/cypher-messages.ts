/** What the process that holds the graph engine is told, and what it answers: a JSON value a line, one answer a message. */
import type { CypherQuestion, CypherResult } from '../ports.ts'

export type ToEngine =
  /** Make this folder, private and for this run, and remove it whatever happens. */
  | { readonly folder: string }
  | { readonly load: true }
  /** Statements, after which the folder is removed. */
  | { readonly fill: readonly string[] }
  | { readonly ask: CypherQuestion }

export type FromEngine =
  | { readonly made: true }
  | { readonly version: string }
  | { readonly filled: true }
  | { readonly result: CypherResult }
  /** `missing`: none was built in; `unavailable`: it cannot be loaded; `refused`: a question that it does not take; `failed`: it cannot answer any. */
  | { readonly fault: 'missing' | 'unavailable' | 'refused' | 'failed'; readonly message: string }
