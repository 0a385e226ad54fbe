/** What a log holds, in numbers. */
import type { Reading } from '../producers/recognition.ts'
import type { Findings } from './fixes.ts'

export interface ExtractionStats {
  readonly records: number
  readonly turns: number
  /** Tool calls and shell commands. */
  readonly tools: number
  readonly failures: number
  readonly fixes: number
}

export function statsOf({ recordCount, runs }: Reading, findings: Findings): ExtractionStats {
  return {
    records: recordCount,
    turns: runs.reduce((sum, { turns }) => sum + turns, 0),
    tools: findings.stepCount,
    failures: findings.failureCount,
    fixes: findings.fixes.length,
  }
}
