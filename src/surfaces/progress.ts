/** Signs of life on stderr while long work runs: a line that is drawn anew on a terminal, one line a step elsewhere. */
import type { ImportProgress, ImportWaiting } from '../importer/running.ts'
import { counted } from '../model/counted.ts'
import type { Clock } from '../ports.ts'
import type { EmbeddingProgress } from '../search/supply-progress.ts'
import { shownSafely } from './terminal-text.ts'

type Step = ImportProgress | ImportWaiting | EmbeddingProgress

const BAR_CELLS = 20
/** What a narrow terminal holds without a second line, which could not be drawn anew. */
const LINE_UNITS_MAX = 59
const CLEARED = '\r\u001b[K'
/** Earlier the rest cannot be told from what has been done. */
const ESTIMATE_AFTER_MS = 5_000

export interface ProgressOptions {
  readonly write: (text: string) => void
  /** Whether lines can be drawn anew. */
  readonly isDrawn: boolean
  readonly clock: Clock
}

export class ProgressMeter {
  readonly #options: ProgressOptions
  /** Of which work the beginning is known: the import's id, or that of embedding. */
  #work = ''
  #startMs = 0
  #startShare = 0
  #isShown = false

  constructor(options: ProgressOptions) {
    this.#options = options
  }

  show(step: Step): void {
    const { write, isDrawn } = this.#options
    // Where lines stay, one a segment is enough; the first tells that the work has begun.
    if (!isDrawn && 'waitsFor' in step && step.requestId === this.#work) return
    const left = this.#timeLeft(step)
    if (!isDrawn) {
      write(`knowhow: ${shownSafely(progressLine(step, left))}\n`)
      return
    }
    this.clear()
    write(shownSafely(drawnLine(step, left)).slice(0, LINE_UNITS_MAX))
    this.#isShown = true
  }

  /** Before anything else is written. */
  clear(): void {
    if (this.#isShown) this.#options.write(CLEARED)
    this.#isShown = false
  }

  /** Milliseconds; null while it cannot be told. */
  #timeLeft(step: Step): number | null {
    const now = this.#options.clock.now()
    const work = 'textsOwed' in step ? 'embedding' : step.requestId
    const share = shareOf(step)
    if (work !== this.#work) {
      this.#work = work
      this.#startMs = now
      this.#startShare = share
      return null
    }
    const done = share - this.#startShare
    const passedMs = now - this.#startMs
    return passedMs < ESTIMATE_AFTER_MS || done <= 0 || share >= 1 ? null : (passedMs / done) * (1 - share)
  }
}

function shareOf(step: Step): number {
  if (!('textsOwed' in step)) return step.share
  return step.textsOwed === 0 ? 1 : step.textsDone / step.textsOwed
}

/** @param leftMs of the whole work; null while it cannot be told */
export function progressLine(step: Step, leftMs: number | null): string {
  const left = leftMs === null ? '' : `; ${timeWords(leftMs)} left`
  if ('textsOwed' in step) return `${embeddingLine(step)}${left}`
  if ('waitsFor' in step) return `import ${step.requestId}: segment ${step.segmentNumber}, ${waitingWords(step)}`
  const of = step.segmentCount === null ? `, ${percent(step.share)} of the log` : ` of ${step.segmentCount}`
  const segment = `import ${step.requestId}: segment ${step.segmentNumber}${of}`
  const tokens = `${step.tokens.toLocaleString('en')} tokens`
  // Without a model there are no calls to count, and nothing is written until the whole log is read.
  if (step.requests === 0) return `${segment} read, ${tokens}${left}`
  const made = `${counted(step.requests, 'model call')}, ${counted(step.experiences, 'write')}`
  return `${segment} done, ${tokens}, ${made}${left}`
}

function embeddingLine({ textsDone, textsOwed }: EmbeddingProgress): string {
  return `embedding: ${textsDone.toLocaleString('en')} of ${textsOwed.toLocaleString('en')} texts`
}

function drawnLine(step: Step, leftMs: number | null): string {
  const share = shareOf(step)
  const full = Math.round(BAR_CELLS * share)
  const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}] ${percent(share)}`
  const left = leftMs === null ? '' : `, ${timeWords(leftMs)} left`
  if ('textsOwed' in step) return `${bar} embedding${left}`
  if ('waitsFor' in step) return `${bar} segment ${step.segmentNumber}${left}, ${waitingWords(step)}`
  const made = step.requests === 0 ? '' : `, ${counted(step.requests, 'call')}`
  return `${bar} segment ${step.segmentNumber}${made}${left}`
}

function waitingWords({ waitsFor, requests }: ImportWaiting): string {
  return waitsFor === 'evidence' ? 'seeking evidence' : `call ${requests} of ${waitsFor.model}`
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`
}

function timeWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
