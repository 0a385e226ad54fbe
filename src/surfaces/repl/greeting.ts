/** The first lines of a REPL: what was opened, and how to go on. */
import { status } from '../../app/operations/upkeep.ts'
import { counted } from '../../model/counted.ts'
import { Paint } from '../paint.ts'
import { toldFault } from '../told-fault.ts'
import type { AskRunning, Dialogue } from './dialogue.ts'

interface Status {
  readonly workspace: string
  readonly experiences: number
  /** Null where it cannot be read. */
  readonly memory: Readonly<Record<string, number>> | null
}

const HOW_TO_GO_ON = 'Type what you look for; /help tells the rest, Ctrl-D leaves.'

export async function greeting(
  dialogue: Dialogue,
  { version, colour, running }: { readonly version: string; readonly colour: boolean; readonly running: AskRunning },
): Promise<string> {
  const paint = new Paint(colour)
  const name = paint.strong(`knowhow ${version}`)
  try {
    const found = (await dialogue.ask(status, {}, running)) as Status
    return `${name}  ${holding(found)}  ${paint.faint(found.workspace)}\n${HOW_TO_GO_ON}\n`
  } catch (error) {
    // What is wrong with a workspace is told to whoever asks for it, and may be mended meanwhile.
    return `${name}\n${paint.alarm(toldFault(error).report.message)}\n${HOW_TO_GO_ON}\n`
  }
}

function holding({ experiences, memory }: Status): string {
  const found = counted(experiences, 'experience')
  if (memory === null) return found
  const { sessions: _, ...kinds } = memory
  // Experiences are memories as well, of what can be done.
  const others = Object.values(kinds).reduce((sum, count) => sum + count, 0) - experiences
  return `${found}, ${counted(Math.max(0, others), 'memory', 'memories')}`
}
