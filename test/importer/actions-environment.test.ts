/** Steps of GitHub Actions that run one script with other variables. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { type ActionsStep, checkout, JOB_END, jobHead, stamped, stepLines } from '../fakes/actions-log.ts'
import { LIMITS } from './extracted-log.ts'

const attempt = (commit: string, ...steps: readonly ActionsStep[]) =>
  stamped(
    [
      ...jobHead('test'),
      ...checkout([
        '[command]/usr/bin/git checkout --force refs/remotes/origin/main',
        `HEAD is now at ${commit} Change`,
      ]),
      ...steps.flatMap(stepLines),
      ...JOB_END,
    ],
    (index) => `2026-01-01T10:00:00.${String(index).padStart(7, '0')}Z`,
  )
const failing = (env: readonly string[], command = 'npm test'): ActionsStep => ({
  command,
  env,
  output: 'TypeError: x is not a date',
  exitCode: 1,
})
const passing = (env: readonly string[], command = 'npm test'): ActionsStep => ({ command, env, output: '13 passed' })
const learnt = (...attempts: readonly string[]) =>
  extractOffline({ text: attempts.join(''), format: 'text' }, LIMITS).experiences

describe('a script that one attempt runs with several values of a variable', () => {
  const SETUP: ActionsStep = { command: 'docker start db' }

  test.each(['npm test', 'npm run build\nnpm test'])('is a command of its own for each: %j', (command) => {
    const both = attempt('1a2b3c4', failing(['DB: mysql'], command), SETUP, passing(['DB: sqlite'], command))
    expect(learnt(both)).toEqual([])
  })

  test('is paired with what ran it with the same one later', () => {
    const [experience, ...others] = learnt(
      attempt('1a2b3c4', failing(['DB: mysql']), passing(['DB: sqlite'])),
      attempt('5d6e7f8', passing(['DB: mysql']), passing(['DB: sqlite'])),
    )
    expect(others).toEqual([])
    expect(experience?.content).toContain('What failed: `DB=mysql npm test`')
    expect(experience?.content).toContain('Check that passed: `DB=mysql npm test`')
    expect(experience?.content).not.toContain('in front')
  })
})

describe('a script that a later attempt runs with another value', () => {
  const contents = (before: readonly string[], after: readonly string[], command = 'npm test') =>
    learnt(attempt('1a2b3c4', failing(before, command)), attempt('5d6e7f8', passing(after, command))).map(
      ({ content }) => content,
    )

  test.each([
    [['DB: mysql'], ['DB: sqlite'], 'run it with `DB=sqlite` in front, without `DB=mysql` in front'],
    [[], ['OPTIONS: --old api'], "run it with `OPTIONS='--old api'` in front"],
    [['A: 1', 'B: 2'], ['A: 1'], 'run it without `B=2` in front'],
  ])('is told with it, as of a shell: %j, %j', (before, after, told) => {
    expect(contents(before, after)).toEqual([expect.stringContaining(told)])
  })

  test('is told with it above a script of several lines', () => {
    const [content] = contents(['DB: mysql'], ['DB: sqlite'], 'npm run build\nnpm test')
    expect(content).toContain('run it with `export DB=sqlite` in front, without `export DB=mysql` in front')
  })

  test.each([
    ['RUN: 81234567', 'RUN: 81234568'],
    ['TOOLS: /opt/tools/3.1', 'TOOLS: /opt/tools/3.2'],
    ['GITHUB_REF_KIND: a', 'GITHUB_REF_KIND: b'],
    ['TOKEN: ***', 'TOKEN: x'],
    ['CACHED: 2026-01-01', 'CACHED: 2026-01-02'],
  ])('tells nothing of what a run has for itself: %j, %j', (before, after) => {
    const [content, ...others] = contents([before], [after])
    expect(others).toEqual([])
    expect(content).toContain('What failed: `npm test`')
    expect(content).not.toContain('in front')
  })
})
