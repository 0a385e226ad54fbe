/** Logs of the Gemini CLI: its chats, and its stream. */
import { describe, expect, test } from 'bun:test'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { readLines, readValue } from './json-logs.ts'

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
