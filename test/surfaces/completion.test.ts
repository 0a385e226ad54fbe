import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import type { CommandDeclaration } from '../../src/app/operation.ts'
import { COMMANDS, namesOf } from '../../src/surfaces/commands.ts'
import { completionScript } from '../../src/surfaces/completion/completion.ts'
import { SHELLS } from '../../src/surfaces/completion/shells.ts'
import { commandFlagsOf } from '../../src/surfaces/flags.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'
import { installedShell, offers } from '../fakes/shell-completion.ts'

describe('completion', () => {
  test.each(SHELLS)('for %s is printed, and with --json in a document', async (shell) => {
    const { exit, out } = await runCaptured(['completion', shell], new FakeMachine())
    expect({ exit, out }).toEqual({ exit: 0, out: completionScript(shell, COMMANDS) })
    const { out: json } = await runCaptured(['completion', shell, '--json'], new FakeMachine())
    expect(JSON.parse(json)).toEqual({ shell, script: out })
  })

  test('for another shell is refused', async () => {
    const { exit, error } = await runCaptured(['completion', 'csh'], new FakeMachine())
    expect({ exit, error }).toEqual({ exit: 2, error: expect.stringContaining('"bash" or "zsh" or "fish"') })
  })

  test.each(SHELLS)('for %s holds every command, option and value', (shell) => {
    const script = completionScript(shell, COMMANDS)
    const words = namesOf(COMMANDS).flatMap((name) => [name, ...name.split(' ')])
    const flags = COMMANDS.flatMap(commandFlagsOf)
    const named = COMMANDS.flatMap((one) =>
      commandFlagsOf(one)
        .filter(({ field }) => !one.positionals.includes(field))
        .map(({ name }) => `--${name}`),
    )
    for (const word of [...words, ...named, ...flags.flatMap(({ values }) => values)])
      expect(script).toMatch(new RegExp(`'${word}[':]`))
  })
})

const HOSTILE = ["it's", '$(touch no)', '`touch no`', '"', '\\', 'a b', '*', '~', ';touch no', '!!', 'x|y', 'e=f']

/** Of which every text tries to break out. */
const hostileCommand: CommandDeclaration = {
  command: 'run',
  summary: HOSTILE.join(' '),
  positionals: ['what'],
  examples: [],
  input: () =>
    v.strictObject({
      what: v.pipe(v.picklist(HOSTILE), v.description(HOSTILE.join(' '))),
      flag: v.optional(v.pipe(v.picklist(HOSTILE), v.description(HOSTILE.join(' ')))),
    }),
}

for (const shell of SHELLS) {
  const program = installedShell(shell)
  describe.skipIf(program === null)(`in ${shell}`, () => {
    const script = completionScript(shell, COMMANDS)
    const offered = async (...typed: string[]) =>
      (await offers(shell, program ?? '', script, ['knowhow', ...typed])).map((one) => one.replace(/\t.*/, ''))

    test('commands are completed, of one word and of two', async () => {
      expect(await offered('imp')).toEqual(['import', 'imports'])
      expect(await offered('session', '')).toEqual(['archive', 'end', 'list', 'show', 'start'])
      expect(await offered('memory', 'rec')).toEqual(['recall'])
      expect(await offered('help', 'session', 'ar')).toEqual(['archive'])
    })

    test('a command is found behind options and their values', async () => {
      expect(await offered('--workspace', 'session', '--quiet', 'session', 'ar')).toEqual(['archive'])
      expect(await offered('--workspace=w', 'session', 'ar')).toEqual(['archive'])
    })

    test('options are completed, those of the command and those of all', async () => {
      expect(await offered('search', '--')).toEqual(
        [
          ...['--config', '--env-file', '--help', '--index', '--json', '--limit', '--min-fit', '--quiet', '--remote'],
          ...['--vector-weight', '--workspace'],
        ].sort(),
      )
      expect(await offered('import', 'run.log', '--no-')).toEqual(['--no-redact'])
      expect(await offered('--vers')).toEqual(['--version'])
      expect(await offered('search', '--vers')).not.toContain('--version')
    })

    test('values are completed where there are only some', async () => {
      expect(await offered('import', '--extractor', '')).toEqual(['auto', 'llm', 'offline'])
      expect(await offered('schema', 'exp')).toEqual(['experience'])
      expect(await offered('index', 'export', '')).toEqual(['when_to_use', 'when_to_use_content'])
      expect(await offered('memory', 'remember', 'episodic', '--event-type', 'd')).toEqual(['decision'])
      expect(await offered('import', '--extractor=o')).toEqual([shell === 'fish' ? '--extractor=offline' : 'offline'])
    })

    test('names of files and folders are completed where one is asked for, and nowhere else', async () => {
      expect(await offered('inspect', '')).toEqual(['FILES'])
      expect(await offered('import', 'a.log', 'b.log', '')).toEqual(['FILES'])
      expect(await offered('search', '--config', '')).toEqual(['FILES'])
      expect(await offered('backup', '')).toEqual(['FOLDERS'])
      expect(await offered('--workspace', '')).toEqual(['FOLDERS'])
      expect(await offered('search', '')).toEqual([])
      expect(await offered('search', '--limit', '')).toEqual([])
      expect(await offered('inspect', 'a.log', '')).toEqual([])
    })

    test.skipIf(shell === 'bash')('what is offered is described by one sentence', async () => {
      const described = await offers(shell, program ?? '', script, ['knowhow', 'backu'])
      expect(described).toEqual([
        'backup\tCopy the workspace into a new folder, whole at one moment, also while others write',
      ])
    })

    test('texts are taken as they are, whatever they hold', async () => {
      const hostile = completionScript(shell, [hostileCommand])
      const asked = (...typed: string[]) => offers(shell, program ?? '', hostile, ['knowhow', 'run', ...typed])
      // bash quotes what it offers; the others do so when it is taken.
      const literal =
        shell === 'bash'
          ? HOSTILE.map((word) => Bun.spawnSync([program ?? '', '-c', 'printf %q "$1"', '-', word]).stdout.toString())
          : HOSTILE
      const expected = literal.toSorted()
      expect((await asked('')).map((one) => one.replace('\t', ':'))).toEqual(expected)
      expect((await asked('--flag', '')).map((one) => one.replace('\t', ':'))).toEqual(expected)
      expect((await offers(shell, program ?? '', hostile, ['knowhow', 'ru']))[0]).toStartWith('run')
    })
  })
}
