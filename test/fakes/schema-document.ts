/** The tables of the memory graph beside the seed's data definitions, as Markdown for people. */
import type { Database } from '../../src/ports.ts'
import { SEED_NODES, SEED_RELATIONS, type SeedColumn } from './seed-schema.ts'

const OPENING = `# Tables of the memory graph

The memory graph was drawn before there was a program: six node tables and eleven relationship tables of a Kùzu database,
here called the seed. Each table of \`memory/memory.db\` stands below its definition there. The differences between them, each
with its reason: [formats.md](formats.md#memory-graph-memorymemorydb).

\`test/graph/schema-document.test.ts\` writes this file from the database itself
(\`MEMORY_SCHEMA=write npm test -- test/graph/schema-document.test.ts\`) and fails when it says something else.
`

export function schemaDocument(database: Database): string {
  const nodes = Object.entries(SEED_NODES).map(([table, columns]) =>
    section(database, table, nodeDefinition(table, columns)),
  )
  const relations = Object.entries(SEED_RELATIONS).map(([table, { from, to, columns }]) =>
    section(database, table, relationDefinition(table, `FROM ${from} TO ${to}`, columns)),
  )
  const own = ['consolidation_skip', 'procedure_file', 'memory_document'].map((table) => section(database, table, null))
  return [OPENING, '## Nodes\n', ...nodes, '## Relations\n', ...relations, "## The program's own\n", ...own].join('\n')
}

function section(database: Database, table: string, definition: string | null): string {
  const statements = database
    .all('SELECT sql FROM sqlite_schema WHERE tbl_name = :table AND sql IS NOT NULL ORDER BY type DESC, name', {
      table,
    })
    .map(({ sql }) => `${String(sql)};`)
  const seed = definition === null ? [] : ['```cypher', definition, '```', '']
  return [`### ${table}`, '', ...seed, '```sql', ...statements, '```', ''].join('\n')
}

function nodeDefinition(table: string, [key, ...properties]: readonly SeedColumn[]): string {
  const embedding = table === 'Session' ? [] : ['embedding DOUBLE[1536]']
  const lines = [`${String(key?.name)} STRING PRIMARY KEY`, ...properties.map(columnLine), ...embedding]
  return definitionOf('NODE', table, lines)
}

function relationDefinition(table: string, ends: string, columns: readonly SeedColumn[]): string {
  return definitionOf('REL', table, [ends, ...columns.map(columnLine)])
}

function definitionOf(sort: 'NODE' | 'REL', table: string, lines: readonly string[]): string {
  const spaced = lines.map((line, at) => {
    const [code = '', comment] = line.split('  -- ')
    const comma = at === lines.length - 1 ? '' : ','
    return `    ${code}${comma}${comment === undefined ? '' : `  -- ${comment}`}`
  })
  return [`CREATE ${sort} TABLE ${table}(`, ...spaced, ');'].join('\n')
}

function columnLine({ name, type, values, range }: SeedColumn): string {
  const comment = values?.map((value) => `'${value}'`).join(', ') ?? range?.map((end) => end.toFixed(1)).join(' to ')
  return `${name} ${type}${comment === undefined ? '' : `  -- ${comment}`}`
}
