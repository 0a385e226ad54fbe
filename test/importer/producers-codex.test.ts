/** Logs of Codex: its rollouts, and what `codex exec` prints. */
import { describe, expect, test } from 'bun:test'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { readLines } from './json-logs.ts'

describe('a rollout of Codex', () => {
  const item = (payload: unknown) => ({ timestamp: '2026-01-01T10:00:00Z', type: 'response_item', payload })
  const meta = (cwd: string) => ({ type: 'session_meta', payload: { id: cwd, cwd } })
  const person = (...texts: readonly string[]) =>
    item({ type: 'message', role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) })
  const call = (id: string, name: string, args: unknown) =>
    item({ type: 'function_call', name, arguments: JSON.stringify(args), call_id: id })
  const answer = (id: string, output: unknown) => item({ type: 'function_call_output', call_id: id, output })

  test('is read with its folder, its calls and their exit codes', () => {
    const { producer, runs } = readLines(
      meta('/srv/app'),
      person('<environment_context>\n<cwd>/srv/app</cwd>\n</environment_context>', 'Make the date tests pass again.'),
      call('a', 'shell', { command: ['bash', '-lc', 'make test'], workdir: '/srv/app/core' }),
      answer('a', JSON.stringify({ output: 'boom', metadata: { exit_code: 2, duration_seconds: 0.1 } })),
      call('b', 'shell', { command: ['apply_patch', '*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch'] }),
      answer('b', JSON.stringify({ output: 'Success', metadata: { exit_code: 0 } })),
      call('c', 'shell', { command: ['bash', '-lc', 'make test'], workdir: '/srv/app/core' }),
      answer('c', 'Exit code: 0\nWall time: 0.4 seconds\nOutput:\n3 passed in 0.1s'),
    )
    expect(producer).toBe('codex')
    expect(runs).toMatchObject([{ folder: '/srv/app', task: 'Make the date tests pass again.', turns: 1 }])
    expect(runs[0]?.steps).toMatchObject([
      { command: 'make test', output: 'boom', outcome: 'failed', evidence: 'exit', place: '\n/srv/app/core' },
      { kind: 'edit', outcome: 'passed' },
      { command: 'make test', output: '3 passed in 0.1s', outcome: 'passed', evidence: 'exit' },
    ])
  })

  test.each([
    [
      'Chunk ID: 1f\nWall time: 0.5 seconds\nProcess exited with code 1\nOriginal token count: 3\nOutput:\nno',
      'failed',
      true,
    ],
    ['Wall time: 9.0 seconds\nProcess running with session ID 7\nOutput:\nstarting', 'unknown', false],
    ['aborted by user after 3.0s', 'unknown', false],
  ])('an answer of the form %j is read', (output, outcome, finished) => {
    const { runs } = readLines(meta('/a'), call('a', 'exec_command', { cmd: 'make' }), answer('a', output))
    expect(runs[0]?.steps).toMatchObject([{ command: 'make', outcome, finished }])
  })

  describe('with a command that runs longer than its call waits', () => {
    const started = [
      meta('/a'),
      call('a', 'exec_command', { cmd: 'make test' }),
      answer('a', 'Wall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\ncompiling'),
    ]
    const poll = (id: string, chars = '') => call(id, 'write_stdin', { session_id: 7, chars })
    const ended = (code: number, text: string) =>
      `Wall time: 9.0 seconds\nProcess exited with code ${code}\nOutput:\n${text}`

    test('takes what later calls hear of it for its answer', () => {
      const { runs } = readLines(
        ...started,
        poll('b'),
        answer('b', 'Wall time: 5.0 seconds\nProcess running with session ID 7\nOutput:\nlinking'),
        poll('c'),
        answer('c', ended(2, 'boom')),
        call('d', 'apply_patch', '*** Begin Patch\n*** Update File: a.c\n-x\n+y\n*** End Patch'),
        answer('d', 'Success'),
        call('e', 'exec_command', { cmd: 'make test' }),
        answer('e', ended(0, 'well')),
      )
      expect(runs[0]?.steps).toMatchObject([
        { command: 'make test', output: 'compiling\nlinking\nboom', outcome: 'failed', exitCode: 2 },
        { kind: 'edit' },
        { command: 'make test', outcome: 'passed' },
      ])
      expect(findFixes(runs).fixes).toHaveLength(1)
    })

    test('takes no change for its cause that was made while it ran', () => {
      const { runs } = readLines(
        ...started,
        call('b', 'apply_patch', '*** Begin Patch\n*** Update File: a.c\n-x\n+y\n*** End Patch'),
        answer('b', 'Success'),
        poll('c'),
        answer('c', ended(2, 'boom')),
        call('e', 'exec_command', { cmd: 'make test' }),
        answer('e', ended(0, 'well')),
      )
      expect(findFixes(runs)).toMatchObject({ fixes: [], retryCount: 1 })
    })

    test.each([
      ['the log ends', []],
      ['it is interrupted', [poll('b', '\u0003'), answer('b', ended(130, ''))]],
    ])('knows no outcome of it where %s first', (_, rest) => {
      const { runs } = readLines(...started, ...rest)
      expect(runs[0]?.steps).toMatchObject([
        { command: 'make test', output: 'compiling', outcome: 'unknown', finished: false },
      ])
    })

    test('keeps what is typed into it as a step of its own', () => {
      const { runs } = readLines(...started, poll('b', 'yes\n'), answer('b', ended(0, 'done')))
      expect(runs[0]?.steps.map(({ finished }) => finished)).toEqual([false, true])
    })
  })

  test('is read bare, with local shell calls and custom tools', () => {
    const { producer, runs } = readLines(
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Build it, please, and test it.' }] },
      {
        type: 'local_shell_call',
        call_id: 'a',
        action: { type: 'exec', command: ['make', 'all'], working_directory: '/b' },
      },
      { type: 'local_shell_call_output', call_id: 'a', output: '{"output":"","metadata":{"exit_code":0}}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'b', output: '{"output":"Success","metadata":{"exit_code":0}}' },
    )
    expect(producer).toBe('codex')
    expect(runs[0]?.steps).toMatchObject([{ command: 'make all', outcome: 'passed' }, { kind: 'edit' }])
  })

  test('is read with a message that is plain text', () => {
    const { runs } = readLines(
      meta('/a'),
      item({ type: 'message', role: 'user', content: 'Build the first thing, please.' }),
    )
    expect(runs[0]?.task).toBe('Build the first thing, please.')
  })

  test('is one run a session', () => {
    const session = [meta('/a'), person('Build the first thing, please.'), call('a', 'shell', { command: 'make' })]
    expect(readLines(...session, ...session).runs.map(({ steps }) => steps.length)).toEqual([1, 1])
  })
})

describe('a stream of codex exec', () => {
  const event = (kind: string, item: unknown) => ({ type: `item.${kind}`, item })
  const command = (id: string, script: string, output = '', exitCode: number | null = null) => {
    const status = exitCode === null ? 'in_progress' : exitCode === 0 ? 'completed' : 'failed'
    const rest = { command: script, aggregated_output: output, exit_code: exitCode, status }
    return event(exitCode === null ? 'started' : 'completed', { id, type: 'command_execution', ...rest })
  }
  const started = (id: string) => ({ type: 'thread.started', thread_id: id })

  test('is read with its commands, their exit codes and the files that were edited', () => {
    const changes = [
      { path: '/srv/cart.js', kind: 'update' },
      { path: '/srv/tax.js', kind: 'add' },
    ]
    const { producer, runs } = readLines(
      started('a'),
      { type: 'turn.started' },
      event('completed', { id: 'i0', type: 'agent_message', text: 'I run the tests.' }),
      event('completed', { id: 'i1', type: 'reasoning', text: 'hm' }),
      command('i2', "/bin/bash -lc 'npm test'"),
      command('i2', "/bin/bash -lc 'npm test'", '1 failing\n', 1),
      event('started', { id: 'i3', type: 'file_change', changes, status: 'in_progress' }),
      event('completed', { id: 'i3', type: 'file_change', changes, status: 'completed' }),
      command('i4', "/bin/bash -lc 'npm test'", '3 passing\n', 0),
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    )
    expect(producer).toBe('codex')
    expect(runs).toMatchObject([{ task: null, turns: 1 }])
    expect(runs[0]?.steps).toMatchObject([
      { command: 'npm test', output: '1 failing\n', outcome: 'failed', evidence: 'exit', exitCode: 1 },
      {
        kind: 'edit',
        outcome: 'passed',
        shown: 'edit /srv/cart.js, create /srv/tax.js (what was changed is not in the log)',
      },
      { command: 'npm test', output: '3 passing\n', outcome: 'passed', evidence: 'exit' },
    ])
    expect(findFixes(runs).fixes).toHaveLength(1)
  })

  test.each([
    ['/bin/bash -lc pwd', 'pwd'],
    [`/bin/bash -c 'echo '"'"'a b'"'"''`, "echo 'a b'"],
    ['zsh -lc "echo \\"$HOME\\""', 'echo "$HOME"'],
    ['bash -lc make all', 'bash -lc make all'],
    ['make all', 'make all'],
  ])('names the command that a shell was started for: %j', (written, script) => {
    expect(readLines(started('a'), command('i', written, '', 0)).runs[0]?.steps[0]?.command).toBe(script)
  })

  test('takes no change of a file for another one, as neither shows what was changed', () => {
    const changes = [{ path: '/srv/a.js', kind: 'update' }]
    const change = (id: string, status: string) => event('completed', { id, type: 'file_change', changes, status })
    const { runs } = readLines(
      started('a'),
      change('i', 'failed'),
      command('j', 'make b', '', 0),
      change('k', 'completed'),
    )
    expect(runs[0]?.steps.map(({ outcome }) => outcome)).toEqual(['failed', 'passed', 'passed'])
    expect(findFixes(runs).fixes).toEqual([])
  })

  test('knows what did not come to its end, and what was declined', () => {
    const declined = { id: 'b', type: 'command_execution', command: 'make', aggregated_output: '', status: 'declined' }
    const { runs } = readLines(started('a'), command('a', 'make'), event('completed', declined))
    expect(runs[0]?.steps).toMatchObject([
      { outcome: 'unknown', finished: false },
      { outcome: 'unknown', finished: false },
    ])
  })

  test('is a run a thread, with other tools', () => {
    const call = { type: 'mcp_tool_call', server: 'db', tool: 'run_query', arguments: { q: 1 } }
    const { runs } = readLines(
      started('a'),
      event('completed', { id: 'i', ...call, status: 'failed', error: { message: 'no such table' } }),
      started('b'),
      event('completed', { id: 'i', ...call, status: 'completed', result: { content: [{ type: 'text', text: '3' }] } }),
    )
    expect(runs.map(({ steps }) => steps)).toMatchObject([
      [{ kind: 'call', outcome: 'failed', output: 'no such table' }],
      [{ kind: 'call', outcome: 'passed', output: '3' }],
    ])
  })
})
