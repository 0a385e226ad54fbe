/** Logs of OpenHands. */
import { describe, expect, test } from 'bun:test'
import { readLines, readValue } from './json-logs.ts'

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
