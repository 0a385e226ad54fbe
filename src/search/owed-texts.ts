/** The texts of both views that have no vector yet. Asks nobody for one. */
import type { ViewName } from '../model/experience.ts'
import { invariant } from '../model/memory-error.ts'
import type { Digest } from '../ports.ts'
import type { TextEmbedder, WantedText } from './text-embedder.ts'
import { keyAt, keyHex, textKey } from './text-key.ts'
import type { ViewVectors } from './view-vectors.ts'

/** The documents of both views by slot. */
export interface IndexedTexts {
  /** No two documents share one. */
  pathOf(slot: number): string
  /** KEY_BYTES by slot, see `textKey`; zeros when the document does not count. */
  textKeys(view: ViewName): Uint8Array
  /** Null when the file has changed since. */
  textOf(view: ViewName, slot: number): string | null
}

export class OwedTexts {
  readonly #digest: Digest
  readonly #embedder: TextEmbedder
  readonly #views: ReadonlyMap<ViewName, ViewVectors>
  #texts: IndexedTexts | null = null

  constructor(digest: Digest, embedder: TextEmbedder, views: ReadonlyMap<ViewName, ViewVectors>) {
    this.#digest = digest
    this.#embedder = embedder
    this.#views = views
  }

  /** From here on the views have these texts. */
  show(texts: IndexedTexts): void {
    this.#texts = texts
  }

  /** How many there are, each counted once. */
  get count(): number {
    const owed = new Set<string>()
    for (const vectors of this.#views.values())
      for (const slot of vectors.owed) owed.add(keyHex(keyAt(vectors.keys(), slot)))
    return owed.size
  }

  /** Texts that are owed, each once. @param unitsMax longer ones are passed over */
  wanted(views: readonly ViewName[], countMax: number, unitsMax = Number.POSITIVE_INFINITY): readonly WantedText[] {
    const wanted = new Map<string, WantedText>()
    for (const view of views)
      for (const slot of this.#views.get(view)?.owed ?? []) {
        if (wanted.size === countMax) break
        const one = this.#wantedAt(view, slot)
        if (one !== null && one.text.length <= unitsMax) wanted.set(keyHex(one.key), one)
      }
    return [...wanted.values()]
  }

  /** Null while somebody asks for it, and when the file is no longer what is shown. */
  #wantedAt(view: ViewName, slot: number): WantedText | null {
    const texts = this.#texts
    invariant(texts !== null, 'a search follows a show')
    const text = texts.textOf(view, slot)
    if (text === null) return null
    const key = textKey(this.#digest, text)
    const expected = keyAt(texts.textKeys(view), slot)
    // A vector under another key than the document's would leave it owed for ever.
    return this.#embedder.isAsked(key) || keyHex(key) !== keyHex(expected) ? null : { key, text }
  }
}
