/** Which messages of a person change what is asked. */

/** Shorter ones ("yes", "go on please") go on with what was asked before. UTF-8 bytes, for a Chinese sign says more. */
const REQUEST_LETTER_BYTES_MIN = 20

/** @returns the task after `message`: the message when it asks something of its own, else `task`. */
export function nextTask(task: string | null, message: string): string | null {
  const text = message.trim()
  if (text === '') return task
  return task === null || isRequest(text) ? text : task
}

function isRequest(text: string): boolean {
  const letters = text.slice(0, 200).replace(/\P{L}/gu, '')
  return new TextEncoder().encode(letters).length >= REQUEST_LETTER_BYTES_MIN
}
