/** The compiled program in a real pseudo-terminal, its screen read as a person would. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packedEngine } from '../../../scripts/packed-engine.ts'
import { PseudoTerminal } from '../../../scripts/pseudo-terminal.ts'
import { experienceBytes } from '../../../src/model/experience.ts'
import { compiledProgram } from '../../fakes/compiled-program.ts'

/** Compiling; no test waits for it to be over. */
const PATIENT_MS = 180_000
const UP = '\u001b[A'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const READY = /knowhow> *$/

const folder = mkdtempSync(join(tmpdir(), 'knowhow-repl-'))
const workspace = join(folder, 'workspace')
const packed = packedEngine()
let program = ''
let homes = 0
let home = ''
let terminal: PseudoTerminal

beforeAll(async () => {
  program = await compiledProgram({ engine: packed })
  const procedures = join(workspace, 'procedures')
  mkdirSync(procedures, { recursive: true })
  const write = (name: string, situation: string, content: string) =>
    writeFileSync(
      join(procedures, `${name}.json`),
      experienceBytes({ description: `About ${name}`, 'when-to-use': situation, content, sources: [] }),
    )
  write('clear-cache', 'When rebuilding gives stale results', 'Remove the cache, then build again.')
  write('raise-limit', 'When an upload of a large build fails', 'Raise the limit.')
  write(
    'long-text',
    'When zebras have to be counted',
    Array.from({ length: 60 }, (_, at) => `step ${at + 1}`).join('\n'),
  )
  write('wide-text', 'When 検索 finds nothing', '索引を作り直すと検索できるようになる。'.repeat(6))
}, PATIENT_MS)

afterEach(async () => terminal[Symbol.asyncDispose]())

afterAll(() => {
  if (packed !== null) rmSync(packed.packedPath)
  rmSync(dirname(program), { recursive: true })
  rmSync(folder, { recursive: true })
})

interface Screen {
  readonly columns?: number
  readonly rows?: number
  readonly environment?: Readonly<Record<string, string>>
  readonly argv?: readonly string[]
  readonly program?: readonly string[]
}

/** In a home of its own, unless one is kept. */
async function open({ columns = 100, rows = 24, environment = {}, argv = ['repl'], program: own }: Screen = {}) {
  terminal = new PseudoTerminal([...(own ?? [program]), ...argv], {
    columns,
    rows,
    environment: {
      TERM: 'xterm-256color',
      PATH: process.env.PATH ?? '',
      HOME: home,
      KNOWHOW_WORKSPACE: workspace,
      EMBEDDING_BACKEND: 'none',
      ...environment,
    },
  })
  await terminal.shows('knowhow>')
}

const newHome = () => {
  homes += 1
  home = join(folder, `home-${homes}`)
  mkdirSync(home)
}
const historyFile = () => join(home, '.local', 'state', 'knowhow', 'history')
const linesKept = () => readFileSync(historyFile(), 'utf8').split('\n').slice(0, -1)

async function enter(line: string, shows: string | RegExp): Promise<void> {
  terminal.type(`${line}\r`)
  await terminal.shows(shows)
}

beforeAll(newHome)

describe.skipIf(process.platform === 'win32')('at a terminal', () => {
  test('the program without a command tells what it has opened, and waits for a line', async () => {
    await open({ argv: [] })
    expect(terminal.lines[0]).toMatch(/^knowhow \d+\.\d+\.\d+ {2}4 experiences, 0 memories {2}\//)
    expect(terminal.lines[1]).toContain('/help')
    expect(terminal.text).toMatch(READY)
  })

  test('a line is a search, its words are marked, and its results are read by number', async () => {
    await open()
    await enter('rebuild', /1\. About clear-cache[\s\S]*knowhow> *$/)
    expect(terminal.underlined).toEqual(['rebuilding'])
    await enter('/read 1', 'Remove the cache, then build again.')
    await enter('/status', 'experiences   4')
  })

  test('a long text comes page by page', async () => {
    await open({ rows: 12 })
    await enter('zebras', /About long-text[\s\S]*knowhow> *$/)
    await enter('/read 1', /\d+ of 6\d lines: space goes on, b back, q or the next line leaves/)
    expect(terminal.text).toContain('About long-text')
    expect(terminal.text).not.toContain('step 10\n')
    terminal.type(' ')
    await terminal.shows('step 10\n')
    terminal.type('b')
    await terminal.shows('About long-text')
    terminal.type('q')
    await terminal.shows(/lines[^\n]*$|knowhow> *$/)
    await enter('/limit', 'limit: default')
  })

  test('Tab completes commands and paths, and lists what there is to choose from', async () => {
    await open()
    terminal.type('/memory rec\t')
    await terminal.shows('/memory recall')
    terminal.type('\u0015/read procedures/cl\t')
    await terminal.shows('/read procedures/clear-cache.json')
    terminal.type('\r')
    await terminal.shows('Remove the cache')
    terminal.type('/read procedures/\t\t')
    await terminal.shows('procedures/raise-limit.json')
    expect(terminal.text).toContain('procedures/wide-text.json')
  })

  test('what is typed behind a Tab, however fast, is for the line that it completes', async () => {
    await open()
    terminal.type('/read procedures/cl\t\r')
    await terminal.shows('Remove the cache')
    terminal.type('/memory rec\t cache\r/limit default\r')
    await terminal.shows('limit: default')
    expect(terminal.text).not.toContain('knowhow: ')
  })

  test('Ctrl-C clears the line, and on an empty one says how to leave', async () => {
    await open()
    terminal.type('half a line')
    await terminal.shows('half a line')
    terminal.type(CTRL_C)
    await terminal.shows(READY)
    terminal.type(CTRL_C)
    await terminal.shows('Ctrl-D or /quit leaves.')
    await enter('rebuild', 'About clear-cache')
  })

  test.skipIf(packed === null)('Ctrl-C stops what runs, drops what was typed meanwhile, and goes on', async () => {
    await open()
    const endless = 'UNWIND range(1, 10000000) AS a UNWIND range(1, 10000000) AS b RETURN sum(a * b) AS s'
    terminal.type(`/cypher "${endless}"\r/limit\r${CTRL_C}`)
    await terminal.shows(/interrupted[\s\S]*knowhow> *$/)
    await enter('rebuild', 'About clear-cache')
    expect(terminal.text).not.toContain('limit:')
  })

  test.each([
    ['Ctrl-D', CTRL_D],
    ['/quit', '/quit\r'],
  ])('%s leaves, and the terminal is as it was', async (_, keys) => {
    await open({ program: ['/bin/sh', '-c', '"$0" "$@"; echo "exit $?"; stty -a'], argv: [program, 'repl'] })
    terminal.type(keys)
    await terminal.shows(/exit 0[\s\S]* icanon[\s\S]* echo /)
    expect(terminal.written).toContain('\u001b[?2004l')
  })

  test('several lines that are pasted are one query, which waits to be sent', async () => {
    await open()
    terminal.paste('first line\n  second \u001b[31mline\n/quit\n')
    await terminal.shows('knowhow> first line second <U+001B>[31mline /quit')
    await enter('', 'Nothing fits')
  })

  test('what is pasted is one query also once the program was stopped and goes on', async () => {
    await open()
    terminal.kill('SIGCONT')
    await terminal.writes('\u001b[?2004h', 2)
  })

  test('what is typed while an answer is made is typed once it is there', async () => {
    await open()
    terminal.type('rebuild\r/read 1\r/limit\r')
    await terminal.shows(
      /1\. About clear-cache[\s\S]*\/read 1[\s\S]*Remove the cache[\s\S]*\/limit[\s\S]*limit: default/,
    )
  })

  test('a screen of another size gets the line anew, and answers as wide as it is', async () => {
    await open()
    terminal.type('rebuild')
    await terminal.shows('> rebuild')
    terminal.resize(40, 20)
    await enter('', /When rebuilding gives stale results\n/)
    for (const line of terminal.lines) expect(line.length).toBeLessThanOrEqual(40)
  })

  test('a narrow terminal breaks lines between words and wide characters', async () => {
    await open({ columns: 30 })
    await enter('検索', /About wide-text[\s\S]*> *$/)
    await enter('/read 1', '索引を作り直すと検索')
    const rows = terminal.lines.filter((line) => line.includes('索引'))
    for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(30)
  })

  test('an unknown session, command and path are answered, and the next line too', async () => {
    await open()
    await enter('/session nobody', 'there is no session "nobody"')
    await enter('/serch x', 'did you mean /search?')
    await enter('/import x', /run it on the command line: knowhow\s+import/)
    await enter('rebuild', 'About clear-cache')
  })

  test('a missing workspace is told, and is not made', async () => {
    const missing = join(folder, 'none')
    await open({ environment: { KNOWHOW_WORKSPACE: missing } })
    expect(terminal.text).toContain(`there is no workspace at ${missing}`)
    await enter('rebuild', 'no experiences in this workspace')
    expect(() => statSync(missing)).toThrow()
  })

  test('--json answers each line with one document', async () => {
    await open({ argv: ['repl', '--json'], columns: 1000 })
    await enter('/limit 3', '{"limit":3}')
    await enter('/nope', '{"error":{"code":"unknown_command"')
  })
})

describe.skipIf(process.platform === 'win32')('colour', () => {
  test('and marks are left out with NO_COLOR', async () => {
    await open({ environment: { NO_COLOR: '1' } })
    await enter('rebuild', /About clear-cache[\s\S]*knowhow> *$/)
    expect(terminal.written.replace(/\[[\d;]*m/g, '[m')).not.toContain('\u001b[m')
    expect(terminal.underlined).toEqual([])
  })

  test('and everything else that is drawn is left out where TERM is dumb', async () => {
    await open({ environment: { TERM: 'dumb' }, rows: 10 })
    await enter('zebras', /About long-text[\s\S]*knowhow> *$/)
    await enter('/read 1', 'step 60')
    terminal.type('half')
    await terminal.shows('half')
    terminal.type(CTRL_C)
    await terminal.shows('Ctrl-D or /quit leaves.')
    await enter('rebuild', 'About clear-cache')
    expect(terminal.written).not.toContain('\u001b')
    terminal.type(CTRL_D)
    expect(await terminal.exited).toBe(0)
  })
})

describe.skipIf(process.platform === 'win32')('history', () => {
  test('is there in the next run, for its owner alone, without what is private', async () => {
    newHome()
    await open()
    await enter('rebuild', /About clear-cache[\s\S]*knowhow> *$/)
    await enter(' upload', /About raise-limit[\s\S]*knowhow> *$/)
    await enter('token=ghp_abcdefghijklmnopqrstuvwxyz0123456789', /\n[^\n]*knowhow> *$/)
    await enter('/limit', 'limit: default')
    terminal.type(CTRL_D)
    await terminal.exited
    expect(linesKept()).toEqual(['rebuild', '/limit'])
    expect((statSync(historyFile()).mode & 0o777).toString(8)).toBe('600')
    expect((statSync(dirname(historyFile())).mode & 0o777).toString(8)).toBe('700')
    await terminal[Symbol.asyncDispose]()
    await open()
    terminal.type(`${UP}${UP}`)
    await terminal.shows('knowhow> rebuild')
  })

  test('of two at once is kept of both', async () => {
    newHome()
    await open()
    const first = terminal
    await open()
    await enter('of the second', 'Nothing fits')
    const second = terminal
    terminal = first
    await enter('of the first', 'Nothing fits')
    await enter('/quit', /quit/)
    await first.exited
    terminal = second
    await enter('again', /again\nNothing fits/)
    terminal.type(CTRL_D)
    await second.exited
    expect(linesKept()).toEqual(['of the second', 'of the first', '/quit', 'again'])
    await first[Symbol.asyncDispose]()
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('outlives %s, which ends the program', async (signal) => {
    newHome()
    await open()
    await enter('rebuild', /About clear-cache[\s\S]*knowhow> *$/)
    terminal.kill(signal)
    expect(await terminal.exited).toBe(130)
    expect(linesKept()).toEqual(['rebuild'])
  })

  test('outlives a terminal that is gone, which ends the program', async () => {
    newHome()
    await open()
    await enter('rebuild', /About clear-cache[\s\S]*knowhow> *$/)
    terminal.hangUp()
    await terminal.exited
    expect(linesKept()).toEqual(['rebuild'])
  })

  test('is done without where its file is a link, which is told once', async () => {
    newHome()
    mkdirSync(dirname(historyFile()), { recursive: true })
    writeFileSync(join(folder, 'theirs'), 'theirs\n')
    symlinkSync(join(folder, 'theirs'), historyFile())
    await open()
    await terminal.shows('lines are not kept for the next time')
    await enter('rebuild', /About clear-cache[\s\S]*knowhow> *$/)
    await enter('/limit', /limit: default[\s\S]*knowhow> *$/)
    expect(terminal.written.split('lines are not kept').length).toBe(2)
    expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('theirs\n')
  })
})
