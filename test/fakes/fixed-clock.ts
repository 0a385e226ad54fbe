/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src/ports.ts'

export class FixedClock implements Clock {
  #ms: number

  constructor(start = '2026-01-02T03:04:05.000Z') {
    this.#ms = Date.parse(start)
  }

  now(): number {
    return this.#ms
  }

  advance(ms: number): void {
    this.#ms += ms
  }
}
