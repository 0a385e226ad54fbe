/**
 * The process that holds the graph engine: this program, started once more by itself. It reads messages from standard
 * input, answers each on standard output, and is over when its input ends, whatever it is at.
 */
import { mkdirSync, rmSync } from 'node:fs'
import process from 'node:process'
import type { CypherRow } from '../model/cypher-value.ts'
import type { CypherQuestion, CypherResult } from '../ports.ts'
import { type Addon, loadAddon, MissingAddon, type NativeConnection, type NativeResult } from './cypher-addon.ts'
import type { FromEngine, ToEngine } from './cypher-messages.ts'
import { toldRow } from './cypher-values.ts'
import { messageLines } from './message-lines.ts'

const POOL_BYTES = 1024 * 1024 * 1024
/** Of address space, a power of two. */
const DATABASE_BYTES_MAX = 16 * 1024 * 1024 * 1024

interface Opened {
  readonly addon: Addon
  readonly connection: NativeConnection
}

let folder: string | null = null
let opened: Opened | null = null

export function runCypherProcess(): void {
  // Whoever asks waits for the answer before the next message.
  messageLines(process.stdin, (line) => void answer(JSON.parse(line) as ToEngine))
  process.stdin.on('end', leave)
}

async function answer(message: ToEngine): Promise<void> {
  process.stdout.write(`${JSON.stringify(await answerTo(message))}\n`)
}

/** Whoever asked has gone. A thread of the engine may be at work for hours yet, so nobody waits for it. */
function leave(): void {
  removeFolder()
  process.kill(process.pid, 'SIGKILL')
}

function removeFolder(): void {
  if (folder === null) return
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Where a loaded library cannot be removed, whoever made the folder removes it afterwards.
  }
}

async function answerTo(message: ToEngine): Promise<FromEngine> {
  if ('folder' in message) return makeFolder(message.folder)
  if ('load' in message) return load()
  if (opened === null) return { fault: 'unavailable', message: 'it was not opened' }
  return 'fill' in message ? fill(opened, message.fill) : ask(opened, message.ask)
}

function makeFolder(path: string): FromEngine {
  try {
    mkdirSync(path, { mode: 0o700 })
    folder = path
    return { made: true }
  } catch (error) {
    return { fault: 'unavailable', message: `there is no folder for it (${messageOf(error)})` }
  }
}

function load(): FromEngine {
  try {
    if (folder === null) throw new Error('it has no folder')
    const addon = loadAddon(folder)
    const database = new addon.NodeDatabase(
      ':memory:',
      POOL_BYTES,
      true,
      false,
      DATABASE_BYTES_MAX,
      false,
      -1,
      true,
      true,
      true,
    )
    database.initSync()
    const connection = new addon.NodeConnection(database)
    connection.initSync()
    opened = { addon, connection }
    return { version: addon.NodeDatabase.getVersion() }
  } catch (error) {
    return { fault: error instanceof MissingAddon ? 'missing' : 'unavailable', message: messageOf(error) }
  }
}

/** The engine has read all by then, so that no copy of a memory lies about while somebody's question runs. */
async function fill(engine: Opened, statements: readonly string[]): Promise<FromEngine> {
  try {
    await run(engine, statements)
    return { filled: true }
  } catch (error) {
    return { fault: 'failed', message: messageOf(error) }
  } finally {
    removeFolder()
  }
}

async function run({ addon, connection }: Opened, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const result = new addon.NodeQueryResult()
    await settled((done) => connection.queryAsync(statement, result, done))
    result.close()
  }
}

async function ask(engine: Opened, question: CypherQuestion): Promise<FromEngine> {
  try {
    await run(engine, question.before)
    const isWrong = WRONG_PLAN.test(await planOf(engine, question))
    if (isWrong) await run(engine, [optimizer(false)])
    try {
      return { result: await resultOf(engine, question) }
    } finally {
      if (isWrong) await run(engine, [optimizer(true)])
      await run(engine, question.after)
    }
  } catch (error) {
    const message = messageOf(error)
    return { fault: message.startsWith('Buffer manager exception') ? 'failed' : 'refused', message }
  }
}

/** An operator that counts relations of the nodes with most, and answers with the bytes of keys that it has given up. */
const WRONG_PLAN = /\bREL_DEGREE_TABLE\b/

function optimizer(isOn: boolean): string {
  return `CALL enable_plan_optimizer=${isOn}`
}

/** '' for what the engine does not take: it says why when it is asked. */
async function planOf({ addon, connection }: Opened, { query, parameters }: CypherQuestion): Promise<string> {
  const statement = new addon.NodePreparedStatement(connection, `EXPLAIN ${query}`)
  await settled((done) => statement.initAsync(done))
  if (!statement.isSuccess()) return ''
  const result = new addon.NodeQueryResult()
  try {
    await settled((done) => connection.executeAsync(statement, result, Object.entries(parameters), done))
    return result.hasNext() ? Object.values(result.getNextSync()).map(String).join('\n') : ''
  } finally {
    result.close()
  }
}

async function resultOf({ addon, connection }: Opened, question: CypherQuestion): Promise<CypherResult> {
  const statement = new addon.NodePreparedStatement(connection, question.query)
  await settled((done) => statement.initAsync(done))
  if (!statement.isSuccess()) throw new Error(statement.getErrorMessage())
  // A second door behind the one that looks at the words.
  if (!statement.isReadOnly()) throw new Error('the engine says that this would write')
  const result = new addon.NodeQueryResult()
  try {
    await settled((done) => connection.executeAsync(statement, result, Object.entries(question.parameters), done))
    return takenRows(result, question)
  } finally {
    result.close()
  }
}

function takenRows(result: NativeResult, { rowsMax, unitsMax }: CypherQuestion): CypherResult {
  const columns = result.getColumnNamesSync()
  const names = result.getColumnDataTypesSync()
  const types = new Map(columns.map((column, at) => [column, names[at] ?? '']))
  const rows: CypherRow[] = []
  let units = 0
  while (result.hasNext()) {
    if (rows.length === rowsMax) return { columns, rows, cutBy: 'rows' }
    const row = toldRow(result.getNextSync(), types)
    units += JSON.stringify(row).length
    if (units > unitsMax) return { columns, rows, cutBy: 'units' }
    rows.push(row)
  }
  return { columns, rows, cutBy: null }
}

function settled(begin: (done: (fault: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((fault) => (fault === null || fault === undefined ? resolve() : reject(fault)))
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
