/** The memories of a workspace as a searched collection, kept open from one question to the next. */
import { modelName } from '../graph/embedding.ts'
import { MemoryDocuments } from '../graph/memory-documents.ts'
import type { PackedMemories } from '../graph/packed-likeness.ts'
import type { Database } from '../ports.ts'
import { NumberedDocuments } from '../search/numbered-documents.ts'
import { NumberedVectors } from '../search/numbered-vectors.ts'
import type { VectorLegOptions } from '../search/vector-leg.ts'
import type { Layout } from '../workspace/layout.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'

export interface CollectionSetup {
  readonly ports: WorkspacePorts
  readonly layout: Layout
  /** Null without an embedder, and for one that cannot be used. */
  readonly embedder: VectorLegOptions | null
}

export class MemoryCollection implements Disposable {
  readonly #setup: CollectionSetup
  #opened: (PackedMemories & { readonly database: Database }) | null = null
  /** Of databases opened before. Whoever runs beside may be about to ask one, so they are closed at the end. */
  readonly #retired: PackedMemories[] = []

  constructor(setup: CollectionSetup) {
    this.#setup = setup
  }

  isOpenOn(database: Database): boolean {
    return this.#opened?.database === database
  }

  /** As it was at the last refresh. Of another file than before another one. */
  on(database: Database): PackedMemories {
    if (this.#opened?.database === database) return this.#opened
    if (this.#opened !== null) this.#retired.push(this.#opened)
    const { ports, layout, embedder } = this.#setup
    const documents = new MemoryDocuments(database)
    const search = new NumberedDocuments(ports, { ...layout, index: `${layout.index}/memory` }, documents)
    const model = embedder === null ? null : modelName(embedder.embedder.key)
    const vectors =
      embedder === null || model === null
        ? null
        : new NumberedVectors(ports, layout, embedder, documents.keptVectors(model))
    if (vectors !== null) search.useVectors(vectors)
    this.#opened = { database, documents, search, vectors, model }
    return this.#opened
  }

  /** What is asked next is opened anew. */
  close(): void {
    for (const { search } of [...this.#retired.splice(0), ...(this.#opened === null ? [] : [this.#opened])])
      search[Symbol.dispose]()
    this.#opened = null
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
