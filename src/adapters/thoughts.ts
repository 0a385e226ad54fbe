/** What a model only thought, taken out of its message; words about thoughts stay. */

const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
] as const

/** Text without `<think>…</think>`; an unfinished one at the start or on a line of its own takes all that follows it. */
export function withoutThoughts(content: string): string {
  let text = content
  for (const [opening, closing] of TAGS) text = withoutTag(text, opening, closing)
  return text === content ? content : text.trim()
}

function withoutTag(content: string, opening: string, closing: string): string {
  const text = afterOrphan(content, opening, closing)
  const isInFence = fenceTest(text)
  let kept = ''
  let from = 0
  for (let start = text.indexOf(opening); start !== -1; ) {
    const inside = start + opening.length
    const end = closingOf(text, inside, opening, closing)
    if (isMentioned(text, start, inside, end === -1 ? -1 : end + closing.length) || isInFence(start)) {
      start = text.indexOf(opening, inside)
      continue
    }
    const before = kept + text.slice(from, start)
    if (end === -1) return isByItself(text, start, inside) || before.trim() === '' ? before : kept + text.slice(from)
    kept = before
    from = end + closing.length
    start = text.indexOf(opening, from)
  }
  return kept + text.slice(from)
}

/**
 * Whether a message speaks of the tag: in code, in quotes, or as a word of a sentence that goes on behind it.
 * @param behind the closing tag; -1 when there is none
 */
function isMentioned(text: string, start: number, inside: number, behind: number): boolean {
  if (/[`"'/(]/.test(text[start - 1] ?? '')) return true
  if (start === 0 || isLineStart(text, start)) return false
  if (text[inside] === ' ') return true
  return behind !== -1 && /[a-z,] $/.test(text.slice(Math.max(0, start - 2), start)) && goesOn(text, behind)
}

/** A thought may speak of the tag that will close it. */
function closingOf(text: string, inside: number, opening: string, closing: string): number {
  const end = text.indexOf(closing, inside)
  const behind = end + closing.length
  if (end === -1 || text[end - 1] !== ' ' || !goesOn(text, behind)) return end
  const next = text.indexOf(closing, behind)
  const reopened = text.indexOf(opening, behind)
  return next === -1 || (reopened !== -1 && reopened < next) ? end : next
}

/** Whether a sentence does, behind a place. */
function goesOn(text: string, at: number): boolean {
  return /^(?: [a-z]|[,;.?] )/.test(text.slice(at, at + 2))
}

/** Whether a place lies in a block of code that is still open there. Asked of places in ascending order. */
function fenceTest(text: string): (place: number) => boolean {
  const fences = text.matchAll(/^[ \t]{0,8}`{3}/gm)
  let next = fences.next()
  let isOpen = false
  return (place) => {
    for (; next.done !== true && next.value.index < place; next = fences.next()) isOpen = !isOpen
    return isOpen
  }
}

function isLineStart(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 20), at))
}

/** Whether what lies between stands on a line of its own. */
function isByItself(text: string, start: number, end: number): boolean {
  return isLineStart(text, start) && /^[ \t\r]{0,20}(?:\n|$)/.test(text.slice(end, end + 21))
}

/** Where the server's template wrote the opening tag, only the closing one comes: on a line of its own, or between two texts. */
function afterOrphan(content: string, opening: string, closing: string): string {
  const end = content.indexOf(closing)
  if (end === -1) return content
  const start = content.indexOf(opening)
  if (start !== -1 && start < end) return content
  const behind = end + closing.length
  const isPut = isByItself(content, end, behind) || isBetweenTexts(content, end, behind)
  return isPut && !fenceTest(content)(end) ? content.slice(behind) : content
}

/** As in `It fits.</think>The run …`: who speaks of a tag puts it in marks, or goes on with a blank. */
function isBetweenTexts(text: string, start: number, end: number): boolean {
  return (
    /[\w.!?)\]]$/.test(text.slice(Math.max(0, start - 1), start)) && /^[\p{L}\p{N}#*]/u.test(text.slice(end, end + 2))
  )
}
