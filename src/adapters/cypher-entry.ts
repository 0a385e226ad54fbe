/** The word by which the program starts itself as the process that holds the graph engine. For no person to type. */
const ENTRY = '--cypher-engine-process'

export function cypherEntry(): string {
  return ENTRY
}

export function isCypherEntry(argv: readonly string[]): boolean {
  return argv.length === 1 && argv[0] === ENTRY
}
