/** An experience as a procedure: its steps, when it is due, and how its success shows. */
import type { Experience } from '../model/experience.ts'

export interface Procedure {
  readonly name: string
  readonly steps: readonly string[]
  readonly preconditions: readonly string[]
  readonly postconditions: readonly string[]
}

const LIST_ITEM = /^\s*(?:[-*•]|\d{1,3}[.)])\s+(\S.*)$/
const CHECK_LINE =
  /^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?(?:\*\*)?(?:check|verify|verification|success|done when|expected)\b/i
/** Ends of sentences: a full stop or the like and a blank, or a line's end. */
const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+/

/** @param path of its file in the workspace */
export function procedureOf(path: string, experience: Experience): Procedure {
  const lines = experience.content.split('\n')
  const items = lines.flatMap((line) => LIST_ITEM.exec(line)?.[1]?.trim() ?? [])
  const steps = items.length > 0 ? items : sentencesOf(experience.content)
  return {
    name: path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, ''),
    steps,
    preconditions: [experience['when-to-use'].trim()],
    postconditions: lines
      .filter((line) => CHECK_LINE.test(line))
      .map((line) => (LIST_ITEM.exec(line)?.[1] ?? line).trim()),
  }
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
