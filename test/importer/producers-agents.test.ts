/** Logs of agents that keep their calls as JSON, each by a small log of its form. */
import { describe, expect, test } from 'bun:test'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const jsonl = (...records: readonly unknown[]): string => records.map((record) => JSON.stringify(record)).join('\n')
const readLines = (...records: readonly unknown[]) => readRuns({ text: jsonl(...records), format: 'jsonl' })
const readValue = (value: unknown) => readRuns({ text: JSON.stringify(value, null, 2), format: 'json' })

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

describe('a chat of the Gemini CLI', () => {
  const shell = (command: string, output: string, status = 'success') => ({
    id: '1',
    name: 'run_shell_command',
    args: { command, directory: 'core' },
    status,
    result: [{ functionResponse: { id: '1', name: 'run_shell_command', response: { output } } }],
  })
  const report = (code: number, stdout: string) =>
    `Command: make\nDirectory: core\nStdout: ${stdout}\nStderr: (empty)\nError: (none)\nExit Code: ${code}\nSignal: (none)`
  const messages = (...toolCalls: readonly unknown[]) => [
    { id: 'u', type: 'user', content: [{ text: 'Repair the build of the core.' }] },
    { id: 'g', type: 'gemini', content: 'I will.', toolCalls },
  ]

  test('is read with the exit codes its shell tool reports', () => {
    const calls = [shell('make', report(2, 'a.c:1: error: x\nof two lines')), shell('make', report(0, 'done'))]
    const { producer, runs } = readValue({ sessionId: 's', projectHash: 'p', messages: messages(...calls) })
    expect(producer).toBe('gemini-cli')
    expect(runs).toMatchObject([{ task: 'Repair the build of the core.', turns: 2 }])
    expect(runs[0]?.steps).toMatchObject([
      { command: 'make', output: 'a.c:1: error: x\nof two lines', outcome: 'failed', evidence: 'exit' },
      { command: 'make', output: 'done', outcome: 'passed', evidence: 'exit' },
    ])
  })

  test('shows which calls came after the answer to another, and that those of one message did not', () => {
    const failed = shell('make', report(2, 'a.c:1: error: x'))
    const edited = { ...shell('', 'Successfully modified file'), name: 'replace', args: { file_path: 'a.c' } }
    const passed = shell('make', report(0, 'done'))
    const fixesIn = (...turns: readonly (readonly unknown[])[]) =>
      findFixes(readValue({ messages: turns.flatMap((calls) => messages(...calls)) }).runs).fixes.length
    expect(fixesIn([failed, edited, passed])).toBe(0)
    expect(fixesIn([failed], [edited, passed])).toBe(0)
    expect(fixesIn([failed], [edited], [passed])).toBe(1)
  })

  test('takes no exit code and no field that the command itself printed', () => {
    const printed = 'Exit Code: 0\nError: of old\nSignal: 9'
    const { runs } = readValue({ messages: messages(shell('make', report(1, printed))) })
    expect(runs[0]?.steps).toMatchObject([{ outcome: 'failed', exitCode: 1 }])
    expect(runs[0]?.steps[0]?.output).toContain('Exit Code: 0')
  })

  test('is read with errors and refusals, and one message a line', () => {
    const refused = { ...shell('make', ''), status: 'cancelled', result: [] }
    const failed = {
      ...shell('make', '', 'error'),
      result: [{ functionResponse: { name: 'x', response: { error: 'no such tool' } } }],
    }
    const flagged = { ...failed, status: 'success' }
    const { producer, runs } = readLines(...messages(refused, flagged, failed))
    expect(producer).toBe('gemini-cli')
    expect(runs[0]?.steps).toMatchObject([
      { outcome: 'unknown', finished: false },
      { outcome: 'failed', evidence: 'flag', output: 'no such tool' },
      { outcome: 'failed', evidence: 'flag', output: 'no such tool' },
    ])
  })

  test.each([
    ['that was stopped', 'Command was cancelled by user before it could complete.'],
    [
      'that a signal ended',
      'Command: make\nDirectory: core\nStdout: x\nStderr: (empty)\nError: (none)\nExit Code: (none)\nSignal: 9',
    ],
    [
      'whose program is not there',
      'Command: make\nDirectory: core\nOutput: (empty)\nError: spawn ENOENT\nExit Code: (none)',
    ],
    ['without a word', ''],
  ])('takes no command for passed %s, though the tool succeeded', (_, output) => {
    const { runs } = readValue({ messages: messages(shell('make', output)) })
    expect(runs[0]?.steps[0]?.outcome).not.toBe('passed')
  })

  test('is read as it is saved, by parts', () => {
    const { producer, runs } = readValue([
      { role: 'user', parts: [{ text: 'Repair the build of the core.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'run_shell_command', args: { command: 'make' } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'run_shell_command', response: { output: report(1, 'no') } } }],
      },
    ])
    expect(producer).toBe('gemini-cli')
    expect(runs[0]).toMatchObject({
      task: 'Repair the build of the core.',
      steps: [{ command: 'make', outcome: 'failed' }],
    })
  })

  test.each(['', '\n'])('takes the error %j of an answer for none', (error) => {
    const result = [{ functionResponse: { name: 'write_file', response: { error, output: 'fine' } } }]
    const write = { id: '1', name: 'write_file', args: { file_path: 'a' }, status: 'success', result }
    expect(readLines(...messages(write)).runs[0]?.steps).toMatchObject([{ outcome: 'passed', output: 'fine' }])
    const saved = [
      { role: 'user', parts: [{ text: 'Repair the build of the core.' }] },
      { role: 'model', parts: [{ functionCall: { name: 'write_file', args: {} } }] },
      { role: 'user', parts: result },
    ]
    expect(readValue(saved).runs[0]?.steps).toMatchObject([{ outcome: 'unknown', output: 'fine' }])
  })
})

describe('a stream of the Gemini CLI', () => {
  const init = { type: 'init', session_id: 's', model: 'm' }
  const message = (role: string, content: string) => ({ type: 'message', role, content, delta: role === 'assistant' })
  const use = (tool_id: string, tool_name: string, parameters: object) => ({
    type: 'tool_use',
    tool_name,
    tool_id,
    parameters,
  })
  const result = (tool_id: string, output: string, more: object = {}) => ({
    type: 'tool_result',
    tool_id,
    status: 'success',
    output,
    ...more,
  })
  const log = [
    init,
    message('user', 'Make the tests pass again.'),
    message('assistant', 'I '),
    message('assistant', 'look.'),
    use('1', 'run_shell_command', { command: 'pytest' }),
    result('1', '1 failed in 0.1s'),
    use('2', 'replace', { file_path: 'a.py', old_string: 'a', new_string: 'b' }),
    result('2', '', { status: 'error', error: { type: 'edit', message: 'could not find the string' } }),
    use('3', 'replace', { file_path: 'a.py', old_string: 'x', new_string: 'y' }),
    result('3', ''),
    use('4', 'run_shell_command', { command: 'pytest' }),
    result('4', '3 passed in 0.1s'),
    { type: 'result', status: 'success' },
  ]

  test('is read with its calls and what the shell printed, which alone tells of a failure', () => {
    const { producer, runs } = readLines(...log)
    expect(producer).toBe('gemini-cli')
    expect(runs).toMatchObject([{ task: 'Make the tests pass again.', turns: 2 }])
    expect(runs[0]?.steps).toMatchObject([
      { command: 'pytest', outcome: 'failed', evidence: 'text' },
      { kind: 'edit', output: 'could not find the string', outcome: 'failed' },
      { kind: 'edit', outcome: 'passed', evidence: 'flag' },
      { command: 'pytest', outcome: 'passed', evidence: 'text' },
    ])
    expect(findFixes(runs).fixes).toHaveLength(1)
  })

  test('is a run a stream, and a call without an answer has no outcome', () => {
    const { runs } = readLines(
      ...log,
      init,
      message('user', 'Go on.'),
      use('1', 'run_shell_command', { command: 'make' }),
    )
    expect(runs.map(({ steps }) => steps.length)).toEqual([4, 1])
    expect(runs[1]?.steps[0]).toMatchObject({ command: 'make', outcome: 'unknown', finished: false })
  })
})

describe('a trajectory of SWE-agent', () => {
  const asked = 'We work on this issue.\nISSUE:\nThe parser drops the last line.\n\nINSTRUCTIONS:\nUse the tools.'
  const step = (action: string, observation: string) => ({
    action,
    observation,
    thought: 't',
    state: { working_dir: '/testbed', open_file: 'n/a' },
  })

  test('is read by its actions, with the shell told from its own commands', () => {
    const trajectory = [
      step('open src/parser.py', '[File: src/parser.py]'),
      step('python -m pytest -q', 'E   AssertionError: last line\n1 failed in 0.10s'),
      step('edit 3:3\nx = 1\nend_of_edit', '[File edited]'),
      step('str_replace_editor view /testbed/src/parser.py', 'x'),
      step('python -m pytest -q', '1 passed in 0.10s\n(Open file: n/a)\n(Current directory: /testbed)\nbash-$'),
      step('submit', ''),
    ]
    const history = [
      { role: 'system', content: 's', agent: 'main' },
      { role: 'user', content: 'a demonstration of another', is_demo: true, agent: 'main' },
      { role: 'user', content: asked, agent: 'main' },
    ]
    const { producer, runs } = readValue({ environment: 'e', trajectory, history, info: {} })
    expect(producer).toBe('swe-agent')
    expect(runs).toMatchObject([{ folder: '/testbed', task: 'The parser drops the last line.' }])
    expect(runs[0]?.steps).toMatchObject([
      { kind: 'look', shell: false },
      { kind: 'command', command: 'python -m pytest -q', outcome: 'failed', evidence: 'text' },
      { kind: 'edit', shell: false },
      { kind: 'look', shell: false },
      { kind: 'command', outcome: 'passed', output: '1 passed in 0.10s' },
      { kind: 'note' },
    ])
  })

  test.each([
    ['EXECUTION TIMED OUT BECAUSE NO OUTPUT WAS PRODUCED FOR MORE THAN 30 SECONDS.'],
    ["The command 'cargo build' was cancelled because it took more than 30 seconds."],
  ])('does not end a command that the frame stopped: %s', (observation) => {
    const trajectory = [
      step('cargo build', 'error[E0308]: mismatched types'),
      step('edit 1:1\nx\nend_of_edit', '[File edited]'),
      step('cargo build', observation),
      step('submit', ''),
    ]
    const { runs } = readValue({ environment: 'e', trajectory, history: [], info: {} })
    expect(runs[0]?.steps[2]).toMatchObject({ finished: false })
    expect(findFixes(runs).fixes).toEqual([])
  })

  test.each([
    ['edit 3:3\nx = 1\nend_of_edit', 'edit /testbed/src/parser.py, line 3: `x = 1`'],
    ['edit 3:4\nx = 1\ny = 2\nend_of_edit', 'edit /testbed/src/parser.py, lines 3 to 4:\n    x = 1\n    y = 2'],
    ['edit 3:4\nend_of_edit', 'remove lines 3 to 4 of /testbed/src/parser.py'],
    ['insert 3\nx = 1\nend_of_insert', 'insert into /testbed/src/parser.py, line 3: `x = 1`'],
    ["edit 'x = 0' 'x = 1'", "edit /testbed/src/parser.py: `edit 'x = 0' 'x = 1'`"],
    ['create a.py', '`create a.py`'],
    [
      "str_replace_editor str_replace /testbed/b.py --old_str 'x' --new_str 'y'",
      "str_replace /testbed/b.py: `--old_str 'x' --new_str 'y'`",
    ],
    ['open src/parser.py 20', '`open src/parser.py 20`'],
    ['search_dir "last line"', '`search_dir "last line"`'],
  ])('shows of %j what it does, and to which file', (action, shown) => {
    const state = { working_dir: '/testbed', open_file: '/testbed/src/parser.py' }
    const of = (...steps: readonly unknown[]) => readValue({ trajectory: steps, history: [] }).runs[0]?.steps[0]?.shown
    expect(of({ ...step(action, 'done'), state: JSON.stringify(state) })).toBe(shown)
  })

  test('knows an open file by the answer where the state tells none', () => {
    const steps = [step('edit 3:3\nx = 1\nend_of_edit', '[File: /testbed/a.py (9 lines total)]\nFile updated.')]
    const [edit] = readValue({ trajectory: steps, history: [] }).runs[0]?.steps ?? []
    expect(edit?.shown).toBe('edit /testbed/a.py, line 3: `x = 1`')
  })

  test('is read by its messages when it holds no more', () => {
    const history = [
      { role: 'user', content: asked, agent: 'main' },
      {
        role: 'assistant',
        agent: 'main',
        content: 'x',
        tool_calls: [{ id: 'a', function: { name: 'bash', arguments: '{"command":"make"}' } }],
      },
      { role: 'tool', agent: 'main', content: 'exit code: 1', tool_call_id: 'a' },
    ]
    const { producer, runs } = readValue({ history })
    expect(producer).toBe('swe-agent')
    expect(runs[0]).toMatchObject({
      task: 'The parser drops the last line.',
      steps: [{ command: 'make', outcome: 'failed' }],
    })
  })
})

describe('a trajectory of mini-SWE-agent', () => {
  const task = 'Please solve this issue: The parser drops the last line.\n\nYou can execute bash commands.\n## Rules'
  const said = (command: string) => ({
    role: 'assistant',
    content: `THOUGHT: x\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\``,
  })
  const told = (code: number, output: string) => ({
    role: 'user',
    content: `<returncode>${code}</returncode>\n<output>\n${output}</output>`,
  })
  const messages = [
    { role: 'system', content: 's' },
    { role: 'user', content: task },
    said('make test'),
    told(1, 'boom\n'),
    { role: 'user', content: 'Your reply held no command.' },
    said("sed -i 's/a/b/' x.py"),
    told(0, ''),
    said('make test'),
    told(0, 'ok\n'),
  ]

  test.each([
    ['a list of messages', messages],
    ['an object with messages', { info: {}, messages, trajectory_format: 'mini-swe-agent-1' }],
  ])('is read as %s', (_, value) => {
    const { producer, runs } = readValue(value)
    expect(producer).toBe('mini-swe-agent')
    expect(runs).toMatchObject([{ task: 'The parser drops the last line.' }])
    expect(runs[0]?.steps).toMatchObject([
      { command: 'make test', output: 'boom\n', outcome: 'failed', exitCode: 1 },
      { command: "sed -i 's/a/b/' x.py", outcome: 'passed' },
      { command: 'make test', outcome: 'passed', evidence: 'exit' },
    ])
  })
})

test('what sets up a shell that ends with the command changes nothing', () => {
  const said = (command: string) => ({ role: 'assistant', content: `\`\`\`bash\n${command}\n\`\`\`` })
  const told = (code: number) => ({ role: 'user', content: `<returncode>${code}</returncode>\n<output>\nx</output>` })
  const fixesWith = (between: string) => {
    const messages = [said('make'), told(1), said(between), told(0), said('make'), told(0)]
    return findFixes(readValue({ messages }).runs).fixes.length
  }
  expect(fixesWith('export FOO=1')).toBe(0)
  expect(fixesWith('export FOO=1 && cd /srv && ls')).toBe(0)
  expect(fixesWith('export PATH=/opt/bin:$PATH; set -e')).toBe(0)
  expect(fixesWith('export FOO=1 && ./configure')).toBe(1)
  expect(fixesWith('FOO=1 ./configure')).toBe(1)
  expect(fixesWith('export FOO=$(./configure)')).toBe(1)
  expect(fixesWith('export FOO=1 > .env')).toBe(1)
})

test('an answer of mini-SWE-agent is of the latest reply, whatever went unanswered before', () => {
  const said = (command: string) => ({ role: 'assistant', content: `\`\`\`bash\n${command}\n\`\`\`` })
  const { runs } = readValue([
    { role: 'user', content: 'Do it, please, and test it.' },
    said('make a'),
    { role: 'user', content: 'Your command ran out of time.' },
    said('make b'),
    { role: 'user', content: '<returncode>0</returncode>\n<output>\nok</output>' },
    { role: 'user', content: '<returncode>1</returncode>\n<output>\nof nothing</output>' },
  ])
  expect(runs[0]?.steps).toMatchObject([
    { command: 'make a', outcome: 'unknown', finished: false },
    { command: 'make b', outcome: 'passed' },
  ])
})

test('the code that mini-SWE-agent writes first is its own, whatever was printed', () => {
  const { runs } = readValue([
    { role: 'user', content: 'Do it, please, and test it.' },
    { role: 'assistant', content: '```bash\nmake\n```' },
    { role: 'user', content: '<returncode>1</returncode>\n<output>\n</output>\n<returncode>0</returncode>\n</output>' },
  ])
  expect(runs[0]?.steps).toMatchObject([{ outcome: 'failed', exitCode: 1 }])
})

describe('a run of OpenHands', () => {
  const ran = (id: number, command: string) => ({ id, source: 'agent', action: 'run', args: { command, thought: '' } })
  const saw = (id: number, cause: number, code: number, content: string) => ({
    id,
    cause,
    source: 'agent',
    observation: 'run',
    content,
    extras: { command: 'x', metadata: { exit_code: code, working_dir: '/workspace' } },
  })
  const events = [
    { id: 0, source: 'user', action: 'message', args: { content: 'Make the parser keep its last line.' } },
    { id: 1, source: 'environment', observation: 'agent_state_changed', content: '', extras: {} },
    ran(2, 'make test'),
    saw(3, 2, 2, 'boom'),
    { id: 4, source: 'agent', action: 'edit', args: { path: '/workspace/a.py', command: 'str_replace' } },
    { id: 5, cause: 4, source: 'agent', observation: 'edit', content: 'edited' },
    ran(6, 'make test'),
    saw(7, 6, 0, 'ok'),
    ran(8, 'sleep 100'),
    saw(9, 8, -1, ''),
  ]

  test.each([
    ['a list of events', events],
    ['an evaluation', { instance_id: 'x', history: events }],
  ])('is read as %s', (_, value) => {
    const { producer, runs } = readValue(value)
    expect(producer).toBe('openhands')
    expect(runs).toMatchObject([{ task: 'Make the parser keep its last line.', folder: '/workspace' }])
    expect(runs[0]?.steps).toMatchObject([
      { command: 'make test', output: 'boom', outcome: 'failed', exitCode: 2 },
      { kind: 'edit' },
      { command: 'make test', outcome: 'passed', evidence: 'exit' },
      { command: 'sleep 100', outcome: 'unknown', finished: false },
    ])
  })

  test('is read in its later form', () => {
    const { producer, runs } = readLines(
      {
        kind: 'MessageEvent',
        source: 'user',
        llm_message: { role: 'user', content: [{ type: 'text', text: 'Build the parser anew.' }] },
      },
      {
        kind: 'ActionEvent',
        source: 'agent',
        tool_name: 'execute_bash',
        tool_call_id: 'a',
        action: { kind: 'ExecuteBashAction', command: 'make' },
      },
      {
        kind: 'ObservationEvent',
        source: 'environment',
        tool_call_id: 'a',
        observation: { kind: 'ExecuteBashObservation', content: [{ type: 'text', text: 'no' }], exit_code: 1 },
      },
    )
    expect(producer).toBe('openhands')
    expect(runs[0]).toMatchObject({
      task: 'Build the parser anew.',
      steps: [{ command: 'make', output: 'no', outcome: 'failed' }],
    })
  })
})

test.each(['messages', 'trajectory', 'history', 'toolCalls', 'payload', 'parts', 'events'])(
  'hostile values under %s are skipped',
  (name) => {
    for (const value of [null, 1, 'x', [], [null, 1, 'x', [], {}], {}, { [name]: [null] }])
      for (const type of ['gemini', 'user', 'response_item', 'session_meta', 'function_call'])
        expect(() => readValue([{ type, source: 'agent', kind: 'ActionEvent', [name]: value }])).not.toThrow()
  },
)
