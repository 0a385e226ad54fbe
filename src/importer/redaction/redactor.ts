/**
 * Masks secrets on their way out, by kind and number: `[secret:github-token:1]`. The same value has the same mask
 * everywhere in one import. Secrets are found on a whole text before it is cut; offsets stay those of that text.
 */
import { invariant } from '../../model/memory-error.ts'
import { anchoredSecrets } from './anchored-secrets.ts'
import { type EscapedPart, escapedParts, unescaped } from './escaped-text.ts'
import { KnownValues, type Span } from './known-values.ts'
import { type Mask, type MaskedSpan, MaskedText } from './masked-text.ts'
import type { Secret, SecretKind } from './secret.ts'
import { assignedSecrets } from './secret-assignments.ts'
import { discordSecrets } from './secret-tokens.ts'
import { isDistinctive } from './secret-value.ts'

const MASK = /\[secret:[a-z-]+:\d+\]/g

/** By shape and by assignment, behind escapes too; in order, without overlaps. Offsets in UTF-16 units. */
export function findSecrets(text: string): readonly Secret[] {
  return secretsOf(text, escapedParts(text))
}

/** Both as it is written and as it reads: an escape may hide what a secret is known by, or be what it is known by. */
function secretsOf(text: string, parts: readonly EscapedPart[]): readonly Secret[] {
  const behindEscapes = parts.flatMap((part) =>
    plainSecrets(part.text).map((secret): Secret => ({ ...secret, ...part.written(secret) })),
  )
  return withoutOverlaps([...plainSecrets(text), ...behindEscapes], union)
}

/** In no order; they may overlap. */
function plainSecrets(text: string): readonly Secret[] {
  return [...anchoredSecrets(text), ...discordSecrets(text), ...assignedSecrets(text)]
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
    const parts = escapedParts(bare)
    const readings = [bare, ...parts.map((part) => part.text)]
    return readings.some((one) => this.#known.find(one).length > 0) || secretsOf(bare, parts).length > 0
  }

  /** New values are learnt before known ones are looked for: a password may stand bare before its assignment. */
  #spansOf(text: string): readonly MaskedSpan[] {
    const parts = escapedParts(text)
    const found = secretsOf(text, parts).map((secret) => ({ ...secret, ...this.#maskOf(secret.kind, text, secret) }))
    const knownBehindEscapes = parts.flatMap((part) =>
      this.#knownIn(part.text).map((span) => ({ ...span, ...part.written(span) })),
    )
    // Where they overlap, the mask of the one that starts first stands for both.
    return withoutOverlaps([...found, ...this.#knownIn(text), ...knownBehindEscapes], cover)
  }

  #knownIn(text: string): readonly MaskedSpan[] {
    return this.#known.find(text).map((span) => {
      const mask = this.#masks.get(text.slice(span.start, span.end))
      invariant(mask !== undefined, 'a known value has a mask')
      return { ...span, ...mask }
    })
  }

  #maskOf(kind: SecretKind, text: string, span: Span): Mask {
    const written = text.slice(span.start, span.end)
    const value = comparable(kind, written)
    const mask = this.#masks.get(value) ?? this.#nextMask(kind)
    // Known in both forms: other texts may show it decoded or as it is written here.
    for (const form of new Set([value, written])) {
      if (this.#masks.has(form)) continue
      this.#masks.set(form, mask)
      if (isDistinctive(form)) this.#known.add(form)
    }
    return mask
  }

  #nextMask(kind: SecretKind): Mask {
    const number = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, number)
    return { kind, mask: `[secret:${kind}:${number}]` }
  }
}

/** A secret is the same with its letters escaped, a key also with its line ends escaped, indented or gone. */
function comparable(kind: SecretKind, written: string): string {
  const value = unescaped(written)
  return kind === 'private-key' ? value.replace(/\\+[nrt]|\s/g, '') : value
}

/** A text by itself, without what others have taught of values. */
export function maskedAlone(text: string): string {
  return new Redactor().mask(text)
}
