/** Ids `id000001`, `id000002`, …: sortable, and the same on every run. */
import type { Ids } from '../../src/ports.ts'

export class CountingIds implements Ids {
  #count = 0

  next(): string {
    this.#count += 1
    return `id${String(this.#count).padStart(6, '0')}`
  }
}
