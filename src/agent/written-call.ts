/**
 * Calls of tools that a model writes into its message instead of making them. Such a call stands by itself at the end,
 * with at most an announcement beside it; one that sentences follow is quoted by a summary. Knows no notation.
 */
import { isRecord } from '../model/json-values.ts'
import type { ToolSchema } from '../ports.ts'
import { CallNotations, parsedJson } from './call-notations.ts'

/** Lines of one message where a call is looked for, at its beginning and at its end. */
const FIRST_LINES_MAX = 50
const LAST_LINES_MAX = 150
const ANNOUNCEMENT_UNITS_MAX = 200
const ANNOUNCEMENT =
  /^(?:(?:ok(?:ay)?|sure|now|next|first|then|so|alright|and|great)\b[,.!:]?\s*){0,3}(?:i(?:'ll|'m| will| am| need| should| must| want| have to)\b|let(?: me|'s| us)\b|we(?:'ll| will)\b|(?:calling|searching|reading|creating|updating|using|waiting|making)\b|once\b|please\b|this (?:will|should|call)\b|我(?:将|会|来|先|需要|要|再)|让我|现在|接下来|首先|好的|等待)/i
/** Of what is over; who announces a call has nothing to tell of it. */
const NARRATION =
  /\b(?:was|were|had|did|found|gave|came|showed|returned|wrote|written|created|updated|searched|called|done|finished|completed?|nothing)\b|没有|已|完成/i
const SENTENCES_MAX = 2
const SENTENCE_END = /[.!?](?=\s|$)|[。！？]/g
/** What a model makes up where a result would come. */
const MADE_UP_RESULT = /^(?:<\W{0,2}(?:tool_|function_)?(?:response|result|output)s?\b|observation\s*:)/i
const BULLET = /^\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s+/
const FENCES = /^`{3}[\w-]*\n|\n`{3}$/g

/** The tool that a closing message calls in words instead of ending the piece; null when it calls none. */
export function writtenCall(message: string, tools: readonly ToolSchema[]): string | null {
  const notations = new CallNotations(tools.map(({ name }) => name))
  const text = message.trim()
  return nameAlone(text, notations) ?? argumentsAlone(text, tools) ?? callByItself(text, notations)
}

/** A name, or the announcement of its call, as the whole message. */
function nameAlone(text: string, notations: CallNotations): string | null {
  if (text.length > ANNOUNCEMENT_UNITS_MAX) return null
  const bare = notations.named(text.replace(/^[\s`*[<"'(]+|[\s`*\]>"')(.:;/]+$/g, ''))
  if (bare !== null || !isAnnouncement(text)) return bare
  // A name of one word may be meant as a word.
  const name = notations.nameWithin(text)
  return name?.includes('_') === true ? name : null
}

/** The arguments of a tool and nothing else. */
function argumentsAlone(text: string, tools: readonly ToolSchema[]): string | null {
  const value = parsedJson(text.replace(FENCES, ''))
  if (!isRecord(value)) return null
  const given = Object.keys(value)
  const fits = ({ parameters: { properties, required } }: ToolSchema): boolean =>
    isRecord(properties) &&
    given.every((key) => Object.hasOwn(properties, key)) &&
    Array.isArray(required) &&
    required.every((key) => given.includes(String(key)))
  return given.length === 0 ? null : (tools.find(fits)?.name ?? null)
}

function callByItself(text: string, notations: CallNotations): string | null {
  for (const start of callStarts(text)) {
    const call = notations.callAt(text, start)
    if (call !== null && isOver(text, call.end, notations)) return call.name
  }
  return null
}

/** Where a call may begin: at a line that is no item of a list, and behind an announcement. */
function callStarts(text: string): readonly number[] {
  const starts: number[] = []
  let lineStart = 0
  for (const line of text.split('\n')) {
    const bullet = BULLET.exec(line)?.[0].length ?? 0
    const isListed = bullet > 0 && !isAnnouncementOrNothing(text, lineStart)
    if (!isListed) starts.push(lineStart + bullet)
    if (ANNOUNCEMENT.test(line)) for (const at of wordsOf(line)) starts.push(lineStart + at)
    lineStart += line.length + 1
  }
  if (starts.length <= FIRST_LINES_MAX + LAST_LINES_MAX) return starts
  return [...starts.slice(0, FIRST_LINES_MAX), ...starts.slice(-LAST_LINES_MAX)]
}

function wordsOf(line: string): readonly number[] {
  const words = line.slice(0, ANNOUNCEMENT_UNITS_MAX).matchAll(/(?<=\s|[:：,，`])[\w{[<`]/g)
  return [...words].map(({ index }) => index)
}

function isAnnouncementOrNothing(text: string, end: number): boolean {
  if (end > ANNOUNCEMENT_UNITS_MAX) return false
  const before = text.slice(0, end).trim()
  return before === '' || isAnnouncement(before)
}

function isAnnouncement(text: string): boolean {
  if (text.length > ANNOUNCEMENT_UNITS_MAX || !ANNOUNCEMENT.test(text) || NARRATION.test(text)) return false
  return (text.match(SENTENCE_END)?.length ?? 0) <= SENTENCES_MAX
}

/** Whether nothing follows that a summary would say. */
function isOver(text: string, end: number, notations: CallNotations): boolean {
  for (let at = end; ; ) {
    at = notations.behindTrailing(text, at)
    const rest = text.slice(at)
    if (rest === '' || MADE_UP_RESULT.test(rest) || isAnnouncement(rest)) return true
    const next = notations.callAt(text, at)
    if (next === null || next.end <= at) return false
    at = next.end
  }
}
