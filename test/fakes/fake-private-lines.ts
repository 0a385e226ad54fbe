/** The port `PrivateLines` in memory. */
import type { MemoryError } from '../../src/model/memory-error.ts'
import type { PrivateLines } from '../../src/ports/private-lines.ts'

export class FakePrivateLines implements PrivateLines {
  readonly files = new Map<string, readonly string[]>()
  /** What keeps every file from being read and written; null when nothing does. */
  fault: MemoryError | null = null

  read(path: string, linesMax: number): readonly string[] {
    if (this.fault !== null) throw this.fault
    return (this.files.get(path) ?? []).slice(-linesMax)
  }

  append(path: string, line: string, linesMax: number): void {
    if (this.fault !== null) throw this.fault
    this.files.set(path, [...(this.files.get(path) ?? []), line].slice(-linesMax))
  }
}
