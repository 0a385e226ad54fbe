/**
 * A model that works each piece of a trajectory by a plan, from its beginning whenever the piece is begun anew, as a
 * resumed one does. It leaves out what the ledger says is done, unless it is forgetful; then it repeats its calls.
 */
import type { ChatMessage, ChatModel, ChatReply, ReplyOptions } from '../../src/ports.ts'
import { callTool, say } from './scripted-chat.ts'

/** A write; `text` becomes the content. An update reads first, for the version. */
export interface PlannedWrite {
  readonly action: 'created' | 'updated'
  readonly name: string
  readonly key: string
  readonly text: string
}

export interface AcknowledgedWrite {
  readonly path: string
  readonly version: string
  readonly status: string
}

export const PLANNED_TEXTS = { description: 'Mend what broke', 'when-to-use': 'When it breaks again' }

export class PlannedAgent implements ChatModel {
  readonly model = 'planned'
  readonly acknowledged: AcknowledgedWrite[] = []
  /** Codes of what it was told had failed. */
  readonly failures: string[] = []
  /** Of the piece of each request, from 1. */
  readonly askedPieces: number[] = []
  readonly #plan: readonly (readonly PlannedWrite[])[]
  readonly #isForgetful: boolean

  /** @param plan by piece */
  constructor(plan: readonly (readonly PlannedWrite[])[], { isForgetful = false } = {}) {
    this.#plan = plan
    this.#isForgetful = isForgetful
  }

  async reply(messages: readonly ChatMessage[], _: unknown, { beforeRequest }: ReplyOptions = {}): Promise<ChatReply> {
    const results = resultsIn(messages)
    const last = results.at(-1)
    if (messages.at(-1)?.role === 'tool' && last !== undefined) this.#note(last)
    beforeRequest?.()
    const opening = messages.find(({ role }) => role === 'user')?.content ?? ''
    const piece = Number(/, piece (\d+)/.exec(opening)?.[1])
    this.askedPieces.push(piece)
    const ledger = this.#isForgetful ? '' : (/What you already did[\s\S]*?Read these/.exec(opening)?.[0] ?? '')
    const done = ledger.split('\n')
    const calls = (this.#plan[piece - 1] ?? []).filter((write) => !takeOut(done, write)).flatMap(callsOf)
    return calls[results.length]?.(results.at(-1)) ?? say(`Done up to piece ${piece}.`)
  }

  #note({ path = '', version, status, code = '' }: ToolResult): void {
    if (status === 'failed') this.failures.push(code)
    else if (version !== undefined && status !== undefined) this.acknowledged.push({ path, version, status })
  }
}

/** Whether a line tells of the write; it is no other's then. */
function takeOut(lines: string[], { action, name }: PlannedWrite): boolean {
  const at = lines.findIndex((line) => line.startsWith(`- ${action} procedures/${name}.json`))
  if (at >= 0) lines.splice(at, 1)
  return at >= 0
}

/** What the plan looks at in the results of all tools. */
interface ToolResult {
  readonly path?: string
  readonly version?: string
  readonly status?: string
  readonly code?: string
}

function resultsIn(messages: readonly ChatMessage[]): readonly ToolResult[] {
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content) as ToolResult)
}

function callsOf({ action, name, key, text }: PlannedWrite): readonly ((before?: ToolResult) => ChatReply)[] {
  if (action === 'created') {
    const args = { filename: `${name}.json`, ...PLANNED_TEXTS, content: text, operation_key: key }
    return [() => callTool('procedure_create', args)]
  }
  const path = `procedures/${name}.json`
  return [
    () => callTool('procedure_read', { path }),
    (read) =>
      callTool('procedure_update', {
        path,
        expected_version: read?.version ?? '',
        content: text,
        operation_key: key,
      }),
  ]
}
