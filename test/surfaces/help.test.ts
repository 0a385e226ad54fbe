import { describe, expect, test } from 'bun:test'
import { OPERATIONS } from '../../src/app/operation-table.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'

async function help(...argv: string[]): Promise<string> {
  const { exit, out } = await runCaptured(argv, new FakeMachine())
  expect(exit).toBe(0)
  const long = out.split('\n').filter((line) => line.length > 100 && !/^ {2}(?:\S.* )?knowhow /.test(line))
  expect(long).toEqual([])
  // What goes on in the next line, of the head or of a column.
  return out.replace(/\n(?! *$)(?= {4}|[^\n]*\n\nUsage)\s*/gm, ' ')
}

const listed = (text: string) =>
  OPERATIONS.filter(({ command }) => text.includes(`  ${command} `)).map(({ command }) => command)

describe('help', () => {
  test('says what must be given, and what counts where it is not', async () => {
    expect(await help('memory', 'trigger', '--help')).toContain('The session in which it happened. Required.')
    expect(await help('memory', 'consolidate', '--help')).toContain('0 to 1. Default: 0.7.')
    expect(await help('import', '--help')).not.toMatch(/default.*Default:/i)
  })

  test.each([[[]], [['help']], [['--help']], [['help', 'help']], [['help', 'version']]])(
    'of the program lists every command: %j',
    async (argv) => {
      const text = await help(...argv)
      expect(text).toStartWith('knowhow 1.2.3: the memory of AI agents in one file\n')
      expect(listed(text)).toEqual(OPERATIONS.flatMap(({ command }) => (command === null ? [] : [command])))
    },
  )

  test.each([
    [['index', '--help']],
    [['help', 'index']],
    [['index', '-h', '--quiet']],
    [['index', 'exprot', '--help']],
  ])('of the first word of commands lists those that begin with it: %j', async (argv) => {
    const text = await help(...argv)
    expect(text).toStartWith('knowhow 1.2.3: the commands that begin with index')
    expect(text).toContain('$ knowhow index <command> [options]')
    expect(listed(text)).toEqual(['index stats', 'index export'])
  })

  test.each([[['search', '--help']], [['help', 'search']]])('of one command is about it alone: %j', async (argv) => {
    const text = await help(...argv)
    expect(text).toStartWith('knowhow 1.2.3: Find experiences that fit a situation.')
    expect(text).toContain('$ knowhow search <query> [options]')
    expect(text).toContain('  query  The situation, symptom or error')
    expect(text).not.toContain('Commands:')
  })

  test.each([[['index', 'export', '--help']], [['help', 'index', 'export']]])(
    'names the values that an argument takes, and what they mean: %j',
    async (argv) => {
      const text = await help(...argv)
      expect(text).toContain(
        '  view  when_to_use|when_to_use_content: when_to_use holds the situation of each experience, when_to_use_content the situation and the content.\n',
      )
      expect(text).toContain('  file  A new file')
    },
  )

  test('says what the words of an answer mean', async () => {
    const text = await help('index', 'stats', '--help')
    expect(text).toMatch(/^ {2}generation {2}how often the base, .* was written$/m)
    expect(text).toMatch(/^ {2}beside {6}files that differ from the base: .* next rebuild$/m)
  })

  test.each(['search', 'eval'])('of %s says what the fusions do, and which of them has a weight', async (command) => {
    const text = await help(command, '--help')
    expect(text).toMatch(
      /^ {2}fusion .*rrf, by ranks: .* w being the vector weight; score, by scores: .* without a weight$/m,
    )
  })

  test('of search says what a fit is, and of eval what is measured', async () => {
    expect(await help('search', '--help')).toMatch(/^ {2}fit .*0 to 1: the larger of its cosine .* and the share/m)
    const terms = ['nDCG@10', 'graded nDCG@10', 'recall@10, @100', 'MRR@10', 'gain', 'refused', 'divided']
    const text = await help('eval', '--help')
    for (const term of terms) expect(text).toContain(`\n  ${term} `)
  })

  test('of the program and the schema of settings name each kind of tokenizer there may be', async () => {
    const schema = (await new FakeMachine().run('schema', { kind: 'config' })) as unknown
    for (const text of [await help(), JSON.stringify(schema)])
      expect(text).toContain('builtin:qwen3, the path of a tokenizer.json or its folder, or org/name[@revision] of the')
  })

  test('of tokens says what is kept, and of doctor what is downloaded', async () => {
    expect(await help('tokens', '--help')).toContain(
      'a tokenizer that is not built in may be kept in your cache folder',
    )
    expect(await help('doctor', '--help')).toContain('downloads a tokenizer of the hub that is not cached yet')
  })

  test.each(['status', 'index stats'])('of %s says that it may write the index', async (command) => {
    expect(await help(...command.split(' '), '--help')).toContain('it writes the index first, as a search does')
  })

  test('names the values that an option takes', async () => {
    expect(await help('import', '--help')).toContain('--extractor <auto|llm|offline>')
    expect(await help('search', '--help')).toContain('--index <when_to_use|when_to_use_content>')
    expect(await help('schema', '--help')).toContain('kind  experience|config: ')
  })

  test('puts a long list of values beside what the option means', async () => {
    const text = await help('memory', 'remember', '--help')
    expect(text).toMatch(/^ {2}--category <WORD> +architecture, patterns, user_preferences, domain_knowledge: What/m)
    expect(text).toContain('--memory-type <goal|subgoal|context|constraint>')
  })

  test('of the program says what the exit codes mean', async () => {
    const text = await help()
    for (const line of ['0    Done.', '3    Incomplete:', '4    Another process', '130  Interrupted'])
      expect(text).toContain(`\n  ${line}`)
  })
})

test('with --json is one document', async () => {
  const { out } = await runCaptured(['search', '--help'], new FakeMachine())
  const { out: json } = await runCaptured(['search', '--help', '--json'], new FakeMachine())
  expect(JSON.parse(json)).toEqual({ help: out })
})

test('a value for --json is refused in JSON', async () => {
  const { exit, out } = await runCaptured(['status', '--json=true'], new FakeMachine())
  expect(exit).toBe(2)
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'invalid_argument' } })
})
