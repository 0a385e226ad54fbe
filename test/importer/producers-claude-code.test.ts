import { describe, expect, test } from 'bun:test'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const read = (...records: readonly unknown[]) =>
  readRuns({ text: records.map((record) => JSON.stringify(record)).join('\n'), format: 'jsonl' })

const use = (id: string, name: string, input: unknown, more: object = {}) => ({
  type: 'assistant',
  cwd: '/home/dev/shop',
  ...more,
  message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
})
const result = (id: string, content: unknown, more: object = {}, record: object = {}) => ({
  type: 'user',
  ...record,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
})
const says = (text: string, more: object = {}) => ({ type: 'user', ...more, message: { role: 'user', content: text } })

describe('a Claude Code transcript', () => {
  test('tells failures by their flag, and takes a missing flag for success', () => {
    const { producer, runs } = read(
      says('Make the build pass again.'),
      use('1', 'Bash', { command: 'make' }),
      result('1', 'Exit code 2\nmake: *** [all] Error 2', { is_error: true }),
      use('2', 'Edit', { file_path: '/home/dev/shop/Makefile', old_string: 'a', new_string: 'b' }),
      result('2', 'The file has been updated.'),
      use('3', 'Bash', { command: 'make' }),
      result('3', '', { is_error: false }),
    )
    expect(producer).toBe('claude-code')
    expect(runs[0]?.folder).toBe('/home/dev/shop')
    expect(runs[0]?.steps.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'command failed',
      'edit passed',
      'command passed',
    ])
  })

  test('takes a record of an error for a failure whatever the flag says, but not one that was only read', () => {
    const outcomes = (name: string, input: unknown) =>
      read(
        use('1', name, input),
        result('1', '{"ok": false, "error": "no cart"}', { is_error: false }),
      ).runs[0]?.steps.map(({ outcome }) => outcome)
    expect(outcomes('Bash', { command: './check' })).toEqual(['failed'])
    expect(outcomes('mcp__shop__find_cart', { id: 3 })).toEqual(['passed'])
    expect(outcomes('mcp__shop__close_cart', { id: 3 })).toEqual(['failed'])
    expect(outcomes('Read', { file_path: 'last.json' })).toEqual(['passed'])
  })

  test.each([
    '[Request interrupted by user for tool use]',
    'Exit code 1\n[Request interrupted by user for tool use]',
    'Exit code 137\n3 passed so far\n[Request interrupted by user]\n',
  ])('knows no outcome of what a person interrupted: %j', (output) => {
    const { runs } = read(use('1', 'Bash', { command: 'npm test' }), result('1', output, { is_error: true }))
    expect(runs[0]?.steps).toMatchObject([{ outcome: 'unknown', finished: false }])
  })

  test('does not take the good end of a pipe for the success of what stands before it', () => {
    const piped = (output: string) =>
      read(use('1', 'Bash', { command: 'pytest 2>&1 | tail -3' }), result('1', output, { is_error: false })).runs[0]
        ?.steps[0]
    expect(piped('1 failed, 2 passed in 0.10s')).toMatchObject({ outcome: 'failed', evidence: 'text' })
    expect(piped('3 passed in 0.10s')).toMatchObject({ outcome: 'passed', evidence: 'text' })
    expect(piped('nothing telling')).toMatchObject({ outcome: 'unknown' })
  })

  test.each([
    ['npm test', 'Tests: 2 failed, 3 passed', 'failed'],
    ['make', 'error: B\nmake: *** [all] Error 1', 'failed'],
    ['npm test', 'Test Suites: 1 failed, 1 passed, 2 total\nTests:       4 passed, 4 total', 'failed'],
    ['npm test', `Error: logged in passing\n${'.\n'.repeat(20)}Tests: 3 passed, 3 total`, 'passed'],
    ['pytest', 'ValueError: expected by a test\n3 passed in 0.10s', 'passed'],
    ['cat old.log', 'make: *** [all] Error 1', 'passed'],
    ['npm ci && cat old.log', 'make: *** [all] Error 1', 'passed'],
  ])('does not let the flag "no error" outvote how the output of %j ends: %j', (command, output, outcome) => {
    const { runs } = read(use('1', 'Bash', { command }), result('1', output, { is_error: false }))
    expect(runs[0]?.steps[0]?.outcome).toBe(outcome as 'failed')
  })

  test('takes what a subagent was told to do for a step', () => {
    const { runs } = read(
      use('1', 'Task', { prompt: 'Rewrite parser', description: 'rewrite' }),
      result('1', 'I rewrote parser.c', { is_error: false }),
      use('2', 'Skill', { command: 'deploy' }),
    )
    expect(runs[0]?.steps.map(({ kind, shown }) => [kind, shown])).toEqual([
      ['call', 'Task: Rewrite parser'],
      ['call', 'Skill: deploy'],
    ])
  })

  test('shows that a leading cd only went where the session was already', () => {
    const fixesIn = (again: string) =>
      findFixes(
        read(
          use('1', 'Bash', { command: 'pytest' }),
          result('1', 'Exit code 1\n1 failed in 0.1s', { is_error: true }),
          use('2', 'Bash', { command: again }),
          result('2', '3 passed in 0.1s'),
        ).runs,
      ).fixes.length
    expect(fixesIn('cd /home/dev/shop && pytest')).toBe(0)
    expect(fixesIn('cd /home/dev/shop/core && pytest')).toBe(1)
  })

  describe('of calls that one message made', () => {
    const CALLS = [
      ['1', 'Bash', { command: 'make test' }, 'Exit code 2\nerror: x'],
      [
        '2',
        'Edit',
        { file_path: '/home/dev/shop/a.c', old_string: 'a', new_string: 'b' },
        'The file has been updated.',
      ],
      ['3', 'Bash', { command: 'make test' }, 'done'],
    ] as const
    const blocks = CALLS.map(([id, name, input]) => ({ type: 'tool_use', id, name, input }))
    const of = (content: readonly unknown[]) => ({
      type: 'assistant',
      message: { id: 'm', role: 'assistant', content },
    })
    const answers = CALLS.map(([id, , , text]) => result(id, text, { is_error: id === '1' }))
    const fixesIn = (...records: readonly unknown[]) =>
      findFixes(read(says('Make the tests pass again.'), ...records).runs).fixes.length

    test('learns nothing while none came after the answer to another', () => {
      expect(fixesIn(of(blocks), ...answers)).toBe(0)
      expect(fixesIn(...blocks.map((block) => of([block])), ...answers)).toBe(0)
      expect(fixesIn(of(blocks.slice(0, 1)), answers[0], of(blocks.slice(1)), ...answers.slice(1))).toBe(0)
    })

    test('sees which came after the answer to another', () => {
      expect(fixesIn(...blocks.flatMap((block, at) => [of([block]), answers[at]]))).toBe(1)
    })
  })

  test('takes a refusal by the person, an interruption and a missing answer for no outcome', () => {
    const { runs } = read(
      use('1', 'Write', { file_path: 'a', content: 'x' }),
      result('1', "The user doesn't want to proceed with this tool use.", { is_error: true }),
      use('2', 'Bash', { command: 'make' }),
      result('2', 'so far', {}, { toolUseResult: { interrupted: true } }),
      use('3', 'Bash', { command: 'make' }),
    )
    expect(runs[0]?.steps.map(({ outcome, finished }) => [outcome, finished])).toEqual([
      ['unknown', false],
      ['unknown', false],
      ['unknown', false],
    ])
  })

  test('reads each side chain as a run of its own, by agent or by its first record', () => {
    const { runs } = read(
      says('main work', { uuid: 'm1' }),
      says('first helper', { isSidechain: true, uuid: 'a1', parentUuid: null }),
      says('second helper', { isSidechain: true, uuid: 'b1', parentUuid: null }),
      use('1', 'Bash', { command: 'make a' }, { isSidechain: true, uuid: 'a2', parentUuid: 'a1' }),
      use('2', 'Bash', { command: 'make b' }, { isSidechain: true, uuid: 'b2', parentUuid: 'b1' }),
      result('1', 'ok', {}, { isSidechain: true, uuid: 'a3', parentUuid: 'a2' }),
      says('third helper', { isSidechain: true, agentId: 'z', uuid: 'z1' }),
    )
    expect(runs.map(({ task, steps }) => [task, steps.length])).toEqual([
      ['main work', 0],
      ['first helper', 1],
      ['second helper', 1],
      ['third helper', 0],
    ])
  })

  test('knows what the person typed from what the program put there', () => {
    const { runs } = read(
      says('Caveat: The messages below were generated by the user while running local commands.'),
      says('meta', { isMeta: true }),
      says('<command-name>/review</command-name><command-args>the cart module</command-args>'),
      says('<system-reminder>be good</system-reminder>Now repair the checkout page, please.'),
      use('1', 'Bash', { command: 'make' }),
    )
    expect(runs[0]?.task).toBe('/review the cart module')
    expect(runs[0]?.steps[0]?.task).toBe('Now repair the checkout page, please.')
  })

  test.each(['/clear', '/model', '/compact', 'clear'])('asks for nothing by a command to the program: %s', (name) => {
    const command = `<command-message>x</command-message><command-name>${name}</command-name><command-args>b</command-args>`
    expect(read(says(command), use('1', 'Bash', { command: 'make' })).runs[0]?.task).toBeNull()
    expect(read(says(command), says('Repair the build.')).runs[0]?.task).toBe('Repair the build.')
  })

  test('is read as one list of its records too', () => {
    const records = [
      { type: 'system', subtype: 'init', cwd: '/srv/app' },
      use('1', 'Bash', { command: 'make' }),
      result('1', 'error: bad', { is_error: true }),
    ]
    const { producer, runs } = readRuns({ text: JSON.stringify(records), format: 'json' })
    expect(producer).toBe('claude-code')
    expect(runs[0]?.steps).toMatchObject([{ command: 'make', outcome: 'failed' }])
  })

  test('counts a repeated record of a resumed session once', () => {
    const once = use('1', 'Bash', { command: 'make' }, { uuid: 'u', sessionId: 's', timestamp: 't' })
    expect(read(once, once).runs[0]?.steps).toHaveLength(1)
  })

  test('survives records that only look like messages', () => {
    const odd = [
      'x',
      7,
      null,
      [1],
      { type: 'user', message: 'error' },
      { type: 'user', message: { role: 'user', contenst: [] } },
      { type: 'user', message: { role: 'user', content: ['wow', null, 3, { type: 'tool_result' }] } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use' }] } },
      JSON.parse('{"type":"user","__proto__":{"isMeta":true},"message":{"role":"user","content":"hi","__proto__":3}}'),
    ]
    expect(read(...odd).runs).toHaveLength(1)
  })
})
