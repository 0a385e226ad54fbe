/**
 * Lets through queries that read the graph and nothing else. The engine has no mode that would do so: one that calls itself
 * read-only still copies to files and loads from them.
 */
import { type CypherToken, readCypher, refusal } from './cypher-tokens.ts'
import {
  AGGREGATES,
  CALLED_FUNCTIONS,
  FIRST_WORDS,
  FOLLOWING_WORDS,
  FUNCTIONS,
  ITEM_FUNCTIONS,
  OPENING_WORDS,
  REFUSED_WORDS,
  WORDS_BEFORE_BRACKETS,
} from './cypher-words.ts'

export interface GuardedQuery {
  /** For the engine. */
  readonly text: string
  /** Whether it speaks of a property or name, in any case. */
  readonly speaksOf: (name: string) => boolean
  /** Whether it asks for all properties of something, by `.*`. */
  readonly hasAllProperties: boolean
  /** Whether it may have a path in it, of any length or with a name. */
  readonly hasPath: boolean
}

/** The engine's parser goes a level deeper on its stack for each. */
const DEPTH_MAX = 64
/** Their second argument is the name of a property, as a text. */
const NAMING_FUNCTIONS = ['PROPERTIES', 'STRUCT_EXTRACT']
const OPENING: ReadonlySet<string> = new Set(['(', '[', '{'])
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}'])
const READS_ONLY =
  'memory cypher reads, by [OPTIONAL] MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, SKIP, LIMIT and UNION, and by CALL of what shows tables and functions'

/** Throws `cypher_refused` naming what it does not take. */
export function guardedQuery(query: string): GuardedQuery {
  const { tokens, text } = readCypher(query)
  const statement = withoutEnd(tokens)
  if (statement.length === 0) throw refusal('it is empty')
  requireDepth(statement)
  for (const at of statement.keys()) requireReading(statement, at)
  requireTrueSums(statement)
  const names = namesIn(statement)
  return {
    text: text.replace(/[\s;]+$/, ''),
    speaksOf: (name) => names.has(name.toUpperCase()),
    hasAllProperties: statement.some(({ text }, at) => text === '*' && statement[at - 1]?.text === '.'),
    hasPath: hasPath(statement),
  }
}

/** In upper case. Beside those that stand in it as such are texts, where a function takes one for the name of a property. */
function namesIn(tokens: readonly CypherToken[]): ReadonlySet<string> {
  const names = new Set(tokens.map(({ upper }) => upper))
  if (!NAMING_FUNCTIONS.some((name) => names.has(name))) return names
  for (const token of tokens) if (token.kind === 'string') names.add(plainText(token).toUpperCase())
  return names
}

/** Without quotes, and with what its escapes by number stand for. Names have no need of the other ones. */
function plainText({ text }: CypherToken): string {
  return text
    .slice(1, -1)
    .replace(/\\u(.{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

/** `[…*…]` or `p = (…)`; also what only looks like them. */
function hasPath(tokens: readonly CypherToken[]): boolean {
  const open: string[] = []
  for (const [at, { text }] of tokens.entries()) {
    if (OPENING.has(text)) open.push(text)
    if (CLOSING.has(text)) open.pop()
    if (text === '*' && open.at(-1) === '[') return true
    if (text === '=' && tokens[at + 1]?.text === '(') return true
  }
  return false
}

/** Without the semicolon at its end. */
function withoutEnd(tokens: readonly CypherToken[]): readonly CypherToken[] {
  const end = tokens.findIndex(({ text }) => text === ';')
  if (end === -1) return tokens
  if (end < tokens.length - 1) throw refusal('it has more than one statement; ask them one by one')
  return tokens.slice(0, end)
}

function requireDepth(tokens: readonly CypherToken[]): void {
  let depth = 0
  for (const { text } of tokens) {
    if (OPENING.has(text)) depth++
    if (CLOSING.has(text)) depth--
    if (depth > DEPTH_MAX) throw refusal(`its brackets are nested more than ${DEPTH_MAX} deep`)
  }
}

function requireReading(tokens: readonly CypherToken[], at: number): void {
  const token = tokens[at]
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'quoted')) return
  const before = tokens[at - 1]
  const isProperty = before?.text === '.'
  if (token.kind === 'word' && !isProperty) {
    if (REFUSED_WORDS.has(token.upper)) throw refusal(`${token.upper} is not allowed; ${READS_ONLY}`)
    if (beginsBranch(tokens, at) && !FIRST_WORDS.has(token.upper))
      throw refusal(`a query does not begin with ${shown(token)}; ${READS_ONLY}`)
    if (before !== undefined && isComplete(tokens, at - 1) && !FOLLOWING_WORDS.has(token.upper))
      throw refusal(`${shown(token)} cannot follow ${shown(before)}; ${READS_ONLY}`)
  }
  const next = tokens[at + 1]
  if (isCall(token) && !isProperty && next?.kind !== 'word' && next?.kind !== 'quoted') throw uncalled(next)
  if (next?.text === '(') requireFunction(token, before)
  else if (isCall(before)) throw uncalled(token)
}

/** Of groups the engine computes nothing of what follows an aggregate over distinct values, and says 0 or null. */
function requireTrueSums(tokens: readonly CypherToken[]): void {
  let isBehindDistinct = false
  for (const [at, { kind, upper }] of tokens.entries()) {
    if (kind === 'word' && (upper === 'RETURN' || upper === 'WITH')) isBehindDistinct = false
    if (!AGGREGATES.has(upper) || tokens[at + 1]?.text !== '(') continue
    const isDistinct = tokens[at + 2]?.upper === 'DISTINCT'
    if (isBehindDistinct && !isDistinct)
      throw refusal(
        `the engine counts wrongly when ${upper} stands behind an aggregate with DISTINCT; write those with DISTINCT last`,
      )
    isBehindDistinct ||= isDistinct
  }
}

function beginsBranch(tokens: readonly CypherToken[], at: number): boolean {
  const before = tokens[at - 1]
  if (before === undefined) return true
  if (before.kind !== 'word') return false
  const isUnion = (token: CypherToken | undefined) => token?.kind === 'word' && token.upper === 'UNION'
  return (isUnion(before) && tokens[at]?.upper !== 'ALL') || (before.upper === 'ALL' && isUnion(tokens[at - 2]))
}

/** Whether a value, a name or a bracket is whole here, so that only a clause or an operator can follow. */
function isComplete(tokens: readonly CypherToken[], at: number): boolean {
  const token = tokens[at]
  switch (token?.kind) {
    case undefined:
      return false
    case 'word':
      return tokens[at - 1]?.text === '.' || !OPENING_WORDS.has(token.upper)
    case 'sign':
      return CLOSING.has(token.text) || (token.text === '*' && standsForAll(tokens[at - 1]))
    default:
      return true
  }
}

/** `RETURN *`, `WITH *` and `n.*` are whole; every other star multiplies, or begins a length. */
function standsForAll(before: CypherToken | undefined): boolean {
  if (before === undefined) return false
  return before.text === '.' || (before.kind === 'word' && /^(?:RETURN|WITH|DISTINCT)$/.test(before.upper))
}

function isCall(token: CypherToken | undefined): boolean {
  return token?.kind === 'word' && token.upper === 'CALL'
}

/** @param name what stands before an opening bracket */
function requireFunction(name: CypherToken, before: CypherToken | undefined): void {
  if (isCall(before)) {
    if (!CALLED_FUNCTIONS.has(name.upper)) throw uncalled(name)
    return
  }
  if (name.kind === 'word' && WORDS_BEFORE_BRACKETS.has(name.upper) && before?.text !== '.') return
  if (ITEM_FUNCTIONS.has(name.upper))
    throw refusal(`the engine is not safe with ${shown(name)} over the items of a list; take them apart by UNWIND`)
  if (!FUNCTIONS.has(name.upper) || before?.text === '.')
    throw refusal(`the function ${shown(name)} is not allowed; only those that compute from their arguments are`)
}

function uncalled(name: CypherToken | undefined): Error {
  const allowed = [...CALLED_FUNCTIONS].map((called) => called.toLowerCase()).join(', ')
  return refusal(`${name === undefined ? 'CALL' : `CALL ${shown(name)}`} is not allowed; CALL takes ${allowed}`)
}

function shown({ text }: CypherToken): string {
  return text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text
}
