/** The lines that help shows, run as they stand there. */
import { describe, expect, test } from 'bun:test'
import { openCypherEngine } from '../../src/adapters/cypher-engine.ts'
import { operationsFor } from '../../src/app/operation-table.ts'
import { COMMANDS } from '../../src/surfaces/commands.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { retrievalSet } from '../fakes/retrieval-set.ts'

const HOME = '/home/dev'

const LOG = `$ make reports
make: *** No rule to make target 'reports'.  Stop.
$ sed -i 's/^report:/reports:/' Makefile
$ make reports
3 reports written
`

/** What the examples speak of. */
const FILES: Readonly<Record<string, string>> = {
  'run.jsonl': '{"role":"user","content":"build it"}\n',
  'build.log': LOG,
  'questions.jsonl': retrievalSet(),
  'team.json': '{"search":{"limit":3}}',
  'old-memories.jsonl': '{"memory_type":"session","session_id":"old","start_time":"2026-01-02T03:04:05Z"}\n',
}

const GRAPH = '{"format":"knowhow-memory","version":1}\n{"end":"knowhow-memory"}\n'

async function preparedMachine(command: string): Promise<FakeMachine> {
  const machine = new FakeMachine()
  machine.openCypherEngine = async () => openCypherEngine()
  for (const [name, text] of Object.entries(FILES)) machine.files.write(`${HOME}/${name}`, text)
  // Written by the one, read by the other.
  if (command === 'memory import') machine.files.write(`${HOME}/graph.jsonl`, GRAPH)
  machine.files.write('/mnt/backup/there', '')
  for (const name of ['rebuild-search-index', 'fix-build']) {
    const experience = { description: name, 'when-to-use': 'stale results', content: 'do it', sources: [] }
    machine.files.write(`${ROOT}/procedures/${name}.json`, JSON.stringify(experience))
  }
  if (command === 'read') await machine.run('procedure_import', { files: ['run.jsonl'] })
  if (command === 'session start') return machine
  await machine.run('session_start', { id: 'fix-4711' })
  const remember = (fields: object) => machine.run('memory_remember', fields)
  await remember({ kind: 'semantic', memory_id: 'fact-1', concept: 'retries', content: 'twice' })
  await remember({ kind: 'episodic', memory_id: 'event-1', session: 'fix-4711', content: 'it failed' })
  await remember({ kind: 'prospective', memory_id: 'renew-token', intention: 'renew it' })
  return machine
}

interface Typed {
  readonly argv: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly input: string
}

/** The one call of the program in a line, with what a shell would make of its words. */
function typed(line: string): Typed {
  const inner = /\$\((.*)\)/.exec(line)?.[1] ?? line
  const parts = inner.replace(/ +# .*$/, '').split(/ \| (?=knowhow|grep|source)/)
  const call = parts.find((part) => /(?:^| )knowhow /.test(part)) ?? ''
  const [, echoed = ''] = /^echo '(.*)'$/.exec(parts[0] ?? '') ?? []
  const words = wordsOf(call)
  const at = words.indexOf('knowhow')
  const environment = Object.fromEntries(words.slice(0, at).map((word) => word.split('=') as [string, string]))
  const argv = words.slice(at + 1).flatMap((word) => (word === '*.log' ? ['build.log'] : word))
  return { argv, environment, input: echoed }
}

function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g) ?? []
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, plain?: string, double = '') =>
      plain === undefined ? (double as string).replaceAll(/\\([$"\\`])/g, '$1') : plain,
    ),
  )
}

const operations = new Set<unknown>(operationsFor('cli'))
/** Those that answer and end. */
const ANSWERING = COMMANDS.filter((one) => operations.has(one) || one.command === 'completion')

describe.each(ANSWERING.map(({ command, examples }) => [command ?? '', examples] as const))(
  'the examples of %s',
  (command, examples) => {
    test('work one after the other', async () => {
      const machine = await preparedMachine(command)
      for (const example of examples) {
        const { argv, environment, input } = typed(example)
        expect([example, argv.slice(0, command.split(' ').length).join(' ')]).toEqual([example, command])
        machine.environment = { ...environment }
        const { exit, out, error } = await runCaptured(argv, machine, undefined, input)
        expect({ example, exit, error }).toEqual({
          example,
          exit: 0,
          error: expect.not.stringContaining('internal error'),
        })
        expect(out).not.toBe('')
      }
    })
  },
)
