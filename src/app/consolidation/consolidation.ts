/** Makes knowledge of events that are ready for it, by a model or without one. */

import type { Consolidated } from '../../graph/consolidation.ts'
import { type Candidate, consolidationCandidates } from '../../graph/consolidation.ts'
import { chosenExtractor, type Extractor } from '../../importer/import-request.ts'
import type { Usage } from '../../importer/import-result.ts'
import type { Running } from '../../importer/running.ts'
import { type ErrorReport, reportOf } from '../../model/error-report.ts'
import { MemoryError } from '../../model/memory-error.ts'
import type { Tokenizer } from '../../ports.ts'
import type { Config } from '../config-schema.ts'
import type { Machine } from '../machine.ts'
import type { WorkspaceChat } from '../workspace-chat.ts'
import type { WorkspaceMemory } from '../workspace-memory.ts'
import { ConsolidationTask, type PassedOverEvent } from './task.ts'
import type { ModelAccess } from './with-model.ts'

export interface ConsolidateOptions {
  readonly min_importance: number
  /** How old events are at least. */
  readonly ageMs: number
  readonly apply: boolean
  readonly extractor: 'auto' | Extractor
  readonly max_requests?: number | undefined
  /** Whether events that were passed over before are read again. */
  readonly again: boolean
}

export interface ConsolidationSetup {
  readonly memory: WorkspaceMemory
  readonly chat: WorkspaceChat
  readonly openTokenizer: () => Promise<Tokenizer>
  readonly config: Config
  readonly machine: Pick<Machine, 'clock' | 'openDigest'>
}

export interface Consolidation {
  readonly status: 'complete' | 'incomplete'
  readonly extractor: Extractor
  /** As they were at the beginning. */
  readonly candidates: readonly Candidate[]
  readonly consolidated: readonly Consolidated[]
  readonly skipped: readonly PassedOverEvent[]
  /** Of which nothing was decided. */
  readonly open: readonly string[]
  readonly usage: Usage
  readonly error?: ErrorReport
}

/** With `apply` what was done of it, without what is to be done. */
export async function consolidation(
  options: ConsolidateOptions,
  setup: ConsolidationSetup,
  run: Running,
): Promise<Consolidation | Pick<Consolidation, 'candidates'>> {
  const { memory, machine } = setup
  const wouldWrite = options.apply && memory.file.isMade
  const { database } = wouldWrite ? await memory.writing() : await memory.reading({ ...run, seesProcedures: false })
  const choice = { minImportance: options.min_importance, beforeMs: machine.clock.now() - options.ageMs }
  const candidates = consolidationCandidates(database, choice)
  return options.apply ? consolidate(candidates, options, setup, run) : { candidates }
}

/** What is decided stands, whatever comes after it: run again, it goes on with what is open. */
async function consolidate(
  candidates: readonly Candidate[],
  { extractor: wanted, again, max_requests }: ConsolidateOptions,
  setup: ConsolidationSetup,
  run: Running,
): Promise<Consolidation> {
  const { whyNoModel } = setup.chat
  const extractor = chosenExtractor(wanted === 'auto' ? null : wanted, whyNoModel)
  if (wanted === 'auto' && whyNoModel !== null)
    run.say(`${whyNoModel}: consolidating offline, where events say the same`)
  const fresh = candidates.filter(({ passed_over }) => again || passed_over === null)
  const task = new ConsolidationTask(setup.memory, fresh, run)
  const error = await failureOf(async () => {
    if (task.open.length === 0) return
    if (extractor === 'offline') return (await import('./offline.ts')).consolidateOffline(task)
    const { consolidateWithModel } = await import('./with-model.ts')
    await consolidateWithModel(task, await modelAccess(setup, max_requests ?? null))
  })
  const open = task.open.map(({ memory_id }) => memory_id)
  const { consolidated, passedOver: skipped, usage } = task
  const status = error === null && open.length === 0 ? 'complete' : 'incomplete'
  const done = { status, extractor, candidates, consolidated, skipped, open, usage } as const
  return error === null ? done : { ...done, error }
}

async function modelAccess(
  { chat, openTokenizer, config, machine }: ConsolidationSetup,
  maxRequests: number | null,
): Promise<ModelAccess> {
  return {
    chat: await chat.open(),
    tokenizer: await openTokenizer(),
    digest: await machine.openDigest(),
    clock: machine.clock,
    limits: config.token_limits,
    bounds: config.extraction,
    timeoutMs: config.llm.segment_timeout_ms,
    maxRequests,
  }
}

/** Null when it came to its end. What nothing was done for is thrown on. */
async function failureOf(work: () => Promise<void>): Promise<ErrorReport | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof MemoryError) || !error.resumable) throw error
    return reportOf(error)
  }
}
