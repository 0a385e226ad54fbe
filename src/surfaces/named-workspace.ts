/** Commands in what the program says next, typed as this one was: for the workspace that a flag named. */
import { COMMANDS, namesOf } from './commands.ts'
import { shellWord } from './shell-word.ts'

/** Operations whose answers say it too. What others write there is not ours to change. */
export const SAYS_HOW_TO_GO_ON: ReadonlySet<string> = new Set([
  'procedure_import',
  'procedure_imports',
  'status',
  'doctor',
])

/** First words of commands; `knowhow 0.1.0` and `knowhow here` are none. */
const WORDS = new Set(namesOf(COMMANDS).map((name) => name.split(' ')[0]))
/** The program by its bare name: a path to it is part of words that are whole. */
const NAMED = /(?<![\w./\\-])knowhow ([a-z]+)(?=[\s;:,.)]|$)/g

/** @param folder as it was typed; null where none was */
export function namingWorkspace(text: string, folder: string | null): string {
  if (folder === null) return text
  const typed = shellWord(folder)
  return text.replace(NAMED, (whole, word: string) =>
    WORDS.has(word) ? `knowhow --workspace ${typed} ${word}` : whole,
  )
}
