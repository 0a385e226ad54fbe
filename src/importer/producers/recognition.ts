/** Which producer wrote a log. The first that recognises its own content reads it. */
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { githubActions } from './github-actions.ts'
import { parseRecords } from './json-records.ts'
import { miniSweAgent } from './mini-swe-agent.ts'
import { openaiChat } from './openai-chat.ts'
import { openhands } from './openhands.ts'
import type { LogFormat, Producer } from './producer.ts'
import type { Run } from './run.ts'
import { shellTranscript } from './shell-transcript.ts'
import { sweAgent } from './swe-agent.ts'

// From the most to the least particular: a shell prompt may stand in any text.
const PRODUCERS: readonly Producer[] = [
  claudeCode,
  codex,
  geminiCli,
  sweAgent,
  openhands,
  miniSweAgent,
  openaiChat,
  githubActions,
  shellTranscript,
]

/** Whose logs are read, for people. */
export const PRODUCER_TITLES: readonly string[] = PRODUCERS.map(({ title }) => title)

export interface Reading {
  /** Null when nobody recognised the log; then there are no runs. */
  readonly producer: string | null
  /** JSON values in the log, 0 for plain text. */
  readonly recordCount: number
  readonly runs: readonly Run[]
}

/** Never throws. @param input.text the whole decoded log */
export function readRuns(input: { readonly text: string; readonly format: LogFormat }): Reading {
  const records = parseRecords(input.text, input.format)
  for (const producer of PRODUCERS) {
    const runs = producer.read({ ...input, records })
    if (runs !== null) return { producer: producer.name, recordCount: records.length, runs }
  }
  return { producer: null, recordCount: records.length, runs: [] }
}
