/** Logs of JSON, written down as records and read as an import would read them. */
import { readRuns } from '../../src/importer/producers/recognition.ts'

/** One record a line. */
export const readLines = (...records: readonly unknown[]) =>
  readRuns({ text: records.map((record) => JSON.stringify(record)).join('\n'), format: 'jsonl' })

/** One value over many lines. */
export const readValue = (value: unknown) => readRuns({ text: JSON.stringify(value, null, 2), format: 'json' })
