/** The process that holds the graph engine: what it tells, how it ends, and what it leaves behind. */
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import type { CypherRow } from '../../src/model/cypher-value.ts'
import type { CypherEngine, CypherQuestion, SheetWriter } from '../../src/ports.ts'

/** No test waits for it to be over. */
const PATIENT = { timeLimitMs: 120_000, limitMs: 120_000 }
const ENGINE_MODULE = join(import.meta.dir, '../../src/adapters/cypher-engine.ts')
const ENDLESS = 'UNWIND range(1, 10000000) AS a UNWIND range(1, 10000000) AS b RETURN sum(a * b) AS s'

const open: CypherEngine[] = []
afterEach(() => {
  for (const engine of open.splice(0)) engine[Symbol.dispose]()
})

interface Started {
  readonly engine: CypherEngine
  readonly folder: string
}

/** With these statements in it. */
async function started(...statements: readonly string[]): Promise<Started> {
  const engine = await openCypherEngine()
  open.push(engine)
  let folder = ''
  await engine.fill((sheets) => {
    folder = dirname(sheets.pathOf('x'))
    return statements
  }, PATIENT)
  return { engine, folder }
}

function question(query: string, more: Partial<CypherQuestion> = {}): CypherQuestion {
  return { query, before: [], after: [], parameters: {}, rowsMax: 100, unitsMax: 100_000, ...more }
}

async function rowOf(query: string, parameters: CypherQuestion['parameters'] = {}): Promise<CypherRow | undefined> {
  const { engine } = await started()
  return (await engine.ask(question(query, { parameters }), PATIENT)).rows[0]
}

describe('values', () => {
  test('whole numbers are exact, beyond 2^53 as text', async () => {
    expect(await rowOf('RETURN 9007199254740991 AS a, CAST(9007199254740993 AS INT128) AS b, -5 AS c')).toEqual({
      a: 9007199254740991,
      b: '9007199254740993',
      c: -5,
    })
  })

  test('a whole number that the engine would hand over rounded is refused, and how to ask for it told', async () => {
    await expect(rowOf('RETURN 9007199254740993 AS b')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('CAST'),
    })
  })

  test('times are ISO text, dates days, lists and structs what they are', async () => {
    const query = `RETURN timestamp('2026-01-02 03:04:05.678') AS t, date('2026-01-02') AS d, [1, 2] AS l, {a: 'x'} AS s,
      null AS n, true AS b, 0.1 AS f`
    expect(await rowOf(query)).toEqual({
      t: '2026-01-02T03:04:05.678Z',
      d: '2026-01-02',
      l: [1, 2],
      s: { a: 'x' },
      n: null,
      b: true,
      f: 0.1,
    })
  })

  test('parameters are values and no part of the query', async () => {
    const text = 'x\' RETURN 1 //\n\0 \\ " ` $a'
    expect(await rowOf('RETURN $a AS a, $b AS b', { a: text, b: [1.5, 2] })).toEqual({ a: text, b: [1.5, 2] })
  })
})

describe('limits', () => {
  test('rows beyond the most that an answer has are left out, and that is told', async () => {
    const { engine } = await started()
    const some = question('UNWIND range(1, 5) AS x RETURN x', { rowsMax: 2 })
    expect(await engine.ask(some, PATIENT)).toEqual({ columns: ['x'], rows: [{ x: 1 }, { x: 2 }], cutBy: 'rows' })
    expect(await engine.ask({ ...some, rowsMax: 5 }, PATIENT)).toMatchObject({ cutBy: null })
    expect(await engine.ask({ ...some, rowsMax: 5, unitsMax: 20 }, PATIENT)).toMatchObject({ cutBy: 'units' })
  })

  test('a query without end is ended, with its process and its folder', async () => {
    const { engine, folder } = await started()
    const limits = { timeLimitMs: 1, limitMs: 1000 }
    await expect(engine.ask(question(ENDLESS), limits)).rejects.toMatchObject({
      code: 'cypher_timeout',
      message: expect.stringContaining('1 s'),
    })
    expect(existsSync(folder)).toBe(false)
    await expect(engine.ask(question('RETURN 1'), PATIENT)).rejects.toMatchObject({ code: 'cypher_failed' })
  })

  test('a query is interrupted by its signal', async () => {
    const { engine } = await started()
    const stopping = new AbortController()
    const answer = engine.ask(question(ENDLESS), { ...PATIENT, signal: stopping.signal })
    stopping.abort()
    await expect(answer).rejects.toMatchObject({ code: 'interrupted' })
  })

  test('more memory than there is for it fails, and is told', async () => {
    const { engine } = await started()
    await expect(engine.ask(question("RETURN repeat('a', 4000000000) AS a"), PATIENT)).rejects.toMatchObject({
      code: 'cypher_failed',
      message: expect.stringContaining('memory'),
    })
  })
})

describe('questions that the engine does not take', () => {
  test('are told in its words, and leave it as it was', async () => {
    const { engine } = await started()
    await expect(engine.ask(question('MATCH (n:Nobody) RETURN n'), PATIENT)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Nobody'),
    })
    expect((await engine.ask(question('RETURN 1 AS x'), PATIENT)).rows).toEqual([{ x: 1 }])
  })

  test('would write, whatever was looked at before', async () => {
    const { engine } = await started('CREATE NODE TABLE T(id STRING PRIMARY KEY)')
    await expect(engine.ask(question("CREATE (:T {id: 'x'})"), PATIENT)).rejects.toThrow('would write')
    expect((await engine.ask(question('MATCH (t:T) RETURN count(*) AS c'), PATIENT)).rows).toEqual([{ c: 0 }])
  })
})

describe('what lies on the disk', () => {
  test('is in a folder of its owner alone, and gone before the first question', async () => {
    const engine = await openCypherEngine()
    open.push(engine)
    let folder = ''
    const write = (sheets: SheetWriter) => {
      sheets.write('t', '"x"\n')
      folder = dirname(sheets.pathOf('t'))
      expect(statSync(folder).mode & 0o777).toBe(0o700)
      expect(statSync(sheets.pathOf('t')).mode & 0o777).toBe(0o600)
      return ['CREATE NODE TABLE T(id STRING PRIMARY KEY)', `COPY T FROM '${sheets.pathOf('t')}' (HEADER=false)`]
    }
    await engine.fill(write, PATIENT)
    expect(existsSync(folder)).toBe(false)
    expect((await engine.ask(question('MATCH (t:T) RETURN t.id AS id'), PATIENT)).rows).toEqual([{ id: 'x' }])
  })

  test('is removed when a statement of ours fails', async () => {
    const engine = await openCypherEngine()
    open.push(engine)
    let folder = ''
    const write = (sheets: SheetWriter) => {
      folder = dirname(sheets.pathOf('x'))
      return ['COPY nothing FROM nowhere']
    }
    await expect(engine.fill(write, PATIENT)).rejects.toMatchObject({ code: 'cypher_failed' })
    expect(folder).toContain('knowhow-cypher-')
    expect(existsSync(folder)).toBe(false)
  })

  test('is not there before the process is that removes it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'knowhow-engine-'))
    const program = `
      import { openCypherEngine } from ${JSON.stringify(ENGINE_MODULE)}
      const engine = await openCypherEngine([process.execPath, '-e', 'setInterval(() => {}, 1e6)'])
      engine.ready(${JSON.stringify(PATIENT)}).catch(() => {})
      setImmediate(() => {
        console.log(readdirSync(tmpdir()).length)
        engine[Symbol.dispose]()
      })
    `
    const env = { ...process.env, TMPDIR: folder }
    const imports = "import { readdirSync } from 'node:fs'; import { tmpdir } from 'node:os';"
    const { stdout } = Bun.spawnSync([process.execPath, '-e', `${imports}${program}`], { env })
    rmSync(folder, { recursive: true })
    expect(stdout.toString().trim()).toBe('0')
  })

  test('is removed by the engine when the program is killed', async () => {
    const program = `
      import { openCypherEngine } from ${JSON.stringify(ENGINE_MODULE)}
      const engine = await openCypherEngine()
      engine.fill((sheets) => {
        sheets.write('t', 'secret')
        console.log(sheets.pathOf('t'))
        process.kill(process.pid, 'SIGKILL')
        return []
      }, ${JSON.stringify(PATIENT)})
    `
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
    const sheet = (await new Response(child.stdout).text()).trim()
    expect(sheet).toContain('knowhow-cypher-')
    while (existsSync(dirname(sheet))) await new Promise(setImmediate)
  })
})

describe('an engine that cannot be had', () => {
  test('is told with what stands in its way', async () => {
    const answer = '{"fault":"unavailable","message":"libssl.so.3: cannot open shared object file"}'
    const engine = await openCypherEngine([
      process.execPath,
      '-e',
      `console.log('${answer}'); setInterval(() => {}, 1e6)`,
    ])
    open.push(engine)
    await expect(engine.ready(PATIENT)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('libssl.so.3'),
    })
  })

  test('is told when its process speaks something else', async () => {
    const engine = await openCypherEngine([process.execPath, '-e', "console.log('hello'); setInterval(() => {}, 1e6)"])
    await expect(engine.ready(PATIENT)).rejects.toMatchObject({ code: 'engine_unavailable' })
  })

  test('is told when its process does not start, or ends at once', async () => {
    for (const program of [['/nowhere/knowhow'], [process.execPath, '-e', 'process.exit(7)']]) {
      const engine = await openCypherEngine(program)
      await expect(engine.ready(PATIENT)).rejects.toMatchObject({ code: 'engine_unavailable' })
    }
  })
})
