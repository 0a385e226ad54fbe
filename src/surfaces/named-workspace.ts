/** Commands in what the program says next, typed as this one was: for the workspace that a flag named. */

/** As the program's own sentences name them; `knowhow 0.1.0` and `knowhow here` are none. */
const COMMAND = /\bknowhow (?=(?:import|imports|reindex|backup|doctor|config|index|session|memory)(?: |[;:,.)]|$))/gm
/** What every shell takes as it stands. */
const PLAIN = /^[\w./:@%+=-]+$/

/** @param folder as it was typed; null where none was */
export function namingWorkspace(text: string, folder: string | null): string {
  if (folder === null) return text
  const typed = PLAIN.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`
  return text.replace(COMMAND, () => `knowhow --workspace ${typed} `)
}
