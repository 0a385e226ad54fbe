/** The largest of many numbers, in a heap whose root is the smallest kept. Knows no owners of the numbers. */

export class LargestScores {
  readonly #limit: number
  readonly #heap: number[] = []

  /** @param limit above 0 */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The `limit`-th largest so far; -Infinity while there are fewer. */
  get least(): number {
    return this.#heap.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#heap[0] ?? Number.NEGATIVE_INFINITY)
  }

  add(score: number): void {
    if (this.#heap.length < this.#limit) this.#rise(this.#heap.push(score) - 1)
    else if (score > this.least) this.#replaceRoot(score)
  }

  #rise(start: number): void {
    const heap = this.#heap
    const score = heap[start] ?? 0
    let at = start
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] ?? 0
      if (above <= score) break
      heap[at] = above
      at = parent
    }
    heap[at] = score
  }

  #replaceRoot(score: number): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      const left = heap[2 * at + 1] ?? Number.POSITIVE_INFINITY
      const right = heap[2 * at + 2] ?? Number.POSITIVE_INFINITY
      const least = Math.min(left, right)
      if (score <= least) break
      heap[at] = least
      at = 2 * at + (left <= right ? 1 : 2)
    }
    heap[at] = score
  }
}
