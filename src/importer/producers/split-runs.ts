/** Logs of runs that stand one behind the other. */
import type { Run } from './run.ts'
import type { RunBuilder } from './run-builder.ts'

/** Takes the records of one run in their order. */
export interface RunReader {
  readonly builder: RunBuilder
  add(record: unknown): void
  /** Once no record follows. */
  end?(): void
}

/** Begins another run at each record that starts one, unless the run so far is empty; at least one in all. */
export function runsSplitAt(
  records: readonly unknown[],
  isStart: (record: unknown) => boolean,
  open: () => RunReader,
): readonly Run[] {
  const runs: Run[] = []
  let reader = open()
  for (const record of records) {
    if (isStart(record) && !reader.builder.isEmpty) {
      runs.push(ended(reader))
      reader = open()
    }
    reader.add(record)
  }
  return reader.builder.isEmpty && runs.length > 0 ? runs : [...runs, ended(reader)]
}

function ended(reader: RunReader): Run {
  reader.end?.()
  return reader.builder.run()
}
