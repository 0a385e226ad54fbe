/** What Cypher is given and answers, as JSON can tell it. */

/** Integers that a double does not hold exactly are text of digits. */
export type CypherValue =
  | null
  | boolean
  | number
  | string
  | readonly CypherValue[]
  | { readonly [name: string]: CypherValue }

/** By column. */
export type CypherRow = Readonly<Record<string, CypherValue>>
