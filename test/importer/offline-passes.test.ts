/** Which later runs of a failing command count as passed where the log shows no exit codes, and which do not. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { judgeOutcome } from '../../src/importer/producers/outcome.ts'
import { fromLog, LIMITS } from './extracted-log.ts'

const TRACE = 'Traceback (most recent call last):\n  File "/srv/load.py", line 3, in <module>\nKeyError: \'colour\'\n'
const session = (failure: string, later: string, end = '$ exit\n') =>
  fromLog(`$ python load.py\n${failure}$ sed -i s/colour/color/ load.py\n$ python load.py\n${later}${end}`)

describe('a script that died with a trace', () => {
  test.each(['loaded 3 rows\n', 'Script completed successfully, no errors.\n', '3.5\n'])(
    'has passed once it says something else, such as %j',
    (later) => {
      const { experiences } = session(TRACE, later)
      expect(experiences).toHaveLength(1)
      expect(experiences[0]?.description).toBe("Get `python load.py` to pass after it failed with: KeyError: 'colour'")
      expect(experiences[0]?.content).toContain('(no sign of failure this time; the log shows no exit code)')
    },
  )

  test.each([
    ['says nothing', '', '$ exit\n'],
    ['speaks of trouble', 'loaded 2 rows, 1 failed\n', '$ exit\n'],
    ['dies again', `row 1\n${TRACE}`, '$ exit\n'],
    ['is cut off', 'loaded 3 rows\n...\n', '$ exit\n'],
    ['may still run when the log ends', 'loaded 3 rows\n', ''],
    ['is interrupted', 'loaded 3 rows\n^C\n', '$ exit\n'],
  ])('has not passed when it %s', (_, later, end) => {
    expect(session(TRACE, later, end).experiences).toEqual([])
  })

  test('has not passed without a summary when it failed in one', () => {
    expect(session(`${TRACE}Ran 3 tests in 0.001s\nFAILED (errors=1)\n`, 'loaded 3 rows\n').experiences).toEqual([])
  })

  test('of which SWE-agent kept the trajectory has passed in the same way', () => {
    const step = (action: string, observation: string) => ({ action, observation, state: '{"working_dir": "/srv"}' })
    const trajectory = [
      step('python load.py\n', TRACE),
      step('edit 3:3\ncolor\nend_of_edit\n', '[File: /srv/load.py (3 lines total)]\nFile updated.'),
      step('python load.py\n', 'Script completed successfully, no errors.\n'),
      step('submit\n', 'diff --git a/load.py b/load.py\n'),
    ]
    const { experiences } = extractOffline(
      { text: JSON.stringify({ trajectory, history: [] }), format: 'json' },
      LIMITS,
    )
    expect(experiences).toHaveLength(1)
  })
})

describe('a program that dies while it asks', () => {
  const judged = (output: string) => judgeOutcome({ shell: './ask', exitCode: null, errorFlag: null, output }).outcome

  test.each([
    'Your name: Exception in thread "main" java.lang.IllegalStateException: closed',
    'Your name? Traceback (most recent call last):\n  File "ask.py", line 1, in <module>\nEOFError: EOF when reading a line',
    "> thread 'main' panicked at src/main.rs:3:5:\nnot a number",
    'Your name: Segmentation fault (core dumped)',
  ])('has failed: %j', (output) => {
    expect(judged(output)).toBe('failed')
  })

  test('is no fix when only what it says differs, as another answer may have been typed', () => {
    const { experiences, stats } = session(
      'Your name: Exception in thread "main" Boom: closed\n\tat a.b(C.java:3)\n',
      'Your name: Ann\n',
    )
    expect([stats.failures, experiences.length]).toEqual([1, 0])
  })

  test.each([
    'worker ERROR: Exception in thread "pool-1" java.io.IOException: closed\nserving on',
    'Exception ignored in: Traceback (most recent call last):',
    'say "x: Exception in thread "main""',
  ])('has not where a log tells of another one: %j', (output) => {
    expect(judged(output)).toBe('unknown')
  })
})

describe('what is done between a failure and a pass', () => {
  const fixes = (between: string, check = 'make') => {
    const log = `$ ${check}\nerror: no wheel\n[exit 2]\n$ ${between}\nwell\n$ ${check}\nbuilt\n[exit 0]\n$ exit\n`
    return fromLog(log).experiences.length
  }

  test.each([
    'python -c "print(1)"',
    `python3 -c "import sys; print(sys.version, len(sys.path))"`,
    `node -e "const a = require('a'); console.log(a.b(1))"`,
    'cd /srv && python -c "print(1)"',
  ])('is nothing where it only prints: %s', (between) => {
    expect(fixes(between)).toBe(0)
  })

  test.each([
    `python -c "open('a', 'w')"`,
    `python -c "print(open('a', 'w').write('x'))"`,
    'python -c "import a; a.go()"',
    'python -c "print(1)" > a',
    'python -c "print($(make b))"',
    `python -c "import shop; print(shop.install_all())"`,
  ])('is something where it may do more: %s', (between) => {
    expect(fixes(between)).toBe(1)
  })

  test('is no fix where the same line passes by its last command while a linter still lists', () => {
    const log = (last: string) =>
      `$ flake8 a.py; make\na.py:1:1: F401 unused\nwell\n[exit 2]\n$ vi a.c\n$ flake8 a.py; make\n${last}built\n[exit 0]\n$ exit\n`
    const count = (last: string) => fromLog(log(last)).experiences.length
    expect([count('a.py:1:1: F401 unused\n'), count('')]).toEqual([0, 1])
  })
})

describe('the offline extractor', () => {
  test('does not take silence for success, but where the program always names its failures', () => {
    const silent = (command: string, failure: string) =>
      fromLog(`$ ${command}\n${failure}\n$ vi x\n$ ${command}\n$ exit\n`).experiences.length
    expect(silent('./deploy', 'Error: no route')).toBe(0)
    expect(silent('npx tsc -p .', 'a.ts(1,1): error TS2304: x')).toBe(1)
    expect(silent('npx tsc -p . | head', 'a.ts(1,1): error TS2304: x')).toBe(0)
  })

  describe('without exit codes takes the same command line saying something else for a pass', () => {
    const again = (command: string, failure: string, between: string, later: string, end = '$ exit\n'): number =>
      fromLog(`$ ${command}\n${failure}\n$ ${between}\n$ ${command}\n${later}${end}`).experiences.length
    test.each([
      ['./run.sh', 'bash: ./run.sh: Permission denied', 'chmod +x run.sh', 'hello\n'],
      ['yarn', 'bash: yarn: command not found', 'npm i -g yarn', 'yarn install v1.22\nDone in 2.31s.\n'],
      [
        'curl localhost:8000',
        'curl: (7) Failed to connect to localhost port 8000: Connection refused',
        './serve &',
        '<html>\n',
      ],
      [
        'kubectl get pods',
        'Error from server (Forbidden): pods is forbidden',
        'kubectl create rolebinding x',
        'NAME  READY\n',
      ],
      [
        'docker compose up -d',
        'Error response from daemon: port is already allocated',
        'docker stop old',
        ' Container web  Started\n',
      ],
      [
        'terraform apply',
        '│ Error: Error acquiring the state lock',
        'terraform force-unlock x',
        'Apply complete! Resources: 1 added\n',
      ],
    ])('%s', (command, failure, between, later) => {
      expect(again(command, failure, between, later)).toBe(1)
    })

    const refused = 'bash: ./run.sh: Permission denied'
    test.each([
      ['when it printed nothing', './run.sh', refused, 'chmod +x run.sh', '', undefined],
      ['when the log ends there: it may be cut or go on', './run.sh', refused, 'chmod +x run.sh', 'hello\n', ''],
      [
        'when the middle of it was not judged',
        './run.sh',
        refused,
        'chmod +x run.sh',
        'hello\n'.repeat(4_000),
        undefined,
      ],
      ['when it was interrupted', './run.sh', refused, 'chmod +x run.sh', 'hello\n^C\n', undefined],
      ['when it still runs', './run.sh &', refused, 'chmod +x run.sh', 'hello\n', undefined],
      ['when its output was cut off', './run.sh', refused, 'chmod +x run.sh', 'hello\n...\n', undefined],
      [
        'when it speaks of trouble in any words',
        './run.sh',
        refused,
        'chmod +x run.sh',
        'the disk is missing\n',
        undefined,
      ],
      ['when that is German', './run.sh', refused, 'chmod +x run.sh', 'Fehler beim Lesen\n', undefined],
      ['when only looks stand in between', './run.sh', refused, 'ls -l', 'hello\n', undefined],
      ['when only time passed', './run.sh', refused, 'sleep 5', 'hello\n', undefined],
      [
        'when the end of a pipe may have swallowed it',
        './run.sh | tail -1',
        refused,
        'chmod +x run.sh',
        'hello\n',
        undefined,
      ],
      ['when a test run prints no summary', 'pytest', '1 failed in 1s', 'vi a.py', 'collected 3 items\n', undefined],
      [
        'when the failure was a word of a listing',
        'kubectl get pods',
        'NAME\nError: x',
        'touch x',
        'NAME\n',
        undefined,
      ],
    ])('but not %s', (_, command, failure, between, later, end) => {
      expect(again(command, failure, between, later, end)).toBe(0)
    })

    test('and says on what that rests', () => {
      const log = `$ ./run.sh\n${refused}\n$ chmod +x run.sh\n$ ./run.sh\nhello\n$ exit\n`
      expect(fromLog(log).experiences[0]?.content).toContain(
        'Check that passed: `./run.sh` (no sign of failure this time; the log shows no exit code)\n    hello',
      )
    })
  })

  test('takes a missing exit mark for success only in a log that marks failures alone', () => {
    const failed = '$ ./deploy\nwell\n[exit 3]\n$ vi x\n'
    expect(fromLog(`${failed}$ ./deploy\nwell\n$ exit\n`).experiences).toHaveLength(1)
    expect(fromLog(`${failed}$ ./other\n[exit 0]\n$ ./deploy\nwell\n$ exit\n`).experiences).toHaveLength(0)
    expect(fromLog(`${failed}$ ./deploy\nwell\n`).experiences).toHaveLength(0)
  })
})
