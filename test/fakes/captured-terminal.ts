/** One command with a terminal that keeps what it is told. */
import type { Machine } from '../../src/app/machine.ts'
import { runCommand } from '../../src/surfaces/cli.ts'
import { FakeConversation } from './fake-conversation.ts'

export interface Told {
  readonly exit: number
  readonly out: string
  readonly error: string
}

/** @param argv without the program's own name */
export async function runCaptured(
  argv: readonly string[],
  machine: Machine,
  signal = new AbortController().signal,
  input = '',
): Promise<Told> {
  const told = { out: '', error: '' }
  const terminal = {
    out: (text: string) => {
      told.out += text
    },
    error: (text: string) => {
      told.error += text
    },
    input: () => new TextEncoder().encode(input),
    takesColour: async () => false,
    drawsErrors: async () => false,
    isAtTerminal: async () => false,
    converse: async () => new FakeConversation([input]),
    signal,
  }
  const exit = await runCommand(argv, machine, terminal, '1.2.3')
  return { exit, ...told }
}
