/** Which messages of a person change what is asked. */

/** Shorter ones ("yes", "go on please") go on with what was asked before. Counted in letters; CJK signs count as three. */
const REQUEST_LETTERS_MIN = 20

/** @returns the task after `message`: the message when it asks something of its own, else `task`. */
export function nextTask(task: string | null, message: string): string | null {
  const text = message.trim()
  if (text === '') return task
  return task === null || isRequest(text) ? text : task
}

function isRequest(text: string): boolean {
  const start = text.slice(0, 200)
  const letters = start.match(/\p{L}/gu)?.length ?? 0
  const dense = start.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0
  return letters + 2 * dense >= REQUEST_LETTERS_MIN
}
