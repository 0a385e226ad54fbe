/** A text whose secrets were found on the whole of it, shown in pieces. Offsets are those of the unmasked text. */
import { invariant } from '../../model/memory-error.ts'
import type { Span } from './known-values.ts'
import type { SecretKind } from './secret.ts'

/** What stands for a secret. */
export interface Mask {
  readonly kind: SecretKind
  readonly mask: string
}

export interface MaskedSpan extends Span, Mask {}

export class MaskedText {
  readonly #text: string
  readonly #spans: readonly MaskedSpan[]

  /** @param spans in order, without overlaps; none shows the text as it is */
  constructor(text: string, spans: readonly MaskedSpan[] = []) {
    this.#text = text
    this.#spans = spans
  }

  /** In order, without overlaps. */
  get spans(): readonly MaskedSpan[] {
    return this.#spans
  }

  get length(): number {
    return this.#text.length
  }

  whole(): string {
    return this.slice(0, this.length)
  }

  /** From `start` to `end` (exclusive), masks in place of every secret that lies in it even in part. */
  slice(start: number, end: number): string {
    invariant(start >= 0 && start <= end && end <= this.#text.length, `no slice ${start}..${end}`)
    let masked = ''
    let at = start
    for (let index = this.#firstAfter(start); index < this.#spans.length; index += 1) {
      const span = this.#spans[index]
      if (span === undefined || span.start >= end) break
      masked += this.#text.slice(at, Math.max(at, span.start)) + span.mask
      at = Math.min(end, span.end)
    }
    return masked + this.#text.slice(at, end)
  }

  /** Index of the first span that ends after `offset`. */
  #firstAfter(offset: number): number {
    let low = 0
    let high = this.#spans.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#spans[middle]?.end ?? 0) > offset) high = middle
      else low = middle + 1
    }
    return low
  }
}
