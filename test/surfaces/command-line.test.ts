import { describe, expect, test } from 'bun:test'
import { namesNoCommand, readCommandLine } from '../../src/surfaces/command-line.ts'
import { COMMANDS } from '../../src/surfaces/commands.ts'

function read(...argv: string[]) {
  const line = readCommandLine(argv)
  if (line.kind !== 'run') throw new Error(`read as ${line.kind}`)
  return { name: line.operation.name, input: line.input, common: line.common }
}

describe('a command line', () => {
  test('becomes an operation with its input', () => {
    expect(read('search', 'stale index', '--limit', '3', '--index=when_to_use_content')).toMatchObject({
      name: 'procedure_search',
      input: { query: 'stale index', limit: 3, index: 'when_to_use_content' },
    })
  })

  test.each([
    [['import', 'a.log', 'b.log'], { files: ['a.log', 'b.log'] }],
    [['import', '42.log'], { files: ['42.log'] }],
    [['import', 'a', '--request-id', '007'], { files: ['a'], request_id: '007' }],
    [['import', 'a', '--request-id=1e3'], { files: ['a'], request_id: '1e3' }],
    [['import', 'a', '--memory-hint', '- what -'], { files: ['a'], memory_hint: '- what -' }],
    [['import', 'a', '--memory-hint', '--force was wrong'], { files: ['a'], memory_hint: '--force was wrong' }],
    [['import', 'a', '--memory-hint=a=b'], { files: ['a'], memory_hint: 'a=b' }],
    [['import', 'a', '--memory-hint='], { files: ['a'], memory_hint: '' }],
    [['import', 'a', '--no-redact'], { files: ['a'], redact: false }],
    [['import', '--resume', 'x'], { files: [], resume: 'x' }],
    [['search', '--', '--json'], { query: '--json' }],
    [['search', '--min-fit', '-0.5', 'x'], { query: 'x', min_fit: -0.5 }],
    [['search', 'true', '--json'], { query: 'true' }],
    [['search', 'config'], { query: 'config' }],
    [['import', 'a', '--memory-hint', '-v'], { files: ['a'], memory_hint: '-v' }],
    [['import', 'a', '--source-id', '--help'], { files: ['a'], source_id: '--help' }],
    [['--workspace', 'status', 'search', 'import'], { query: 'import' }],
    [['--limit', '2', 'search', 'x'], { query: 'x', limit: 2 }],
  ])('%j keeps every value as typed', (argv, input) => {
    expect(read(...argv).input).toEqual(input)
  })

  test('takes common flags before and after the command', () => {
    const common = { json: true, quiet: false, workspace: 'w', config: null, envFile: '.env' }
    expect(read('--json', '--workspace', 'w', 'status', '--env-file', '.env').common).toEqual(common)
  })

  test.each([
    [['serch', 'x'], 'unknown_command', 'did you mean search?'],
    [['memroy', 'recall', 'x'], 'unknown_command', 'did you mean memory recall?'],
    [['sesion', 'start'], 'unknown_command', 'did you mean session start?'],
    [['--vresion'], 'unknown_command', 'no option --vresion; did you mean --version?'],
    [['-x'], 'unknown_command', 'no option -x; a command comes first'],
    [['--json'], 'unknown_command', 'a command is missing'],
    [['frobnicate'], 'unknown_command', '--help'],
    [['index'], 'unknown_command', 'write one of index stats, index export'],
    [['index', '--json'], 'unknown_command', 'write one of index stats, index export'],
    [['index', 'exprot'], 'unknown_command', 'did you mean index export?'],
    [['index', 'frobnicate'], 'unknown_command', 'see knowhow index --help'],
    [['serch', '--help'], 'unknown_command', 'did you mean search?'],
    [['help', 'frobnicate'], 'unknown_command', 'see knowhow --help'],
    [['search'], 'invalid_argument', 'query is missing'],
    [['search', 'two', 'words'], 'invalid_argument', 'quotes'],
    [['search', 'x', '--limt', '3'], 'invalid_argument', 'did you mean --limit?'],
    [['search', 'x', '-z'], 'invalid_argument', 'no option -z'],
    [['search', 'x', '--limit'], 'invalid_argument', 'needs a value'],
    [['search', 'x', '--limit', '--json'], 'invalid_argument', 'needs a value'],
    [['search', 'x', '--limit', 'ten'], 'invalid_argument', 'takes a number'],
    [['search', 'x', '--limit', '0x10'], 'invalid_argument', 'takes a number'],
    [['search', 'x', '--limit', '1e2'], 'invalid_argument', 'takes a number'],
    [['search', 'x', '--limit', '1', '--limit', '2'], 'invalid_argument', '2 times'],
    [['search', 'x', '--__proto__', 'y'], 'invalid_argument', 'no option'],
    [['search', 'x', '--constructor'], 'invalid_argument', 'no option'],
    [['status', '--workspace'], 'invalid_argument', 'needs a value'],
    [['create'], 'unknown_command', '--help'],
    [['status', '--json=1'], 'invalid_argument', '--json takes no value'],
    [['--json'], 'unknown_command', 'a command is missing'],
    [['status', 'extra'], 'invalid_argument', 'no place for "extra"'],
  ])('%j is refused with advice', (argv, code, advice) => {
    expect(() => read(...argv)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(advice) }))
  })

  test.each([
    [['index', 'stats', '--json']],
    [['--json', 'index', 'stats']],
    [['--workspace', 'elsewhere', 'index', 'stats']],
    [['--workspace=elsewhere', 'index', 'stats']],
  ])('%j is a command of two words', (argv) => {
    expect(read(...argv)).toMatchObject({ name: 'index_stats', input: {} })
  })

  test('asks for version and help anywhere before "--"', () => {
    expect(readCommandLine(['--version']).kind).toBe('version')
    expect(readCommandLine(['search', '--help']).kind).toBe('help')
    expect(readCommandLine([]).kind).toBe('help')
    expect(readCommandLine(['help', 'import']).kind).toBe('help')
    expect(readCommandLine(['version']).kind).toBe('version')
    expect(read('search', '--', '--help').input).toEqual({ query: '--help' })
  })

  test('takes a version behind a command for a property that it has not', () => {
    const argv = ['memory', 'remember', 'semantic', '--concept', 'c', '--content', 'x', '--version', '3']
    expect(() => readCommandLine(argv)).toThrow('--version')
  })
})

test.each([
  [[], true],
  [['--json'], true],
  [['--workspace', 'status'], true],
  [['--workspace', 'w', '--quiet'], true],
  [['--workspace', 'w', 'status'], false],
  [['status'], false],
  [['--help'], false],
  [['--workspace', 'w', '-v'], false],
] as const)('%j names no command: %p', (argv, namesNone) => {
  expect(namesNoCommand(argv)).toBe(namesNone)
})

test('to tell whether a command is named makes no schema, where the first word tells', () => {
  const made: string[] = []
  const inputs = COMMANDS.map((command) => ({ command, input: command.input }))
  for (const { command, input } of inputs)
    Object.assign(command, {
      input: () => {
        made.push(command.command ?? '')
        return input()
      },
    })
  try {
    for (const argv of [['search', 'x'], [], ['--help']]) namesNoCommand(argv)
  } finally {
    for (const { command, input } of inputs) Object.assign(command, { input })
  }
  expect(made).toEqual([])
})
