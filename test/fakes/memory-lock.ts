/** A lock held in memory: one holder a path within one instance. */
import type { Lock } from '../../src/ports.ts'

export class MemoryLock implements Lock {
  #held = new Set<string>()
  /** What other processes do meanwhile. */
  duringPause: () => void = () => {}
  readonly pauses: number[] = []
  readonly ended = new Set<number>()

  acquire(path: string): Disposable | null {
    if (this.#held.has(path)) return null
    this.#held.add(path)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#held.delete(path)
        isHeld = false
      },
    }
  }

  isRunning(pid: number): boolean {
    return !this.ended.has(pid)
  }

  pause(ms: number): void {
    this.pauses.push(ms)
    this.duringPause()
  }

  isHeld(path: string): boolean {
    return this.#held.has(path)
  }
}
