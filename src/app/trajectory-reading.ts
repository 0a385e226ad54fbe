/** Parts of originals, as they are shown. */
import { decodeText } from '../importer/intake/decoding.ts'
import { type CodePointRange, excerptOf } from '../importer/intake/trajectory-excerpt.ts'
import { MaskedText } from '../importer/redaction/masked-text.ts'
import { Redactor } from '../importer/redaction/redactor.ts'
import type { Tokenizer } from '../ports.ts'
import { nameDirectlyIn } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { readTrajectory } from '../workspace/trajectory-shelf.ts'
import type { Machine } from './machine.ts'

/** What masks an original: that of a run, one for the original alone, or none: null shows it as it is. */
export type Masking = Redactor | 'alone' | null

export interface TrajectoryReading {
  readonly range: CodePointRange
  readonly masking: Masking
  readonly openTokenizer: () => Promise<Tokenizer>
  readonly tokensMax: number
}

interface ShownOriginal {
  readonly text: string
  readonly shown: MaskedText
}

export class TrajectoryReader {
  readonly #files: Machine['files']
  readonly #layout: Layout
  /** The latest that was masked alone: its pages are asked for one after another, and to mask it takes a second. */
  #last: (ShownOriginal & { readonly signature: string }) | null = null

  constructor({ files }: Pick<Machine, 'files'>, layout: Layout) {
    this.#files = files
    this.#layout = layout
  }

  /** Throws `path_outside`, `not_found`, `tokenizer_unavailable`. */
  async excerpt(path: string, { range, masking, openTokenizer, tokensMax }: TrajectoryReading) {
    const { text, shown } = masking === 'alone' ? this.#maskedAlone(path) : this.#maskedBy(path, masking)
    const render = (start: number, end: number) => shown.slice(start, end)
    const tokenizer = await openTokenizer()
    return { path, kind: 'trajectory' as const, ...excerptOf(text, range, render, tokenizer, tokensMax) }
  }

  #maskedBy(path: string, redactor: Redactor | null): ShownOriginal {
    const { text } = decodeText(readTrajectory({ files: this.#files }, this.#layout, path))
    return { text, shown: redactor?.learn(text) ?? new MaskedText(text) }
  }

  #maskedAlone(path: string): ShownOriginal {
    nameDirectlyIn(this.#files, this.#layout, this.#layout.trajectories, path)
    // Looked at before it is read: what changes in between is seen the next time.
    const stat = this.#files.stat(inWorkspace(this.#layout, path))
    const signature = JSON.stringify([path, stat?.kind, stat?.bytes, stat?.mtimeMs, stat?.ctimeMs, stat?.inode])
    if (this.#last?.signature === signature) return this.#last
    this.#last = null
    this.#last = { ...this.#maskedBy(path, new Redactor()), signature }
    return this.#last
  }
}
