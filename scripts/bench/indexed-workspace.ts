/** A workspace with the indexes of both sides in step with its files. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type EmbedderChoice, KEYWORDS_ALONE } from './embedder-choice.ts'
import { cleanEnvironment } from './interleaved-runs.ts'
import type { QuestionOptions } from './question-options.ts'
import { type SyntheticWorkspace, settle } from './synthetic-workspace.ts'

/** @returns the path of the peer's database */
export function buildFts5(program: string, options: QuestionOptions, workspace: SyntheticWorkspace): string {
  const database = join(options.data, `fts5-${workspace.root.split(/[/\\]/).at(-1)}.db`)
  run(program, ['build', database, workspace.procedures])
  return database
}

/**
 * Lets the product build what it keeps, and that grow older than the product would distrust.
 */
export function prepareIndex(binary: string, root: string, embedder = KEYWORDS_ALONE): void {
  run(binary, ['reindex', '--json', '--workspace', root, ...embedder.options], embedder.environment)
  settle()
}

export function run(program: string, args: readonly string[], environment?: EmbedderChoice['environment']): void {
  const env = cleanEnvironment(environment)
  const { status, error, stderr } = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr}`, { cause: error })
}

interface SearchOutput {
  readonly mode?: string
  readonly notice?: string
  readonly results: readonly { readonly path: string; readonly experience: { readonly content: string } }[]
}

/** What is wrong with a printed answer, or null. */
export function hitsFault(stdout: string): string | null {
  const { results } = JSON.parse(stdout) as SearchOutput
  return results.length > 0 && results.every(({ experience }) => experience.content !== '') ? null : 'it found nothing'
}

/** The same for an answer that vectors must have a part in. */
export function hybridFault(stdout: string): string | null {
  const { mode, notice } = JSON.parse(stdout) as SearchOutput
  if (mode !== 'hybrid' || notice !== undefined) return `its mode is ${mode}, its notice ${notice}`
  return hitsFault(stdout)
}

export function firstHit(stdout: string): string {
  return (JSON.parse(stdout) as SearchOutput).results[0]?.path ?? 'nothing'
}
