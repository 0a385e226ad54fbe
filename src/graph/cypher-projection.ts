/**
 * The graph as the Cypher engine gets it: the seed's tables, made anew from SQLite each time, as sheets of comma-separated
 * values and the statements that take them in. What other reads pass over is not in it: working memory that is dead, and
 * procedures whose file is gone. Nothing comes back from there.
 */
import { isoTime } from '../model/iso-time.ts'
import type { Database, SheetWriter, SqlParameters, SqlRow, SqlValue } from '../ports.ts'
import { engineName } from './cypher-names.ts'
import { SHOWN_PROCEDURE } from './procedures.ts'
import {
  NODE_LABELS,
  NODES,
  type NodeLabel,
  type Property,
  type PropertyType,
  RELATION_NAMES,
  RELATIONS,
  type RelationName,
} from './schema.ts'
import { activationAt, IS_DEAD } from './working-memory.ts'

export interface ProjectionMoment {
  readonly atMs: number
  readonly halfLifeSeconds: number
  /** Vectors are most of the bytes, and few queries want them. */
  readonly hasVectors: boolean
  /** Found in no text. */
  readonly mark: string
}

export interface Projection {
  readonly statements: readonly string[]
  /** By then something that is in it is dead or has faded; null while nothing does. */
  readonly validUntilMs: number | null
}

const PAGE_ROWS = 5_000
/** Of a half-life: what has faded since is less than what anyone looks at. */
const FADING_SHARE = 1 / 60

const TYPES: Readonly<Record<PropertyType, string>> = {
  string: 'STRING',
  timestamp: 'TIMESTAMP',
  double: 'DOUBLE',
  int64: 'INT64',
  bool: 'BOOL',
  strings: 'STRING[]',
}

const EMBEDDING = 'embedding'
const EVERY = 'TRUE'

/** One column of a table there, of a sheet, and of a query here. */
interface Column {
  readonly name: string
  /** In the engine. */
  readonly engineName: string
  readonly type: string
  /** As the sheet holds it. */
  readonly sheetType: string
  /** Out of the sheet, by its name there. */
  readonly taken: (name: string) => string
  readonly written: (value: SqlValue) => string
}

/** All of one moment. */
export function projectGraph(database: Database, sheets: SheetWriter, moment: ProjectionMoment): Projection {
  return database.snapshot(() => {
    let dyingMs = Number.POSITIVE_INFINITY
    const watch = (row: SqlRow) => {
      if (row.ttl_seconds !== undefined)
        dyingMs = Math.min(dyingMs, Date.parse(String(row.created_at)) + Number(row.ttl_seconds) * 1000)
    }
    const vectors = moment.hasVectors ? vectorType(database) : 'FLOAT[]'
    const nodes = NODE_LABELS.flatMap((label) => projectNodes(database, sheets, label, { moment, vectors, watch }))
    const relations = RELATION_NAMES.flatMap((relation) => projectRelation(database, sheets, relation, moment))
    const validUntilMs =
      dyingMs === Number.POSITIVE_INFINITY
        ? null
        : Math.min(dyingMs, moment.atMs + moment.halfLifeSeconds * 1000 * FADING_SHARE)
    return { statements: [...nodes, ...relations], validUntilMs }
  })
}

interface NodeOptions {
  readonly moment: ProjectionMoment
  /** Type of their column. */
  readonly vectors: string
  readonly watch: (row: SqlRow) => void
}

function projectNodes(
  database: Database,
  sheets: SheetWriter,
  label: NodeLabel,
  { moment, vectors, watch }: NodeOptions,
): readonly string[] {
  const { key, properties, kind } = NODES[label]
  const columns = [keyColumn(key), ...properties.map((property) => columnOf(property, moment.mark))]
  if (kind !== null) columns.push(vectorColumn(vectors))
  const selected = columns.filter(({ name }) => name !== EMBEDDING || moment.hasVectors).map(({ name }) => `"${name}"`)
  const pages = pagesOf(database, {
    select: `SELECT ${selected.join(', ')} FROM "${label}" WHERE ${shownCondition(label)}`,
    keys: [key],
    moment,
  })
  const afterwards: string[] = []
  const isFilled = writeSheet(sheets, label, columns, pages, (row) => {
    watch(row)
    afterwards.push(...listStatements(label, row))
  })
  const defined = columns.map(({ engineName, type }) => `\`${engineName}\` ${type}`).join(', ')
  const made = `CREATE NODE TABLE \`${label}\` (${defined}, PRIMARY KEY (\`${key}\`))`
  return isFilled ? [made, copyStatement(sheets, label, columns), ...afterwards] : [made]
}

function projectRelation(
  database: Database,
  sheets: SheetWriter,
  relation: RelationName,
  moment: ProjectionMoment,
): readonly string[] {
  const { from, to, properties, kept, isExclusive } = RELATIONS[relation]
  const own = properties.map((property) => columnOf(property, moment.mark))
  const columns = [keyColumn('from_id'), keyColumn('to_id'), ...own]
  const keys = kept === 'each' ? ['id'] : isExclusive === true ? ['to_id'] : ['from_id', 'to_id']
  const selected = [...keys, ...columns.map(({ name }) => name)].map((name) => `link."${name}"`)
  if (relation === 'CONTAINS_WORKING')
    selected.push('(SELECT created_at FROM "WorkingMemory" WHERE memory_id = link.to_id) AS created_at')
  const shown = ([end, label]: readonly [string, NodeLabel]) =>
    shownCondition(label) === EVERY
      ? EVERY
      : `link.${end} IN (SELECT memory_id FROM "${label}" WHERE ${shownCondition(label)})`
  const pages = pagesOf(database, {
    select: `SELECT ${[...new Set(selected)].join(', ')} FROM "${relation}" AS link WHERE ${shown(['from_id', from])} AND ${shown(['to_id', to])}`,
    keys: keys.map((name) => `link.${name}`),
    moment,
  })
  const faded = relation === 'CONTAINS_WORKING' ? mapped(pages, (row) => fadedRow(row, moment)) : pages
  const isFilled = writeSheet(sheets, relation, columns, faded)
  const defined = own.map(({ name, type }) => `, \`${name}\` ${type}`).join('')
  const made = `CREATE REL TABLE \`${relation}\` (FROM \`${from}\` TO \`${to}\`${defined})`
  return isFilled ? [made, copyStatement(sheets, relation, columns)] : [made]
}

function fadedRow(row: SqlRow, { atMs, halfLifeSeconds }: ProjectionMoment): SqlRow {
  const createdMs = Date.parse(String(row.created_at))
  return { ...row, activation_level: activationAt(Number(row.activation_level), createdMs, atMs, halfLifeSeconds) }
}

function shownCondition(label: NodeLabel): string {
  if (label === 'WorkingMemory') return `NOT (${IS_DEAD})`
  return label === 'ProceduralMemory' ? SHOWN_PROCEDURE : EVERY
}

interface Paged {
  readonly select: string
  /** By which a row is told from every other. */
  readonly keys: readonly string[]
  readonly moment: ProjectionMoment
}

/** So many rows at a time that a large graph does not stand in memory twice. */
function* pagesOf(database: Database, { select, keys, moment }: Paged): Generator<readonly SqlRow[]> {
  // SQLite takes no parameter that it does not use.
  const parameters: SqlParameters = select.includes('$at') ? { at: isoTime(moment.atMs) } : {}
  const named = keys.map((key) => key.replace(/^link\./, ''))
  const order = `ORDER BY ${keys.join(', ')} LIMIT ${PAGE_ROWS}`
  const after = `(${keys.join(', ')}) > (${named.map((name) => `$after_${name}`).join(', ')})`
  let rows = database.all(`${select} ${order}`, parameters)
  while (rows.length > 0) {
    yield rows
    const last = rows.at(-1)
    if (rows.length < PAGE_ROWS || last === undefined) return
    const place = Object.fromEntries(named.map((name) => [`after_${name}`, last[name] ?? null]))
    rows = database.all(`${select} AND ${after} ${order}`, { ...parameters, ...place })
  }
}

function* mapped(pages: Iterable<readonly SqlRow[]>, change: (row: SqlRow) => SqlRow): Generator<readonly SqlRow[]> {
  for (const rows of pages) yield rows.map(change)
}

/** @returns whether there was anything to write */
function writeSheet(
  sheets: SheetWriter,
  name: string,
  columns: readonly Column[],
  pages: Iterable<readonly SqlRow[]>,
  watch: (row: SqlRow) => void = () => {},
): boolean {
  let isFilled = false
  for (const rows of pages) {
    isFilled = true
    const lines = rows.map((row) => {
      watch(row)
      return columns.map((column) => column.written(row[column.name] ?? null)).join(',')
    })
    sheets.write(name, `${lines.join('\n')}\n`)
  }
  return isFilled
}

function copyStatement(sheets: SheetWriter, name: string, columns: readonly Column[]): string {
  const headers = columns.map((column) => `\`${column.name}\` ${column.sheetType}`).join(', ')
  const taken = columns.map((column) => column.taken(`\`${column.name}\``)).join(', ')
  // Line ends stand in quoted texts, where readers that work side by side would lose them.
  const form = `HEADER=false, DELIM=',', QUOTE='"', ESCAPE='"', PARALLEL=false, AUTO_DETECT=false`
  return `COPY \`${name}\` FROM (LOAD WITH HEADERS (${headers}) FROM ${cypherText(sheets.pathOf(name))} (${form}) RETURN ${taken})`
}

/** As a text in a statement. */
function cypherText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const asItIs = (name: string) => name
const plain = (value: SqlValue) => (value === null ? '' : String(value))

function keyColumn(name: string): Column {
  return {
    name,
    engineName: name,
    type: 'STRING',
    sheetType: 'STRING',
    taken: asItIs,
    written: (value) => quoted(String(value)),
  }
}

function columnOf(property: Property, mark: string): Column {
  const { name, type } = property
  const column = { name, engineName: engineName(property), type: TYPES[type], sheetType: TYPES[type], taken: asItIs }
  switch (type) {
    case 'string':
      // The engine takes an empty text for none at all, so each text has a point in front.
      return { ...column, taken: behindPoint, written: (value) => (value === null ? '' : quoted(`.${String(value)}`)) }
    case 'strings':
      return { ...column, sheetType: 'STRING', taken: (sheet) => splitAt(sheet, mark), written: listWriter(mark) }
    case 'bool':
      return { ...column, written: (value) => (value === null ? '' : String(value === 1)) }
    case 'timestamp':
    case 'double':
    case 'int64':
      return { ...column, written: plain }
  }
}

function behindPoint(name: string): string {
  return `substring(${name}, 2, size(${name}))`
}

/** The engine's own form of a list does not hold every text, so the items lie in one, a mark between them. */
function listWriter(mark: string): (value: SqlValue) => string {
  return (value) => quoted(itemsOf(value).join(mark))
}

function itemsOf(value: SqlValue): readonly string[] {
  return JSON.parse(String(value)) as readonly string[]
}

/** Items without a character are left out by it. To change items one by one, as texts are, corrupts the engine's memory. */
function splitAt(name: string, mark: string): string {
  return `CASE WHEN ${name} IS NULL THEN CAST([] AS STRING[]) ELSE string_split(${name}, ${cypherText(mark)}) END`
}

/** Sets the lists of a node that have an item without a character; few have. */
function listStatements(label: NodeLabel, row: SqlRow): readonly string[] {
  const { key, properties } = NODES[label]
  const lists = properties.filter(({ type, name }) => type === 'strings' && itemsOf(row[name] ?? null).includes(''))
  return lists.map(({ name }) => {
    const items = itemsOf(row[name] ?? null).map(cypherText)
    return `MATCH (n:\`${label}\` {\`${key}\`: ${cypherText(String(row[key]))}}) SET n.\`${name}\` = [${items.join(', ')}]`
  })
}

/**
 * Of a fixed length where all vectors have one, as the engine computes likeness with no others; of one type in all tables.
 */
function vectorType(database: Database): string {
  const widths = NODE_LABELS.filter((label) => NODES[label].kind !== null).flatMap((label) =>
    database.all(`SELECT DISTINCT embedding_dimension AS width FROM "${label}" WHERE embedding IS NOT NULL LIMIT 2`),
  )
  const [width, ...others] = new Set(widths.map((row) => Number(row.width)))
  return width === undefined || others.length > 0 ? 'FLOAT[]' : `FLOAT[${width}]`
}

function vectorColumn(type: string): Column {
  const name = EMBEDDING
  return { name, engineName: name, type, sheetType: type, taken: asItIs, written: writtenVector }
}

function writtenVector(value: SqlValue): string {
  if (!(value instanceof Uint8Array)) return ''
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  // So many digits tell any two numbers of 32 bits apart, half as many as JavaScript writes of them.
  const numbers = Array.from({ length: value.byteLength / 4 }, (_, at) => view.getFloat32(at * 4, true).toPrecision(9))
  return `"[${numbers.join(',')}]"`
}
