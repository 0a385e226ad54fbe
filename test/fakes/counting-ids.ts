/** Ids `id000001`, `id000002`, …: sortable, and the same on every run. */
import type { Ids } from '../../src/ports.ts'

export class CountingIds implements Ids {
  #count: number

  /** @param start how many there were before */
  constructor(start = 0) {
    this.#count = start
  }

  next(): string {
    this.#count += 1
    return `id${String(this.#count).padStart(6, '0')}`
  }
}
