import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const LIMITS = { count: (text: string) => text.length / 4, description: 512, when_to_use: 1_024, content: 8_192 }

interface Step {
  readonly command: string
  readonly output?: string
  readonly exitCode?: number
}

const group = (title: string, ...heading: readonly string[]) => [`##[group]Run ${title}`, ...heading, '##[endgroup]']

function stepLines({ command, output = 'ok', exitCode = 0 }: Step): readonly string[] {
  const script = command.split('\n').map((line) => `\u001b[36;1m${line}\u001b[0m`)
  const failed = exitCode === 0 ? [] : [`##[error]Process completed with exit code ${exitCode}.`]
  const heading = group(command.split('\n')[0] ?? '', ...script, 'shell: /usr/bin/bash -e {0}', 'env:', '  CI: true')
  return [...heading, ...output.split('\n'), ...failed]
}

/** As the runner writes one attempt of a job. */
function attempt(commit: string | null, ...steps: readonly Step[]): string {
  const checkout = group('actions/checkout@v4', 'with:', '  fetch-depth: 1')
  const head = commit === null ? [] : [`HEAD is now at ${commit}`]
  const lines = [
    "Current runner version: '2.329.0'",
    '##[group]Operating System',
    'Ubuntu',
    '##[endgroup]',
    'Complete job name: test',
    ...checkout,
    ...head,
    ...steps.flatMap(stepLines),
    'Post job cleanup.',
    '##[warning]Node 16 is old',
  ]
  return `\ufeff${lines.map((line, at) => `2026-01-01T10:00:00.${String(at).padStart(7, '0')}Z ${line}\n`).join('')}`
}

const INSTALL: Step = { command: 'npm ci', output: 'added 3 packages in 2s' }
const FAILING: Step = { command: 'npm test', output: '\u001b[31mTypeError: x is not a date\u001b[0m', exitCode: 1 }
const PASSING: Step = { command: 'npm test', output: ' Tests  13 passed (13)' }
const BROKEN = '1a2b3c4 Format dates in one place'
const MENDED = '5d6e7f8 Give dates without a time a default'

const read = (text: string) => readRuns({ text, format: 'text' })
const learnt = (text: string) => extractOffline({ text, format: 'text' }, LIMITS)

test('a job is read by its steps, without times, colours and groups', () => {
  const { producer, runs } = read(attempt(BROKEN, INSTALL, FAILING))
  expect(producer).toBe('github-actions')
  expect(runs).toHaveLength(1)
  expect(runs[0]?.steps).toMatchObject([
    { kind: 'look', command: 'action actions/checkout@v4' },
    { kind: 'command', shell: true, command: 'npm ci', outcome: 'passed', output: 'added 3 packages in 2s' },
    { command: 'npm test', outcome: 'failed', evidence: 'exit', exitCode: 1, output: 'TypeError: x is not a date' },
  ])
})

test('a script of several lines is one command, which its shell ends at the first failure', () => {
  const { runs } = read(attempt(null, { command: 'make\nmake test' }, { command: 'make | tee log' }))
  expect(runs[0]?.steps.slice(1)).toMatchObject([
    { command: 'make\nmake test', outcome: 'passed' },
    { command: 'make | tee log', outcome: 'unknown' },
  ])
})

test.each([
  'cd a && npm test\necho done',
  'if npm test\nthen echo a\nfi\necho b',
  'set +e\nnpm test\necho b',
  '! npm test\necho b',
])('a script that goes on after a failure proves nothing by going on: %j', (command) => {
  const { runs } = read(attempt(null, { command, output: '' }))
  expect(runs[0]?.steps.at(-1)).not.toMatchObject({ evidence: 'flag', outcome: 'passed' })
})

test('a list that is the end of its script is proven by its end', () => {
  const { runs } = read(attempt(null, { command: 'make\ncd a && npm test' }))
  expect(runs[0]?.steps.at(-1)).toMatchObject({ outcome: 'passed', evidence: 'flag' })
})

test('an error that the runner notes and goes on after is a remark, and one that ends the job a failure', () => {
  const marked = (text: string) => text.replace('ok\n', 'ok\n2026-01-01T10:00:09.0000000Z ##[error]a.ts: unused\n')
  const remark = read(marked(attempt(null, { command: 'make lint' }, INSTALL))).runs[0]?.steps
  expect(remark?.at(-2)).toMatchObject({ command: 'make lint', outcome: 'passed' })
  const end = read(marked(attempt(null, { command: 'make lint' }))).runs[0]?.steps
  expect(end?.at(-1)).toMatchObject({ command: 'make lint', outcome: 'failed', evidence: 'flag' })
})

test('the last step of a log that ends there is not over', () => {
  const cut = attempt(null, INSTALL).split('\n').slice(0, -4).join('\n')
  expect(read(cut).runs[0]?.steps.at(-1)).toMatchObject({ command: 'npm ci', outcome: 'unknown', finished: false })
})

test('the folder of a step is where it ran', () => {
  const text = attempt(null, INSTALL).replace(
    'shell: /usr',
    'working-directory: ./web\n2026-01-01T10:00:01.0000000Z shell: /usr',
  )
  expect(read(text).runs[0]?.steps.at(-1)).toMatchObject({ command: 'npm ci', place: '\n./web' })
})

describe('attempts one behind the other', () => {
  test('teach what a commit mended', () => {
    const { experiences, reason } = learnt(attempt(BROKEN, INSTALL, FAILING) + attempt(MENDED, INSTALL, PASSING))
    expect(reason).toBe('1 of 7 calls failed; 1 failing command was later seen passing')
    expect(experiences).toHaveLength(1)
    expect(experiences[0]).toMatchObject({
      'when-to-use': expect.stringContaining('When `npm test` fails with: TypeError: x is not a date'),
      content: expect.stringContaining('the commit “Give dates without a time a default”'),
    })
  })

  test.each([
    ['the same commit', BROKEN],
    ['a commit that the log does not name', null],
  ])('teach nothing of %s', (_, commit) => {
    const { experiences, reason } = learnt(attempt(BROKEN, INSTALL, FAILING) + attempt(commit, INSTALL, PASSING))
    expect(experiences).toEqual([])
    expect(reason).toContain('nothing learnt')
  })

  test.each([
    ['another job', (text: string) => text.replace('Complete job name: test', 'Complete job name: lint')],
    ['another repository', (text: string) => text.replace('  fetch-depth: 1', '  repository: other/repo')],
    ['an earlier day', (text: string) => text.replaceAll('2026-01-01', '2025-12-31')],
  ])('teach nothing of %s', (_, changed) => {
    const text = attempt(BROKEN, INSTALL, FAILING) + changed(attempt(MENDED, INSTALL, PASSING))
    expect(learnt(text).experiences).toEqual([])
  })

  test('of two jobs, as gh prints them, are kept apart', () => {
    const named = (job: string, text: string) =>
      text.replace(/^\ufeff/, '').replace(/^(?=2026)/gm, `${job}\tUNKNOWN STEP\t`)
    const text = named('test', attempt(BROKEN, FAILING)) + named('lint', attempt(MENDED, PASSING))
    expect(read(text).runs).toHaveLength(2)
    expect(learnt(text).experiences).toEqual([])
    const same = named('test', attempt(BROKEN, FAILING)) + named('test', attempt(MENDED, PASSING))
    expect(learnt(same).experiences).toHaveLength(1)
  })
})

test.each([
  ['a log with other times', '2026-01-01 10:00:00 ##[group]Run make\n'.repeat(5)],
  ['times without a word of the runner', '2026-01-01T10:00:00.1234567Z hello\n'.repeat(5)],
])('%s is none', (_, text) => {
  expect(read(text).producer).not.toBe('github-actions')
})
