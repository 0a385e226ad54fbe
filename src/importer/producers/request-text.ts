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

/** Between which words frames hand over what is to be done: after the first, up to the first of the others. */
const FRAMES: readonly { readonly start: string; readonly ends: readonly string[] }[] = [
  { start: '<pr_description>', ends: ['</pr_description>'] },
  { start: '<issue_description>', ends: ['</issue_description>'] },
  { start: 'Please solve this issue:', ends: ['\nYou can execute', '\n## ', '\n<instructions>'] },
  { start: '\nISSUE:\n', ends: ['\nINSTRUCTIONS:'] },
]
const LEAD = /^\s*Consider the following PR description:\s*/

/** What was asked for, without the frame's own words around it. */
export function askedIn(text: string): string {
  for (const { start, ends } of FRAMES) {
    const opening = text.indexOf(start)
    if (opening === -1) continue
    const asked = text.slice(opening + start.length)
    const places = ends.map((end) => asked.indexOf(end)).filter((place) => place !== -1)
    const framed = asked
      .slice(0, Math.min(...places, asked.length))
      .replace(LEAD, '')
      .trim()
    if (framed !== '') return framed
  }
  return text
}
