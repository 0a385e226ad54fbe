/** Which producer wrote a log. The first that recognises its own content reads it. */
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { githubActions } from './github-actions.ts'
import { parseRecords } from './json-records.ts'
import { miniSweAgent } from './mini-swe-agent.ts'
import { openaiChat } from './openai-chat.ts'
import { openhands } from './openhands.ts'
import type { LogInput, Producer, ProducerInput } from './producer.ts'
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

/** Never throws. */
export function readRuns(input: LogInput): Reading {
  const whole = withRecords(input)
  const producer = producerOf(whole)
  return { producer: producer?.name ?? null, recordCount: whole.records.length, runs: producer?.read(whole) ?? [] }
}

/** See `Producer.recordShape`; null when nobody recognises the log. Never throws. @param input.text the whole decoded log */
export function recordShapeOf(input: LogInput): string | null {
  return producerOf(withRecords(input))?.recordShape.trim() ?? null
}

function withRecords(input: LogInput): ProducerInput {
  return { ...input, records: parseRecords(input.text, input.format) }
}

function producerOf(input: ProducerInput): Producer | null {
  return PRODUCERS.find((producer) => producer.recognises(input)) ?? null
}
