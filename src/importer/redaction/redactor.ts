/**
 * Masks secrets on their way out, by kind and number: `[secret:github-token:1]`. The same value has the same mask
 * everywhere in one import. Secrets are found on a whole text before it is cut; offsets stay those of that text.
 */
import { invariant } from '../../model/memory-error.ts'
import { anchoredSecrets } from './anchored-secrets.ts'
import { KnownValues, type Span } from './known-values.ts'
import { type Mask, type MaskedSpan, MaskedText } from './masked-text.ts'
import type { Secret, SecretKind } from './secret.ts'
import { assignedSecrets } from './secret-assignments.ts'
import { discordSecrets } from './secret-tokens.ts'
import { isDistinctive } from './secret-value.ts'

const MASK = /\[secret:[a-z-]+:\d+\]/g

/** By shape and by assignment; in order, without overlaps. Offsets in UTF-16 units. */
export function findSecrets(text: string): readonly Secret[] {
  return withoutOverlaps([...anchoredSecrets(text), ...discordSecrets(text), ...assignedSecrets(text)], union)
}

const BY_PLACE: ReadonlySet<SecretKind> = new Set(['secret', 'password', 'authorization', 'url-password'])

function isShaped({ kind }: Secret): boolean {
  return !BY_PLACE.has(kind)
}

/** Both ranges under the kind of the shape. A shape knows its end better than the name it was given to. */
function union(a: Secret, b: Secret): Secret {
  const shaped = isShaped(a) ? a : b
  if (a.start === b.start && isShaped(a) !== isShaped(b)) return shaped
  return { ...cover(a, b), kind: shaped.kind }
}

/** From the start of the first to the end of either. */
function cover<S extends Span>(first: S, second: Span): S {
  return { ...first, end: Math.max(first.end, second.end) }
}

/** @returns them in order, those that overlap joined into one; `join` gets the one that starts first as `a` */
function withoutOverlaps<S extends Span>(spans: readonly S[], join: (a: S, b: S) => S): readonly S[] {
  const merged: S[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else merged[merged.length - 1] = join(last, span)
  }
  return merged
}

/** One import's memory of what is secret. */
export class Redactor {
  #masks = new Map<string, Mask>()
  #counts = new Map<SecretKind, number>()
  #known = new KnownValues()

  /** Finds the secrets of a whole trajectory, to be cut afterwards; from here on they are known in every other text. */
  learn(text: string): MaskedText {
    return new MaskedText(text, this.#spansOf(text))
  }

  /** Any other text (summary, reply, tool result) with what is known and what looks secret masked. */
  mask(text: string): string {
    return this.learn(text).whole()
  }

  /** Whether the text holds a known secret or one by its looks. A mask is none. */
  contains(text: string): boolean {
    const bare = text.replace(MASK, '[secret]')
    return this.#known.find(bare).length > 0 || findSecrets(bare).length > 0
  }

  /** New values are learnt before known ones are looked for: a password may stand bare before its assignment. */
  #spansOf(text: string): readonly MaskedSpan[] {
    const found = findSecrets(text).map((secret) => ({ ...secret, ...this.#maskOf(secret.kind, text, secret) }))
    const known = this.#known.find(text).map((span) => {
      const mask = this.#masks.get(text.slice(span.start, span.end))
      invariant(mask !== undefined, 'a known value has a mask')
      return { ...span, ...mask }
    })
    // Where they overlap, the mask of the one that starts first stands for both.
    return withoutOverlaps([...found, ...known], cover)
  }

  #maskOf(kind: SecretKind, text: string, span: Span): Mask {
    const value = comparable(kind, text.slice(span.start, span.end))
    const existing = this.#masks.get(value)
    if (existing !== undefined) return existing
    const number = (this.#counts.get(kind) ?? 0) + 1
    const mask = { kind, mask: `[secret:${kind}:${number}]` }
    this.#counts.set(kind, number)
    this.#masks.set(value, mask)
    if (isDistinctive(value)) this.#known.add(value)
    return mask
  }
}

/** A key is the same with its line ends escaped, indented or gone. */
function comparable(kind: SecretKind, value: string): string {
  return kind === 'private-key' ? value.replace(/\\+[nrt]|\s/g, '') : value
}

/** A text by itself, without what others have taught of values. */
export function maskedAlone(text: string): string {
  return new Redactor().mask(text)
}
