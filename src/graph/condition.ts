/** Whether an event is the one that a condition waits for. */
import { analyzeDocument, analyzeQuery } from '../search/analyzer.ts'

/** Whether all words of the condition stand in the event; those that are everywhere count only where there are no others. */
export function isMet(condition: string, event: string): boolean {
  const words = new Set(analyzeDocument(event).terms)
  const asked = analyzeQuery(condition)
  return asked.length > 0 && asked.every((word) => words.has(word))
}
