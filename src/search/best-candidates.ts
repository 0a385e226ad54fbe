/** Keeps the best of many candidates without sorting the rest: a heap whose root is the worst that is kept. */

export interface Candidate {
  readonly path: string
  readonly score: number
}

/** Higher scores first, ties by path in code unit order. */
export function byScoreThenPath(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

export class BestCandidates<Kept extends Candidate> {
  readonly #limit: number
  readonly #heap: Kept[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A candidate with a lower score is not worth making. */
  get scoreMin(): number {
    const worst = this.#heap[0]
    return worst === undefined || this.#heap.length < this.#limit ? Number.NEGATIVE_INFINITY : worst.score
  }

  add(candidate: Kept): void {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push(candidate)
      this.#rise(heap.length - 1)
      return
    }
    const worst = heap[0]
    if (worst === undefined || byScoreThenPath(candidate, worst) >= 0) return
    heap[0] = candidate
    this.#sink()
  }

  /** Best first. */
  sorted(): readonly Kept[] {
    return [...this.#heap].sort(byScoreThenPath)
  }

  #rise(start: number): void {
    for (let at = start; at > 0; at = (at - 1) >> 1) if (!this.#swapIfWorse(at, (at - 1) >> 1)) return
  }

  #sink(): void {
    let at = 0
    for (;;) {
      const left = this.#heap[2 * at + 1]
      const right = this.#heap[2 * at + 2]
      if (left === undefined) return
      const child = right !== undefined && byScoreThenPath(right, left) > 0 ? 2 * at + 2 : 2 * at + 1
      if (!this.#swapIfWorse(child, at)) return
      at = child
    }
  }

  #swapIfWorse(child: number, parent: number): boolean {
    const lower = this.#heap[child]
    const upper = this.#heap[parent]
    if (lower === undefined || upper === undefined || byScoreThenPath(lower, upper) <= 0) return false
    this.#heap[child] = upper
    this.#heap[parent] = lower
    return true
  }
}
