/**
 * A Cypher query as the tokens of the engine's own grammar. Whatever the two could read differently is refused, and the
 * query is written anew from its tokens: the engine never reads a text that was not understood here.
 */
import { MemoryError } from '../model/memory-error.ts'

export type CypherToken =
  /** A keyword or a name, in ASCII. */
  | { readonly kind: 'word'; readonly text: string; readonly upper: string }
  /** A name in backquotes, which it keeps: never a keyword. */
  | { readonly kind: 'quoted'; readonly text: string; readonly upper: string }
  | { readonly kind: 'string' | 'number' | 'parameter' | 'sign'; readonly text: string; readonly upper: string }

interface Read {
  readonly tokens: readonly CypherToken[]
  /** The same query without comments. */
  readonly text: string
}

/** UTF-16 units. Nobody types more; what a program wants to hand over belongs into parameters. */
export const QUERY_UNITS_MAX = 64 * 1024

const SPACE = /(?:[ \t\n\r\f\v]+|\/\/[^\n\r]*(?:\r?\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)+/y
const SHAPES: readonly (readonly [CypherToken['kind'], RegExp])[] = [
  ['word', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['number', /(?:\d+\.\d+|\.\d+|\d+)(?:[eE]-?\d+)?/y],
  ['parameter', /\$(?:[A-Za-z_][A-Za-z0-9_]*|\d+)/y],
  ['quoted', /`[^`]+`/y],
  ['string', /'(?:[^'\\]|\\(?:[\\'"bfnrtBFNRT]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*'/y],
  ['string', /"(?:[^"\\]|\\(?:[\\'"bfnrtBFNRT]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}))*"/y],
  ['sign', /<=|>=|<>|=~|\.\.|[()[\]{},.:;=<>+\-*/%^|&!]/y],
]
/** Between these the engine could see one token where two were read, or two where one was. */
const GLUED: ReadonlySet<string> = new Set(['number word', 'string string', 'quoted quoted', 'number number'])

/** Throws `cypher_refused`. */
export function readCypher(query: string): Read {
  if (query.length > QUERY_UNITS_MAX)
    throw refusal(`it has ${query.length} characters; at most ${QUERY_UNITS_MAX} are read, so put values into --param`)
  if (query.includes('\0')) throw refusal('it holds a NUL character')
  if (!query.isWellFormed()) throw refusal('it holds half of a surrogate pair')
  const tokens: CypherToken[] = []
  const parts: string[] = []
  let at = 0
  while (at < query.length) {
    const space = matchAt(SPACE, query, at)
    if (space !== null) {
      parts.push(' ')
      at += space.length
      continue
    }
    const token = tokenAt(query, at)
    const before = tokens.at(-1)
    if (before !== undefined && GLUED.has(`${before.kind} ${token.kind}`) && parts.at(-1) !== ' ')
      throw refusal(`${shown(before.text)} and ${shown(token.text)} need a space between them`)
    tokens.push(token)
    parts.push(token.text)
    at += token.text.length
  }
  return { tokens, text: parts.join('').trim() }
}

function tokenAt(query: string, at: number): CypherToken {
  if (query.startsWith('/*', at)) throw refusal('a comment is not closed')
  for (const [kind, shape] of SHAPES) {
    const text = matchAt(shape, query, at)
    if (text !== null) return { kind, text, upper: text.replaceAll('`', '').toUpperCase() }
  }
  throw refusal(unreadable(query, at))
}

function unreadable(query: string, at: number): string {
  const character = String.fromCodePoint(query.codePointAt(at) ?? 0)
  if (character === "'" || character === '"')
    return `the text that begins with ${shown(query.slice(at, at + 20))} is not closed, or has an escape that is none`
  if (character === '`') return 'a name in backquotes is empty or not closed'
  return `${JSON.stringify(character)} stands outside of texts and backquotes at offset ${at}`
}

function matchAt(shape: RegExp, query: string, at: number): string | null {
  shape.lastIndex = at
  return shape.exec(query)?.[0] ?? null
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text
}

export function refusal(why: string): MemoryError {
  return new MemoryError('cypher_refused', `the query is refused: ${why}`)
}
