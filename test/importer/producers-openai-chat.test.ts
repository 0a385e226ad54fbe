import { describe, expect, test } from 'bun:test'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const jsonl = (...records: readonly unknown[]): string => records.map((record) => JSON.stringify(record)).join('\n')
const read = (...records: readonly unknown[]) => readRuns({ text: jsonl(...records), format: 'jsonl' })

const call = (id: string, name: string, args: unknown) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
})
const answer = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })

describe('an OpenAI chat', () => {
  test('is read one message a line', () => {
    const { producer, runs } = read(
      { role: 'user', content: 'Please build the thing.' },
      call('a', 'shell', { command: 'make' }),
      answer('a', '{"exit_code": 2, "output": "boom"}'),
    )
    expect(producer).toBe('openai-chat')
    expect(runs).toHaveLength(1)
    expect(runs[0]?.task).toBe('Please build the thing.')
    expect(runs[0]?.steps).toMatchObject([
      { kind: 'command', shell: true, command: 'make', output: 'boom', outcome: 'failed', evidence: 'exit' },
    ])
  })

  test('is read with a whole chat on each line, in one array, and in an array of chats', () => {
    const chat = [
      { role: 'user', content: 'hello' },
      call('a', 'shell', { command: 'make' }),
      answer('a', 'exit code: 0'),
    ]
    expect(read({ messages: chat }, { messages: chat }).runs).toHaveLength(2)
    expect(readRuns({ text: JSON.stringify(chat, null, 2), format: 'json' }).runs).toHaveLength(1)
    const tau = JSON.stringify([
      { task_id: 1, traj: chat },
      { task_id: 2, traj: chat },
    ])
    expect(readRuns({ text: tau, format: 'json' }).runs.map((run) => run.steps.length)).toEqual([1, 1])
  })

  test('is read with the older function_call', () => {
    const { runs } = read(
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: null, function_call: { name: 'bash', arguments: '{"cmd":"make test"}' } },
      { role: 'function', name: 'bash', content: '3 passed in 0.1s' },
    )
    expect(runs[0]?.steps).toMatchObject([{ command: 'make test', outcome: 'passed', evidence: 'text' }])
  })

  test.each(['apply_diff', 'update_file', 'modifyFile', 'mcp__fs__append_to_file', 'str_replace_based_edit_tool'])(
    'takes %s for a tool that edits',
    (name) => {
      const { runs } = read({ role: 'user', content: 'hello' }, call('a', name, { path: 'a' }))
      expect(runs[0]?.steps).toMatchObject([{ kind: 'edit' }])
    },
  )

  test('is read with codes that are texts, and with the answers of MCP servers', () => {
    const { runs } = read(
      { role: 'user', content: 'hello' },
      call('a', 'shell', { command: 'make' }),
      answer('a', '{"exit_code": "2", "output": "boom"}'),
      call('b', 'edit_file', { path: 'a' }),
      answer('b', '{"isError": true, "content": [{"type": "text", "text": "no such lines"}]}'),
    )
    expect(runs[0]?.steps).toMatchObject([
      { outcome: 'failed', exitCode: 2 },
      { outcome: 'failed', evidence: 'flag', output: 'no such lines' },
    ])
  })

  test('gives each answer to its own call when several were made at once and ids are used again', () => {
    const two = {
      role: 'assistant',
      tool_calls: [
        { id: '1', function: { name: 'shell', arguments: '{"command":"make a"}' } },
        { id: '2', function: { name: 'shell', arguments: '{"command":"make b"}' } },
      ],
    }
    const { runs } = read(
      two,
      answer('2', 'exit code: 1'),
      answer('1', 'exit code: 0'),
      two,
      answer('1', 'exit code: 1'),
    )
    const outcomes = runs[0]?.steps.map(({ command, outcome }) => `${command} ${outcome}`)
    expect(outcomes).toEqual(['make a passed', 'make b failed', 'make a failed', 'make b unknown'])
  })

  test('starts a new run at a system message in the middle', () => {
    const chat = [
      { role: 'system', content: 'x' },
      { role: 'user', content: 'y' },
    ]
    expect(read(...chat, ...chat).runs).toHaveLength(2)
  })

  test('takes several system messages in a row for the start of one chat', () => {
    const system = { role: 'system', content: 'x' }
    expect(read(system, system, { role: 'user', content: 'y' }).runs).toHaveLength(1)
  })

  test('keeps the request when the person only says to go on', () => {
    const { runs } = read(
      { role: 'user', content: [{ type: 'text', text: 'Repair the nightly import, please.' }] },
      { role: 'user', content: 'ok, go on' },
      call('a', 'shell', { command: 'make' }),
      { role: 'user', content: '検索の結果が空になる原因を調べて' },
      call('b', 'shell', { command: 'make' }),
    )
    expect(runs[0]?.steps.map((step) => step.task)).toEqual([
      'Repair the nightly import, please.',
      '検索の結果が空になる原因を調べて',
    ])
  })

  test('skips records of other kinds, and arguments that are cut off stay text', () => {
    const broken = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'shell', arguments: '{"comm' } }] }
    const { runs } = read(
      42,
      null,
      'x',
      [],
      {},
      { role: 'alien' },
      broken,
      { role: 'tool' },
      { role: 'assistant', tool_calls: 7 },
    )
    expect(runs[0]?.steps).toMatchObject([{ command: 'shell {"comm', outcome: 'unknown', finished: false }])
  })
})

describe('the arguments of a call', () => {
  test('are the same in any order of keys, but not with other long numbers', () => {
    const commands = (...args: readonly string[]) =>
      args.map((text) => {
        const record = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'book', arguments: text } }] }
        return read(record).runs[0]?.steps[0]?.command
      })
    const [one, two] = commands('{"a":1,"b":[2]}', '{ "b": [2], "a": 1 }')
    expect(one).toBe('book {"a":1,"b":[2]}')
    expect(two).toBe('book {"a":1,"b":[2]}')
    const [big, bigger] = commands('{"id":90071992547409931}', '{"id":90071992547409932}')
    expect(big).not.toBe(bigger)
  })

  test('show of an edit only the lines that differ', () => {
    const edit = {
      path: 'a.py',
      old_str: 'a = 1\nb = 2\nc = 3',
      new_str: 'a = 1\nb = 5\nc = 3',
      command: 'str_replace',
    }
    const { runs } = read(call('x', 'str_replace_editor', edit))
    expect(runs[0]?.steps[0]).toMatchObject({ kind: 'edit', shown: 'edit a.py: replace `b = 2` with `b = 5`' })
  })

  test('show of an edit of several lines both texts with their indent, and of a long text its beginning', () => {
    const shown = (name: string, args: unknown) => read(call('x', name, args)).runs[0]?.steps[0]?.shown
    const edit = { path: 'a.py', old_str: '    a = 1\n    b = 2\n    c', new_str: '    with x:\n        a = 1\n    c' }
    expect(shown('str_replace_editor', edit)).toBe(
      ['edit a.py: replace', '        a = 1', '        b = 2', 'with', '        with x:', '            a = 1'].join(
        '\n',
      ),
    )
    const lines = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n')
    expect(shown('write_file', { path: 'a', content: lines })).toBe(
      'write a:\n    line 0\n    line 1\n    line 2\n    line 3\n    line 4\n    … (4 more lines)',
    )
    expect(shown('apply_patch', { patch: '*** Update File: a.py\n-old\n+new\n' })).toBe(
      'patch a.py:\n    -old\n    +new',
    )
  })

  test.each(['pytest || true', 'pytest || :', 'pytest; true', '(pytest || true)', 'pytest || echo "did not work"'])(
    'takes no exit code of %j for a pass, not even a printed one',
    (command) => {
      const outcomeOf = (content: string) =>
        read(call('1', 'bash', { command }), { role: 'tool', tool_call_id: '1', content }).runs[0]?.steps[0]?.outcome
      expect(outcomeOf('{"output":"so so","exit_code":0}')).toBe('unknown')
      expect(outcomeOf('so so\n[exit 0]')).toBe('unknown')
      expect(outcomeOf('3 passed in 0.10s\n[exit 0]')).toBe('passed')
    },
  )

  test.each([
    ['{"output":"","exit_code":1}', '', 'failed'],
    ['{"output":"done","exit_code":0}', 'done', 'passed'],
    ['<returncode>1</returncode>', '', 'failed'],
    ['<returncode>0</returncode>\n<output>\ndone</output>', 'done', 'passed'],
    ['well\n[Command finished with exit code 0]', 'well\n[Command finished with exit code 0]', 'passed'],
  ])('takes what a record says of a call for no output of it: %j', (content, output, outcome) => {
    const step = read(call('1', 'bash', { command: 'make' }), answer('1', content)).runs[0]?.steps[0]
    expect(step?.output).toBe(output)
    expect(step?.outcome).toBe(outcome as 'failed')
  })
})

test.each([
  ['pytest -q | tail -5', '=== 1 failed in 0.1s\nexit code: 0', 'failed'],
  ['pytest -q | head -1', 'collected 4 items\nexit code: 0', 'unknown'],
  ['pytest -q; echo "exit code: $?"', '3 passed in 0.1s\nexit code: 0', 'passed'],
])('a code that the tool writes behind a pipe is that of its end: %j', (command, output, outcome) => {
  const { runs } = read(call('a', 'shell', { command }), answer('a', output))
  expect(runs[0]?.steps[0]?.outcome).toBe(outcome as 'passed')
})
