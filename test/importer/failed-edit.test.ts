/** A change that was not made can have mended nothing, in whatever words a tool says so. */
import { describe, expect, test } from 'bun:test'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { judgeOutcome } from '../../src/importer/producers/outcome.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const edited = (output: string, errorFlag: boolean | null = null) =>
  judgeOutcome({ shell: null, isEdit: true, exitCode: null, errorFlag, output }).outcome

describe('an edit', () => {
  test.each([
    'No changes made.',
    'no changes',
    'Nothing changed',
    'not modified',
    'The file a.ts was not modified',
    'old_str not found',
    'String to replace not found in file.\nString: foo',
    'The string to replace was not found in the file',
    'No replacement was performed, old_str `a` did not appear verbatim in /a.py.',
    'ERROR:\nNo replacement was performed, old_str `a` did not appear verbatim in /a.py.',
    'No replacement was performed. Multiple occurrences of old_str `a` in lines [1, 2].',
    'old_string is not unique in the file',
    'no match found; file unchanged',
    'Found 2 matches, edit not applied',
    'Found 3 occurrences of the string, but replace_all is false',
    'Replaced 0 occurrences',
    'Failed to edit, 0 occurrences found',
    'Failed to edit, expected 1 occurrence but found 2.',
    'Could not apply diff',
    'Patch failed to apply',
    'apply_patch verification failed: Failed to find expected lines in a.py',
    'Your edit was not applied (file not modified)',
    'The requested edit could not be applied',
    'Edit aborted',
    '[Your proposed edit has introduced new syntax errors]\nERRORS:',
    "[error] EACCES: permission denied, open '/x'",
    'Error while writing a.ts: disk full',
    'Permission denied: /etc/hosts',
    'File has not been read yet. Read it first before writing to it.',
    'File does not exist: /a',
    'Invalid `path` parameter: /a',
    'old_string and new_string are exactly the same.',
    '**Error**: no lines like these',
    '```\nold_str not found\n```',
    'Tool result: no matches found',
    'Warning: no match for pattern; nothing written',
    'SEARCH/REPLACE block failed to match!',
    'Tool execution failed: the lines are gone',
    "[apply_diff for 'a'] Result:\nNo sufficiently similar match found",
    'Aborting edit: the file has changed on disk',
    '{"applied": false}',
    '{"replacements": 0}',
    '{"message": "No changes made"}',
  ])('failed that was answered by %j', (output) => {
    expect(edited(output)).toBe('failed')
    expect(edited(output, false)).toBe('failed')
  })

  test.each([
    'Done.',
    'Successfully modified file: a.ts (1 replacements).',
    'The file /a.py has been edited. Here is the result:\n1 old_str not found',
    'The file a.ts has been updated with the text "No changes made."',
    '     1\treturn "not modified";',
    'def f():\n    raise ValueError("old_str not found")',
    'const text = "not found"',
    'if text not found:',
    'class NotFound(Exception): pass',
    '# Not modified by hand',
    'console.error("x")',
    'Errors fixed in a.py',
    'Updated a.ts: no match found is now reported',
    'File saved. Not modified elsewhere.',
    'Found 2 matches, replaced both',
    'Replaced 3 occurrences',
    '{"replacements": 2}',
    '{"success": true}',
  ])('did not fail that was answered by %j', (output) => {
    expect(edited(output)).not.toBe('failed')
    expect(edited(output, false)).toBe('passed')
  })
})

test('a person who says no to a call has not made it fail', () => {
  const call = (id: string, name: string, args: object, content: string, more: object = {}) => [
    { role: 'assistant', tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }] },
    { role: 'tool', tool_call_id: id, content, ...more },
  ]
  const records = [
    ...call('1', 'edit_file', { path: 'a' }, 'Edit rejected by user'),
    ...call('2', 'shell', { command: 'make' }, 'The user declined the command.', { is_error: true }),
    ...call('4', 'shell', { command: 'make' }, 'exec command rejected by user', { is_error: true }),
    ...call('5', 'shell', { command: 'make' }, '[Operation Cancelled] Reason: no', { is_error: true }),
    ...call('3', 'shell', { command: 'make' }, `Command rejected by user: ${'x'.repeat(400)}`, { is_error: true }),
  ]
  const { runs } = readRuns({ text: records.map((record) => JSON.stringify(record)).join('\n'), format: 'jsonl' })
  expect(runs[0]?.steps).toMatchObject([
    { outcome: 'unknown', finished: false },
    { outcome: 'unknown', finished: false },
    { outcome: 'unknown', finished: false },
    { outcome: 'unknown', finished: false },
    { outcome: 'failed', finished: true },
  ])
})

describe('a check that passes after an edit that failed in words was mended by nothing, in', () => {
  const task = 'Make the tests pass again.'
  const chatCall = (id: string, name: string, args: object, content: string) => [
    { role: 'assistant', tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }] },
    { role: 'tool', tool_call_id: id, content },
  ]
  const geminiCall = (name: string, args: object, output: string) => ({
    type: 'gemini',
    content: '',
    toolCalls: [{ name, args, status: 'success', result: [{ functionResponse: { name, response: { output } } }] }],
  })
  const codexCall = (id: string, name: string, args: object, output: string) =>
    [
      { type: 'function_call', name, arguments: JSON.stringify(args), call_id: id },
      { type: 'function_call_output', call_id: id, output },
    ].map((payload) => ({ type: 'response_item', payload }))
  const sweStep = (action: string, observation: string) => ({ action, observation, state: '{}' })
  const handsCall = (id: number, action: string, args: object, content: string, code?: number) => [
    { id, source: 'agent', action, args },
    { id: id + 1, cause: id, source: 'agent', observation: action, content, extras: { metadata: { exit_code: code } } },
  ]
  const LOGS: readonly (readonly [
    name: string,
    refused: string,
    done: string,
    log: (answer: string) => readonly unknown[],
  ])[] = [
    [
      'an OpenAI chat',
      'old_str not found',
      'edited',
      (answer) => [
        { role: 'user', content: task },
        ...chatCall('1', 'shell', { command: 'make' }, 'boom\nexit code: 2'),
        ...chatCall('2', 'str_replace', { path: 'a' }, answer),
        ...chatCall('3', 'shell', { command: 'make' }, 'fine\nexit code: 0'),
      ],
    ],
    [
      'a chat of the Gemini CLI',
      'Failed to edit, 0 occurrences found',
      'Successfully modified file: a',
      (answer) => [
        { type: 'user', content: task },
        geminiCall('run_shell_command', { command: 'make' }, 'Command: make\nStdout: boom\nExit Code: 2'),
        geminiCall('replace', { file_path: 'a' }, answer),
        geminiCall('run_shell_command', { command: 'make' }, 'Command: make\nStdout: fine\nExit Code: 0'),
      ],
    ],
    [
      'a rollout of Codex',
      'apply_patch verification failed: no such lines in a',
      'Success. Updated a',
      (answer) => [
        ...codexCall('1', 'shell', { command: ['make'] }, 'Exit code: 2\nWall time: 1 seconds\nOutput:\nboom'),
        ...codexCall('2', 'apply_patch', { input: '*** Begin Patch' }, answer),
        ...codexCall('3', 'shell', { command: ['make'] }, 'Exit code: 0\nWall time: 1 seconds\nOutput:\nfine'),
      ],
    ],
    [
      'a trajectory of SWE-agent',
      'No replacement was performed, old_str `a` did not appear verbatim in /a.',
      'The file /a has been edited.',
      (answer) => [
        {
          trajectory: [
            sweStep('make', 'make: *** [all] Error 2'),
            sweStep('str_replace_editor str_replace /a --old_str a --new_str b', answer),
            sweStep('make', 'Build succeeded'),
          ],
        },
      ],
    ],
    [
      'events of OpenHands',
      'ERROR:\nNo replacement was performed.',
      'The file /a has been edited.',
      (answer) => [
        ...handsCall(2, 'run', { command: 'make' }, 'boom', 2),
        ...handsCall(4, 'edit', { path: '/a', command: 'str_replace' }, answer),
        ...handsCall(6, 'run', { command: 'make' }, 'fine', 0),
      ],
    ],
  ]

  test.each(LOGS)('%s', (_, refused, done, log) => {
    const fixesIn = (answer: string) => {
      const text = log(answer)
        .map((record) => JSON.stringify(record))
        .join('\n')
      return findFixes(readRuns({ text, format: 'jsonl' }).runs).fixes.length
    }
    expect(fixesIn(done)).toBe(1)
    expect(fixesIn(refused)).toBe(0)
  })
})

test('a tool that ends its second answer in a failure has not passed', () => {
  const call = (id: string, name: string, args: object, content: string) => [
    { role: 'assistant', tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }] },
    { role: 'tool', tool_call_id: id, content },
  ]
  const fixesIn = (answer: string) => {
    const records = [
      ...call('1', 'run_tests', { path: 'a' }, '1 failed, 2 passed in 0.1s'),
      ...call('2', 'edit_file', { path: 'a' }, 'edited'),
      ...call('3', 'run_tests', { path: 'a' }, answer),
    ]
    const text = records.map((record) => JSON.stringify(record)).join('\n')
    return findFixes(readRuns({ text, format: 'jsonl' }).runs).fixes.length
  }
  expect(fixesIn('collected 3 items\n3 passed in 0.1s')).toBe(1)
  expect(fixesIn('collected 3 items\n1 failed, 2 passed in 0.1s')).toBe(0)
  expect(fixesIn('The tests could not be started')).toBe(0)
})
