/** A process that shows one view, and keeps its vectors in a cache of its own over the shelf that it is given. */
import type { Kernel } from '../../src/ports.ts'
import type { PackRow } from '../../src/search/pack-format.ts'
import { VectorCache } from '../../src/search/vector-cache.ts'
import type { VectorShelf } from '../../src/search/vector-shelf.ts'
import { type KeyedTexts, type VectorCandidate, ViewVectors } from '../../src/search/view-vectors.ts'

export class ViewProcess implements Disposable {
  readonly cache: VectorCache
  readonly view: ViewVectors

  constructor(shelf: VectorShelf, kernel: Kernel) {
    this.cache = new VectorCache(shelf)
    this.view = new ViewVectors(this.cache, kernel)
  }

  get owed(): readonly number[] {
    return this.view.owed
  }

  get count(): number {
    return this.view.count
  }

  get width(): number | null {
    return this.cache.width
  }

  get isAnothers(): boolean {
    return this.cache.isAnothers
  }

  get isStored(): boolean {
    return this.cache.isStored
  }

  show(texts: KeyedTexts): void {
    this.cache.takeIn()
    this.view.show(texts)
    this.cache.closeReplaced(() => this.view.packs)
  }

  add(rows: readonly PackRow[]): void {
    this.cache.add(rows)
  }

  useWidth(width: number): void {
    this.cache.useWidth(width)
  }

  dropDamaged(): void {
    this.cache.dropDamaged()
  }

  compact(): void {
    this.cache.compact([this.view.keys()])
  }

  nearest(query: Float32Array, limit: number): readonly VectorCandidate[] {
    return this.view.nearest(query, limit)
  }

  [Symbol.dispose](): void {
    this.view[Symbol.dispose]()
    this.cache[Symbol.dispose]()
  }
}
