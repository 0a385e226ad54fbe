/** Queries in Cypher over the whole memory graph. Local, over all sessions. */
import * as v from 'valibot'
import type { CypherValue } from '../../model/cypher-value.ts'
import { fieldsOf } from '../../model/json-values.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { operation } from '../operation.ts'

const TIMEOUT_SECONDS = 60
const TIMEOUT_SECONDS_MAX = 3_600

export const cypherOutput = () =>
  v.strictObject({
    columns: v.array(v.string()),
    rows: v.array(v.record(v.string(), v.unknown())),
    /** Why they are not all; left out when they are. */
    notice: v.exactOptional(v.string()),
  })

export const memoryCypher = operation({
  name: 'memory_cypher',
  command: 'memory cypher',
  exposure: ['cli', 'repl'],
  summary: 'Ask the memory graph in Cypher. Reads only, on a copy in memory that a graph engine holds for the query.',
  positionals: ['query'],
  examples: [
    'knowhow memory cypher "MATCH (s:Session)-[:CONTAINS_EPISODIC]->(e) RETURN s.session_id, count(e) AS events"',
    'knowhow memory cypher "MATCH (p:ProceduralMemory) WHERE p.success_rate > \\$least RETURN p.procedure_name" --param least=0.8 --json',
  ],
  writes: false,
  input: () =>
    v.strictObject({
      query: v.pipe(v.string(), v.description('One statement that reads.')),
      param: v.optional(
        v.pipe(
          v.union([v.array(v.string()), v.record(v.string(), v.unknown())]),
          v.description(
            'A value for $name as name=JSON, or as name=text that is no JSON; give the option once for each.',
          ),
        ),
      ),
      timeout: v.optional(
        v.pipe(
          v.number(),
          v.minValue(0.1),
          v.maxValue(TIMEOUT_SECONDS_MAX),
          v.description(`Seconds after which the query is ended; default: ${TIMEOUT_SECONDS}.`),
        ),
      ),
    }),
  terms: { notice: 'why the rows are not all' },
  output: cypherOutput,
  run: async ({ workspace, say, signal }, { query, param, timeout = TIMEOUT_SECONDS }) => {
    const parameters = givenParameters(param ?? {})
    const memory = await workspace.memory()
    const limits = { timeLimitMs: timeout * 1000, limitMs: timeout * 1000, signal }
    const { columns, rows, cutBy } = await memory.askCypher({ query, parameters }, limits, { say })
    return {
      columns: [...columns],
      rows: [...rows],
      ...(cutBy === null ? {} : { notice: cutNotice(rows.length, cutBy) }),
    }
  },
})

function cutNotice(rowCount: number, cutBy: 'rows' | 'units'): string {
  const why = cutBy === 'rows' ? 'an answer has no more' : 'an answer is no longer than that'
  return `these are the first ${rowCount} rows: ${why}; narrow the query, or page by ORDER BY, SKIP and LIMIT`
}

/** Throws `invalid_argument`. */
function givenParameters(
  given: readonly string[] | Readonly<Record<string, unknown>>,
): Readonly<Record<string, CypherValue>> {
  const pairs = Array.isArray(given) ? given.map(parameterOf) : Object.entries(fieldsOf(given))
  const found = new Map<string, CypherValue>()
  for (const [name, value] of pairs) {
    if (!/^(?:[A-Za-z_]\w*|\d+)$/.test(name)) throw fault(`${JSON.stringify(name)} is no name of a parameter`)
    if (found.has(name)) throw fault(`${name} is given twice; give it once`)
    requireExact(name, value)
    found.set(name, value as CypherValue)
  }
  return Object.fromEntries(found)
}

function parameterOf(pair: string): readonly [string, unknown] {
  const [name = '', ...rest] = pair.split('=')
  if (rest.length === 0) throw fault(`${JSON.stringify(pair)} is not of the form name=value`)
  const text = rest.join('=')
  try {
    return [name, JSON.parse(text)]
  } catch {
    // What begins as JSON was meant as such.
    if (/^\s*["[{]/.test(text)) throw fault(`${name} is not valid JSON`)
    return [name, text]
  }
}

/** A number that was read as another one is worse than none. */
function requireExact(name: string, value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw fault(`${name} is a number beyond what a number may be; give a smaller one`)
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw fault(`${name} is a whole number beyond 2^53, which JSON does not hold exactly; give it as text and CAST it`)
  if (value !== null && typeof value === 'object') for (const inner of Object.values(value)) requireExact(name, inner)
}

function fault(words: string): MemoryError {
  return new MemoryError('invalid_argument', `param: ${words}`, { field: 'param' })
}
