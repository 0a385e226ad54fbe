/** A log of a request as another run, or someone else, might have written it: other lines under sums that hold. */
import type { Files } from '../../src/ports.ts'
import { LogWriter } from '../../src/workspace/record-log.ts'
import { digest } from './digest.ts'

export type LogLine = Record<string, unknown>

/** @param to where the changed log goes; its own place when not given */
export function rewriteLog(
  files: Files,
  path: string,
  change: (lines: LogLine[]) => readonly LogLine[],
  to = path,
): void {
  const text = new TextDecoder().decode(files.read(path) ?? new Uint8Array())
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line): LogLine => JSON.parse(line))
  for (const line of lines) delete line.sum
  const [first = {}, ...records] = change(lines)
  const { format, version, ...heading } = first
  files.remove(to)
  const layout = { name: String(format), version: Number(version) }
  using log = LogWriter.open({ files, digest, path: to, format: layout, heading, before: null })
  for (const record of records) log.append(record)
}
