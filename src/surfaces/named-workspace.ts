/** Commands in what the program says next, typed as this one was: for the workspace that a flag named. */
import { COMMANDS, namesOf } from './commands.ts'
import { shellWord } from './shell-word.ts'

/** First words of commands; `knowhow 0.1.0` and `knowhow here` are none. */
const WORDS = new Set(namesOf(COMMANDS).map((name) => name.split(' ')[0]))
const NAMED = /\bknowhow ([a-z]+)(?=[\s;:,.)]|$)/g

/** @param folder as it was typed; null where none was */
export function namingWorkspace(text: string, folder: string | null): string {
  if (folder === null) return text
  const typed = shellWord(folder)
  return text.replace(NAMED, (whole, word: string) =>
    WORDS.has(word) ? `knowhow --workspace ${typed} ${word}` : whole,
  )
}
