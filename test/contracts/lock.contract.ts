/** What every `Lock` promises within one process. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Lock } from '../../src/ports.ts'

export interface LockHarness {
  /** Two independent users of the same lock. */
  readonly first: Lock
  readonly second: Lock
  readonly path: string
  cleanUp(): void
}

export function lockContract(name: string, open: () => LockHarness): void {
  describe(`Lock: ${name}`, () => {
    let harness: LockHarness
    beforeEach(() => {
      harness = open()
    })
    afterEach(() => harness.cleanUp())

    test('a second one gets null while the first holds it', () => {
      using held = harness.first.acquire(harness.path)
      expect(held).not.toBeNull()
      expect(harness.second.acquire(harness.path)).toBeNull()
      expect(harness.first.acquire(harness.path)).toBeNull()
    })

    test('given back, it can be taken again', () => {
      harness.first.acquire(harness.path)?.[Symbol.dispose]()
      using held = harness.second.acquire(harness.path)
      expect(held).not.toBeNull()
    })

    test('giving it back twice does not take it from the next holder', () => {
      const first = harness.first.acquire(harness.path)
      first?.[Symbol.dispose]()
      using held = harness.second.acquire(harness.path)
      first?.[Symbol.dispose]()
      expect(held).not.toBeNull()
      expect(harness.first.acquire(harness.path)).toBeNull()
    })

    test('locks on other paths are free', () => {
      using _held = harness.first.acquire(harness.path)
      using other = harness.second.acquire(`${harness.path}-2`)
      expect(other).not.toBeNull()
    })
  })
}
