/**
 * Names of properties that two labels have with different types, as the priority of intentions, a word, and of working
 * memory, a number. On paths over both the engine takes the bytes of one type for the other, so there one label at most may
 * have the name. In the engine each is called after its type, and gets its own name for a query that speaks of it.
 */
import type { GuardedQuery } from './cypher-guard.ts'
import { refusal } from './cypher-tokens.ts'
import { NODE_LABELS, NODES, type NodeLabel, type Property } from './schema.ts'

interface Named {
  readonly label: NodeLabel
  readonly name: string
  readonly engineName: string
}

/** Statements around a question, which give names and take them back. */
export interface Renaming {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const properties = NODE_LABELS.flatMap((label) => NODES[label].properties.map((property) => ({ label, property })))

function hasTwoTypes({ name, type }: Property): boolean {
  return properties.some(({ property }) => property.name === name && property.type !== type)
}

const TWOFOLD: readonly Named[] = properties
  .filter(({ property }) => hasTwoTypes(property))
  .map(({ label, property }) => ({ label, name: property.name, engineName: engineName(property) }))

/** Under which it lies in the engine. */
export function engineName(property: Property): string {
  return hasTwoTypes(property) ? `${property.name}_${property.type}` : property.name
}

/** Throws `cypher_refused` for a query over a path that may mean either. */
export function renamingFor(query: GuardedQuery): Renaming {
  const spoken = TWOFOLD.filter(({ name }) => query.speaksOf(name))
  const labelled = spoken.filter(({ label }) => query.speaksOf(label))
  const meant = new Set(labelled.map(({ label }) => label)).size === 1 ? labelled : spoken
  if (meant.length > 1 && query.hasPath)
    throw refusal(
      `${meant[0]?.name} is of another type in ${meant.map(({ label }) => label).join(' than in ')}, and the engine mixes them up on paths; name one of the labels in the query`,
    )
  return {
    before: meant.map(({ label, name, engineName: from }) => renamed(label, from, name)),
    after: meant.map(({ label, name, engineName: to }) => renamed(label, name, to)),
  }
}

function renamed(label: NodeLabel, from: string, to: string): string {
  return `ALTER TABLE \`${label}\` RENAME \`${from}\` TO \`${to}\``
}
