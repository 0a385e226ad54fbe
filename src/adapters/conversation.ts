/** Standard input as it is typed, and the screen it is seen on. */
import process from 'node:process'
import type { Conversation } from '../ports/conversation.ts'
import { errnoOf, fileFault } from './file-fault.ts'

/** What a terminal has that does not tell its size. */
const USUAL = { columns: 80, rows: 24 }

/** @param onInterruption see `Conversation` */
export function openConversation(onInterruption: Conversation['onInterruption']): Conversation {
  const { stdin, stdout } = process
  return {
    isAtTerminal: stdin.isTTY === true && stdout.isTTY === true,
    typed,
    onReturn: (listener) => {
      // Windows stops no programs, and knows no such signal.
      if (process.platform !== 'win32') process.on('SIGCONT', listener)
    },
    // Some terminals tell nothing, and some that they have no columns.
    size: () => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    onResize: (listener) => void stdout.on('resize', listener),
    takeKeys: (isTaken) => {
      if (stdin.isTTY === true) stdin.setRawMode(isTaken)
    },
    onInterruption,
  }
}

async function* typed(): AsyncIterable<string> {
  const decoder = new TextDecoder()
  try {
    for await (const bytes of process.stdin) yield decoder.decode(bytes as Uint8Array, { stream: true })
  } catch (error) {
    // So ends a terminal whose other side has gone.
    if (errnoOf(error) !== 'EIO') throw fileFault('read', 'standard input', error)
  }
  const last = decoder.decode()
  if (last !== '') yield last
}
