import { describe, expect, test } from 'bun:test'
import { operationsFor } from '../../../src/app/operation-table.ts'
import { SHORT_NAMES, shortNames, TYPED_NAMES } from '../../../src/surfaces/repl/repl-commands.ts'
import { readReplLine } from '../../../src/surfaces/repl/repl-line.ts'

const read = (line: string, workspace: string | null = null) => readReplLine(line, workspace)

function run(line: string) {
  const found = read(line)
  if (found.kind !== 'run') throw new Error(`read as ${found.kind}`)
  return { command: found.operation.command, input: found.input }
}

describe('a line without a slash', () => {
  test.each([
    ['stale "index', 'stale "index'],
    ['  --limit 3 ', '--limit 3'],
    [' /read 2', '/read 2'],
    ['//read 2', '/read 2'],
    ['//', '/'],
  ])('%j searches for %j', (line, query) => {
    expect(read(line)).toEqual({ kind: 'search', query })
  })

  test.each(['', '   ', '\t'])('%j asks for nothing', (line) => {
    expect(read(line)).toEqual({ kind: 'nothing' })
  })
})

describe('a command', () => {
  test.each([
    ['/read 2', 'read', { path: '2' }],
    ['/search "stale index" --limit 3', 'search', { query: 'stale index', limit: 3 }],
    ['/memory recall x --types semantic', 'memory recall', { query: 'x', types: 'semantic' }],
    ['/recall x', 'memory recall', { query: 'x' }],
    ['/recall stale build cache --limit 2', 'memory recall', { query: 'stale build cache', limit: 2 }],
    ['/recall -- --json', 'memory recall', { query: '--json' }],
    ['/due', 'memory due', {}],
    ['/session list', 'session list', {}],
    ['/sessions', 'session list', {}],
    ['/show s-1', 'session show', { id: 's-1' }],
    ['/ status', 'status', {}],
  ])('%s', (line, command, input) => {
    expect(run(line)).toMatchObject({ command, input })
  })

  test('is offered for each operation of this surface by its own name, and for no other', () => {
    for (const { command } of operationsFor('repl')) if (command !== null) expect(TYPED_NAMES).toContain(command)
    for (const name of ['import', 'reindex', 'create', 'update', 'backup']) expect(TYPED_NAMES).not.toContain(name)
  })

  test.each([
    ['/serch x', 'unknown_command', 'did you mean /search?'],
    ['/xyzzy', 'unknown_command', 'see /help'],
    ['/memory', 'unknown_command', 'half a command'],
    ['/memory recal x', 'unknown_command', 'did you mean memory recall?'],
    ['/read', 'invalid_argument', 'path is missing'],
    ['/search x --limt 3', 'invalid_argument', 'did you mean --limit?'],
    ['/cypher MATCH (n) RETURN n', 'invalid_argument', 'quotes'],
    ['/status --workspace x', 'invalid_argument', 'knowhow repl --workspace'],
    ['/read "x', 'invalid_argument', 'not closed'],
    ['/limit 3 4', 'invalid_argument', 'one value'],
  ])('%s is refused with %s', (line, code, words) => {
    expect(() => read(line)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(words) }))
  })

  test.each(['/import run.log', '/reindex', '/index stats', '/repl', '/help import'])(
    '%s is told how to run on the command line, for the same workspace',
    (line) => {
      const name = line.replace('/help ', '/').slice(1).replace(' run.log', '')
      const message = expect.stringContaining(`on the command line: knowhow --workspace w ${name}`)
      expect(() => read(line, 'w')).toThrow(expect.objectContaining({ code: 'unknown_command', message }))
    },
  )
})

describe('short names', () => {
  test('are last words that no other command has, and plurals of lists', () => {
    const all = ['import', 'session list', 'session end', 'memory import', 'memory due', 'plan list', 'plans']
    expect(Object.fromEntries(shortNames(all, all))).toEqual({
      sessions: 'session list',
      end: 'session end',
      due: 'memory due',
    })
  })

  test('are none of the words of the REPL itself', () => {
    const all = ['memory help', 'memory limit', 'memory quit', 'memory q']
    expect(shortNames(all, all).size).toBe(0)
  })

  test('lead nowhere else than where their command does', () => {
    for (const [short, name] of SHORT_NAMES)
      expect(TYPED_NAMES.filter((one) => one === short || one === name)).toHaveLength(2)
  })
})

describe('settings, help and the end', () => {
  test.each([
    ['/index when_to_use', { kind: 'setting', name: 'index', value: 'when_to_use' }],
    ['/limit', { kind: 'setting', name: 'limit', value: null }],
    ['/session fix-1', { kind: 'setting', name: 'session', value: 'fix-1' }],
    ['/help', { kind: 'help', topic: null }],
    ['/', { kind: 'help', topic: null }],
    ['/help limit', { kind: 'help', topic: null }],
    ['/quit', { kind: 'quit' }],
    ['/exit', { kind: 'quit' }],
    ['/q', { kind: 'quit' }],
  ] as const)('%s', (line, found) => {
    expect(read(line)).toEqual(found)
  })

  test.each(['/help recall', '/help /recall', '/help memory recall', '/recall --help'])(
    '%s tells of one command',
    (line) => {
      expect(read(line)).toMatchObject({
        kind: 'help',
        topic: { kind: 'command', declared: { command: 'memory recall' } },
      })
    },
  )

  test('/help memory tells of the commands that begin so', () => {
    expect(read('/help memory')).toMatchObject({ topic: { kind: 'group', word: 'memory' } })
  })
})
