/** What can be typed, told where it is typed. */
import type { Operation } from '../../app/operation.ts'
import type { Paint } from '../paint.ts'
import { REPL_OPERATIONS, SHORT_NAMES } from './repl-commands.ts'

const BASICS: readonly (readonly [typed: string, about: string])[] = [
  ['words', 'search for them; a line that begins with / is a command, one with // or a space is a search too'],
  ['/read 2', 'read result 2 of the last search or recall; also a path'],
  ['/index VIEW', 'what later searches look at'],
  ['/limit N', 'how many results they give'],
  ['/session ID', 'whose own memory recalls and other readings show'],
  ['/help COMMAND', 'flags and examples of a command'],
  ['/quit', 'leave; so does Ctrl-D'],
]
const START_FLAGS = /^ {2}--(?:workspace|config|env-file) .*\n/gm
const KEYS =
  'Tab completes, the arrow up brings back former lines, Ctrl-C clears the line or stops what runs. A line that begins with a space is not kept.'

export function replHelp(paint: Paint): string {
  const commands = REPL_OPERATIONS.map((one) => [typedName(one), firstSentence(one.summary)] as const)
  const width = Math.max(...[...BASICS, ...commands].map(([typed]) => typed.length))
  const row = ([typed, about]: readonly [string, string]) => `${paint.strong(typed.padEnd(width))}  ${about}`
  return `${[...BASICS.map(row), '', ...commands.map(row), '', KEYS].join('\n')}\n`
}

/** Help of a command without the flags that count where a REPL begins. @param text with each flag in one line */
export function withoutStartFlags(text: string): string {
  return text.replace(START_FLAGS, '')
}

/** The shortest that may be typed. */
function typedName({ command }: Operation): string {
  const short = [...SHORT_NAMES].find(([, name]) => name === command)?.[0]
  return `/${short ?? command}`
}

function firstSentence(text: string): string {
  return /^.*?(?=[.:;](?:\s|$))/.exec(text)?.[0] ?? text
}
