import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'
import {
  type ActionsStep,
  checkout,
  group,
  JOB_END,
  jobHead,
  stamped as stampedLines,
  stepLines,
} from '../fakes/actions-log.ts'

const LIMITS = { count: (text: string) => text.length / 4, description: 512, when_to_use: 1_024, content: 8_192 }

const stamped = (lines: readonly string[]) =>
  `\ufeff${stampedLines(lines, (index) => `2026-01-01T10:00:00.${String(index).padStart(7, '0')}Z`)}`

/** As the runner writes one attempt of a job. @param commit null where its checkout does not tell it */
function attempt(commit: string | null, ...steps: readonly ActionsStep[]): string {
  const head = commit === null ? [] : [`HEAD is now at ${commit}`]
  return stamped([...jobHead('test'), ...checkout(head), ...steps.flatMap(stepLines), ...JOB_END])
}

/** The same of a checkout of which every line is given. */
const attemptAfter = (checkouts: readonly string[], ...steps: readonly ActionsStep[]) =>
  stamped([...jobHead('test'), ...checkouts, ...steps.flatMap(stepLines), ...JOB_END])

const GIT = '[command]/usr/bin/git'
const GIT_EXE = '[command]"C:\\Program Files\\Git\\bin\\git.exe"'
const idOf = (digit: string) => digit.repeat(40)

const INSTALL: ActionsStep = { command: 'npm ci', output: 'added 3 packages in 2s' }
const FAILING: ActionsStep = {
  command: 'npm test',
  output: '\u001b[31mTypeError: x is not a date\u001b[0m',
  exitCode: 1,
}
const PASSING: ActionsStep = { command: 'npm test', output: ' Tests  13 passed (13)' }
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

test.each(['The operation was canceled.', 'The runner has received a shutdown signal. This can happen.'])(
  'a step that was ended from outside has no outcome: %s',
  (words) => {
    const ended = attempt(null, { command: 'npm test', output: `1 of 9 done\n##[error]${words}` })
    expect(read(ended).runs[0]?.steps.at(-1)).toMatchObject({
      command: 'npm test',
      outcome: 'unknown',
      finished: false,
    })
  },
)

test.each([
  'cd a && npm test\necho done',
  'if npm test\nthen echo a\nfi\necho b',
  'set +e\nnpm test\necho b',
  '! npm test\necho b',
  'set +o errexit\nnpm test\necho b',
  'npm test --silent || true',
  'make -i test',
])('a script that goes on after a failure proves nothing by going on: %j', (command) => {
  const { runs } = read(attempt(null, { command, output: '' }))
  expect(runs[0]?.steps.at(-1)).not.toMatchObject({ evidence: 'flag', outcome: 'passed' })
})

test.each([
  'make\ncd a && npm test',
  'make; npm test',
  'for part in a b; do\n  npm test -- $part\ndone',
  'echo "a; b | c"\nnpm test',
])('a script that no failure lets go on is proven by its end: %j', (command) => {
  const { runs } = read(attempt(null, { command, output: 'FAILED tests/a.py::test_b' }))
  expect(runs[0]?.steps.at(-1)).toMatchObject({ outcome: 'passed', evidence: 'flag' })
})

test('a script with a here-document is judged by what it printed too', () => {
  const command = 'cat <<END > a\nb\nEND\nnpm test || true'
  const { runs } = read(attempt(null, { command, output: 'FAILED tests/a.py::test_b' }))
  expect(runs[0]?.steps.at(-1)).toMatchObject({ outcome: 'failed', evidence: 'text' })
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

test('what no shell is told of is a script unless it has the name of an action', () => {
  const titles = ['pip install -r a.txt', 'actions/cache@v4', 'o/tools/lint@main', './own', 'docker://alpine:3']
  const { runs } = read(stamped([...jobHead('test'), ...titles.flatMap((title) => group(title)), ...JOB_END]))
  const [script, ...actions] = runs[0]?.steps ?? []
  expect(script).toMatchObject({ kind: 'command', shell: true, command: 'pip install -r a.txt' })
  expect(actions.map(({ kind }) => kind)).toEqual(['look', 'look', 'look', 'look'])
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

  describe('that check out a branch teach what a commit mended, which stands', () => {
    const branch = [`${GIT} checkout --progress --force -B main refs/remotes/origin/main`, "branch 'main' set up"]
    const logged = (digit: string) => [`${GIT} log -1 --format=%H`, idOf(digit)]
    const fetch = (digit: string) => `${GIT} -c protocol.version=2 fetch --depth=1 origin +${idOf(digit)}:refs/remotes`

    test.each<[string, (digit: string) => readonly string[]]>([
      ['behind git log -1', (digit) => [...branch, ...logged(digit)]],
      ['behind it in quotes', (digit) => [...branch, `${GIT} log -1 --format='%H'`, `'${idOf(digit)}'`]],
      ['behind it on Windows', (digit) => [`${GIT_EXE} log -1 --format=%H`, idOf(digit)]],
      ['in what was fetched', (digit) => [`${fetch(digit)}/origin/main`, ...branch]],
      ['in what was fetched of a pull request', (digit) => [`${fetch(digit)}/pull/7/merge`]],
      ['at a HEAD without a subject', (digit) => [`HEAD is now at ${idOf(digit).slice(0, 7)}`]],
    ])('%s', (_, output) => {
      const text = (digit: string, step: ActionsStep) => attemptAfter(checkout(output(digit)), INSTALL, step)
      const { experiences } = learnt(text('a', FAILING) + text('b', PASSING))
      expect(experiences).toMatchObject([{ content: expect.stringContaining('1. the commit bbbbbbb\n') }])
      expect(learnt(text('a', FAILING) + text('a', PASSING)).experiences).toEqual([])
    })

    test('in the environment of a step', () => {
      const named = (digit: string, step: ActionsStep) =>
        attempt(null, INSTALL, step).replaceAll('  CI: true', `  GITHUB_SHA: ${idOf(digit)}`)
      expect(learnt(named('a', FAILING) + named('b', PASSING)).experiences).toHaveLength(1)
      expect(learnt(named('a', FAILING) + named('a', PASSING)).experiences).toEqual([])
    })

    test('behind git log -1 as gh prints it', () => {
      const printed = (digit: string, step: ActionsStep) =>
        attemptAfter(checkout([...branch, ...logged(digit)]), step)
          .replace(/^\ufeff/, '')
          .replace(/^(?=2026)/gm, 'test\tUNKNOWN STEP\t')
      expect(learnt(printed('a', FAILING) + printed('b', PASSING)).experiences).toHaveLength(1)
    })
  })

  test('tell a commit by its subject, and by its beginning that it is the same', () => {
    const short = checkout([`HEAD is now at ${idOf('a').slice(0, 7)} Give dates a default`])
    const whole = (digit: string) => checkout([`${GIT} log -1 --format=%H`, idOf(digit)])
    const told = learnt(attemptAfter(whole('d'), FAILING) + attemptAfter(short, PASSING)).experiences
    expect(told).toMatchObject([{ content: expect.stringContaining('“Give dates a default” (aaaaaaa)') }])
    expect(learnt(attemptAfter(whole('a'), FAILING) + attemptAfter(short, PASSING)).experiences).toEqual([])
  })

  test('tell of a merge that was made for the job alone the commit that it merges', () => {
    const merging = (digit: string, merged: string, base: string) =>
      checkout([`HEAD is now at ${idOf(digit).slice(0, 7)} Merge ${idOf(merged)} into ${idOf(base)}`])
    const done = (merged: string, base: string) =>
      learnt(attemptAfter(merging('1', 'b', 'c'), FAILING) + attemptAfter(merging('2', merged, base), PASSING))
        .experiences[0]?.content
    expect(done('d', 'c')).toContain('Done in between:\n1. a new commit of the pull request (ddddddd)\n\n')
    expect(done('b', 'e')).toContain('1. the same commit of the pull request (bbbbbbb), merged into eeeeeee\n\n')
  })

  test('list nothing that the failing attempt did in the same way', () => {
    const prepare = { command: 'sudo apt-get update\nsudo apt-get install -y bats' }
    const [experience] = learnt(
      attempt(BROKEN, prepare, FAILING) + attempt(MENDED, prepare, INSTALL, PASSING),
    ).experiences
    expect(experience?.content).toContain(
      'Done in between:\n1. the commit “Give dates without a time a default” (5d6e7f8)\n2. `npm ci`\n\nCheck',
    )
  })

  test('list an action that is given something else', () => {
    const [experience] = learnt(
      attemptAfter(checkout([`HEAD is now at ${BROKEN}`]), FAILING) +
        attemptAfter(checkout([`HEAD is now at ${MENDED}`], '  lfs: true'), PASSING),
    ).experiences
    expect(experience?.content).toContain('2. look: actions/checkout@v4\n\nCheck')
  })

  test('tell each test that failed, and of the pass its sum', () => {
    const failing = 'not ok 1 adds\nok 2 takes away\nnot ok 3 divides\n✗ Shell tests failed\n✗ Some tests failed'
    const passing = 'ok 1 adds\nok 2 takes away # skip no numbers\nok 3 divides\n✓ All tests passed!\nbye'
    const [experience] = learnt(
      attempt(BROKEN, { ...FAILING, output: failing }) + attempt(MENDED, { ...PASSING, output: passing }),
    ).experiences
    expect(experience?.content).toContain('`npm test`\n    not ok 1 adds\n    not ok 3 divides\n\n')
    expect(experience?.content).toEndWith('(the tool reported no error)\n    ✓ All tests passed!')
  })

  describe('teach nothing where another commit is not the job’s:', () => {
    const own = checkout([`HEAD is now at ${BROKEN}`], '  repository: o/own')
    const entered = (commit: string) => [`${GIT} submodule foreach git reset --hard`, `HEAD is now at ${commit}`]
    test.each<[string, (commit: string) => readonly string[]]>([
      ['a submodule', (commit) => checkout([`HEAD is now at ${BROKEN}`, ...entered(commit)], '  repository: o/own')],
      ['what a clean-up left', (commit) => checkout([`${GIT} reset --hard HEAD`, `HEAD is now at ${commit}`])],
      [
        'a second repository behind it',
        (commit) => [...own, ...checkout([`HEAD is now at ${commit}`], '  repository: o/tools', '  path: tools')],
      ],
      [
        'a second repository in front of it',
        (commit) => [...checkout([`HEAD is now at ${commit}`], '  repository: o/tools', '  path: tools'), ...own],
      ],
      [
        'another repository in the same folder',
        (commit) => [...own, ...checkout([`HEAD is now at ${commit}`], '  repository: o/tools')],
      ],
      [
        'what a script goes to',
        (commit) => [...own, ...stepLines({ command: 'make', output: `HEAD is now at ${commit}` })],
      ],
      [
        'fetched beside others',
        (commit) => [
          ...checkout([
            `${GIT} fetch origin +${idOf('a')}:refs/remotes/origin/a +${commit[0]}${idOf('b').slice(1)}:refs/tags/b`,
          ]),
        ],
      ],
    ])('%s', (_, checkouts) => {
      const text = attemptAfter(checkouts(BROKEN), FAILING) + attemptAfter(checkouts(MENDED), PASSING)
      expect(learnt(text).experiences).toEqual([])
    })
  })

  test('as a run of each job’s own: of several checkouts the one into its folder counts', () => {
    const both = (commit: string) => [
      ...checkout([`HEAD is now at ${BROKEN}`], '  repository: o/tools', '  path: tools'),
      ...checkout([`HEAD is now at ${commit}`], '  repository: o/own'),
    ]
    const text = attemptAfter(both(BROKEN), FAILING) + attemptAfter(both(MENDED), PASSING)
    expect(learnt(text).experiences).toHaveLength(1)
  })

  describe('of logs cut to some steps are told apart', () => {
    const cut = (commit: string, ...steps: readonly ActionsStep[]) =>
      stamped([...checkout([`HEAD is now at ${commit}`]), ...steps.flatMap(stepLines)])

    test('by the same checkout behind a command', () => {
      const text = cut(BROKEN, INSTALL, FAILING) + cut(MENDED, INSTALL, PASSING) + stamped(JOB_END)
      expect(read(text).runs).toHaveLength(1)
      const { experiences } = learnt(text)
      expect(experiences).toMatchObject([{ content: expect.stringContaining('Give dates without a time a default') }])
    })

    test('by the end of the one before', () => {
      const ended = (commit: string, step: ActionsStep) =>
        stamped([
          ...checkout([`HEAD is now at ${commit}`], `  ref: ${commit.slice(0, 7)}`),
          ...stepLines(step),
          ...JOB_END,
        ])
      expect(learnt(ended(BROKEN, FAILING) + ended(MENDED, PASSING)).experiences).toHaveLength(1)
    })

    test('by another commit in the environment', () => {
      const bare = (digit: string, step: ActionsStep) =>
        stamped(stepLines(step)).replace('  CI: true', `  GITHUB_SHA: ${idOf(digit)}`)
      expect(learnt(bare('a', FAILING) + bare('b', PASSING) + stamped(JOB_END)).experiences).toHaveLength(1)
      const { experiences, reason } = learnt(bare('a', FAILING) + bare('a', PASSING) + stamped(JOB_END))
      expect(experiences).toEqual([])
      expect(reason).toContain('1 passed when merely repeated')
    })

    test('but not where one attempt checks out twice before its first command', () => {
      const text = stamped([...checkout([`HEAD is now at ${BROKEN}`]), ...checkout([`HEAD is now at ${BROKEN}`])])
      expect(read(text + stamped(stepLines(FAILING))).runs).toHaveLength(1)
    })

    test('and what was running where one is cut off did not pass there', () => {
      const { runs } = read(cut(BROKEN, INSTALL) + cut(MENDED, PASSING))
      expect(runs[0]?.steps[1]).toMatchObject({ command: 'npm ci', outcome: 'unknown', finished: false })
    })
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

test.each([
  ['pytest -q', '3 skipped in 0.01s'],
  ['go test ./...', '?   \tshop/cart\t[no test files]'],
])('%s that tested nothing passes nothing, whatever the runner says', (command, output) => {
  const { runs } = read(attempt(null, { command, output }))
  expect(runs[0]?.steps.at(-1)).toMatchObject({ outcome: 'unknown' })
})

test('an error that is still printed at the later commit is not mended', () => {
  const error = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."
  const log = [
    attempt(BROKEN, { command: 'npm run build', output: error, exitCode: 2 }),
    attempt(MENDED, { command: 'npm run build', output: error }),
  ].join('\n')
  expect(learnt(log).experiences).toEqual([])
})
