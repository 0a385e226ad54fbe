/** Logs of SWE-agent and of mini-SWE-agent. */
import { describe, expect, test } from 'bun:test'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { readValue } from './json-logs.ts'

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
