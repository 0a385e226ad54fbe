/** Secrets that the reading of a log shows and its text does not. */
import { describe, expect, test } from 'bun:test'
import { FILE, importInto, machineWithLog } from './import-scene.ts'
import { alnum } from './made-secrets.ts'

const password = ['Tr0ub4', 'dor3xY'].join('')
const github = ['gh', `p_${alnum(36)}`].join('')

interface Said {
  readonly command: unknown
  readonly error: string
}

const logOf = ({ command, error }: Said, before = 'Mend the build'): string => {
  const call = (id: string, said: unknown) => ({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id, type: 'function', function: { name: 'run_shell', arguments: JSON.stringify({ command: said }) } },
    ],
  })
  const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
  const records = [
    { role: 'user', content: before },
    call('1', command),
    answer('1', `${error}\nexit code: 2`),
    call('2', 'touch rule.mk'),
    answer('2', 'exit code: 0'),
    call('3', command),
    answer('3', 'exit code: 0'),
  ]
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
}

/** All that an import leaves behind but the copy of the log. */
async function keptOf(log: string, options: Record<string, unknown> = {}): Promise<string> {
  const machine = machineWithLog()
  machine.configure({})
  machine.files.write(FILE, log)
  const result = await importInto(machine, { request_id: 'a', ...options })
  expect(result).toMatchObject({ status: 'complete', experiences: [{ action: 'created' }] })
  const kept = machine.files
    .tree()
    .filter((path) => !path.endsWith('/') && path !== FILE && !path.includes('/trajectories/'))
  return [...kept.flatMap((path) => [path, machine.files.text(path)]), JSON.stringify(result)].join('\n')
}

describe('without a model nothing is kept of a secret', () => {
  const half = [github.slice(0, 14), github.slice(14)] as const
  const make = 'make all'
  const noRule = 'make: *** No rule to make target x.'
  test.each([
    [
      'spelled by escapes',
      logOf({ command: make, error: `error: ${github} is refused` }).replace('ghp_', '\\u0067hp\\u005f'),
    ],
    ['with a colour in it', logOf({ command: make, error: `error: ${half.join('\u001b[1m')} is refused` })],
    ['with a bell in it', logOf({ command: make, error: `error: ${half.join('\u0007')} is refused` })],
    [
      'with a bell in it, in a long command',
      logOf({ command: `make all ${'-k '.repeat(7)}T=${half.join('\u0007')}`, error: noRule }),
    ],
    ['in what the person asked', logOf({ command: make, error: noRule }, `use ${half.join('\u0007')}`)],
  ])('%s', async (_, log) => {
    const kept = await keptOf(log)
    expect(kept.toLowerCase()).not.toContain(alnum(8).toLowerCase())
    expect(kept).toContain('[secret:github-token:1]')
  })

  test('which only the words of a command give away', async () => {
    const kept = await keptOf(
      logOf({ command: ['mysql', '-uroot', `-p${password}`, 'shop'], error: 'ERROR 1045: Access denied' }),
    )
    expect(kept).not.toContain(password)
  })

  test('not even in the name of a file', async () => {
    const kept = await keptOf(
      logOf({ command: ['sshpass', '-p', password, 'ssh', 'me@host'], error: 'ERROR 1045: Access denied' }),
    )
    expect(kept.toLowerCase()).not.toContain(password.toLowerCase())
  })

  test('which has the number it has elsewhere in the log', async () => {
    const error = `error: ${half.join('\u0007')} is refused`
    const kept = await keptOf(logOf({ command: make, error }, `use ghp_${alnum(30)}ZZZZZZ, else ${github}`))
    expect(kept).toContain('error: [secret:github-token:2] is refused')
  })

  test('but with --no-redact it is', async () => {
    const log = logOf({ command: make, error: `error: ${half.join('\u0007')} is refused` })
    expect(await keptOf(log, { redact: false })).toContain(github)
  })
})
