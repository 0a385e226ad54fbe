/** Whose exit code a code is, and what an output says of itself. */
import { describe, expect, test } from 'bun:test'
import { judgeOutcome } from '../../src/importer/producers/outcome.ts'

const NEUTRAL = 'hello'
const BROKEN = 'a.c:1: error: x\nmake: *** [all] Error 2'
const judged = (shell: string, output: string, exitCode: number | null = 0) =>
  judgeOutcome({ shell, exitCode, errorFlag: null, output })

describe('an exit code of 1', () => {
  test.each([
    'grep -q a b',
    'which jq',
    'command -v jq',
    'test -f a',
    '[ -f a ]',
    'pgrep node',
    'pidof node',
    'diff a b',
  ])('of a question is only its answer: %s', (shell) => {
    expect(judged(shell, '', 1).outcome).toBe('unknown')
    expect(judged(shell, '', 2).outcome).toBe('failed')
  })

  test.each(['make && grep -q a b', 'make; test -f a', 'grepper a', 'xargs make'])('of %s is a failure', (shell) => {
    expect(judged(shell, '', 1).outcome).toBe('failed')
  })
})

test('an exit code of 130 is of somebody who interrupted, and tells nothing of the command', () => {
  expect(judged('npm test', '3 passed so far\n^C', 130)).toEqual({ outcome: 'unknown', evidence: 'none' })
  expect(judged('npm test', '^C\n[exit 130]', null)).toEqual({ outcome: 'unknown', evidence: 'none' })
})

describe('a record of an error', () => {
  const shell = (command: string, output: string) => judged(command, output).outcome

  test.each([
    '{"ok":false}',
    '{"success": false, "data": 1}',
    '{"status":"error"}',
    ' {"status": "FAILED"}\n',
    '{"error":"no cart"}',
    '{"errors":["no cart"]}',
    '{"error":{"code":4}}',
    '{"errors":2}',
    '{"isError":true}',
    '{"ok":false}\nexit code: 0',
  ])('is a failure whatever the exit code: %j', (output) => {
    expect(shell('./check', output)).toBe('failed')
    expect(judgeOutcome({ shell: null, exitCode: null, errorFlag: false, output }).outcome).toBe('failed')
  })

  test.each([
    '{"ok":true,"error":""}',
    '{"errors":[],"error":null}',
    '{"errors":{}}',
    '{"status":"done"}',
    '{"result":{"ok":false}}',
    '[{"ok":false}]',
    'see {"ok":false}',
  ])('is none where it tells of none, or is not all of the output: %j', (output) => {
    expect(shell('./check', output)).toBe('passed')
  })

  test('proves nothing where it is only looked at', () => {
    expect(shell('cat last.json', '{"ok":false}')).not.toBe('failed')
  })
})

describe('an exit code of 0', () => {
  test.each([
    'make 2>&1 | tee log',
    'make |& tee log',
    'make; echo done',
    'make\necho done',
    'make; Write-Host done',
    'make || true',
    'make && echo ok; ls',
    'make & wait',
    'make &',
    'nohup ./serve > out.log 2>&1 &',
    'make > /dev/null; echo built',
    'make &> log; cat log',
    'set +e; make; echo done',
    'set -e; make | tee log',
    'set -e\nmake && echo ok\nls',
    'set -e; if make; then echo ok; fi',
    'set -o pipefail; make | tee log; echo done',
    '(make; true)',
    'time (make; true)',
    'bash -c "make; true"',
    "docker exec web sh -lc 'make | tee log'",
    'ssh host "make; true"',
    'cmd /c "make & echo done"',
    'eval "make; true"',
    '! make',
    'make -ki',
    'find . -name a -exec make {} \\;',
    'script -c make log',
    'pylint a --exit-zero',
    'mvn test -fn',
  ])('says nothing about what %j runs', (shell) => {
    expect(judged(shell, NEUTRAL)).toEqual({ outcome: 'unknown', evidence: 'exit' })
    expect(judged(shell, BROKEN).outcome).toBe('failed')
  })

  test.each([
    'make',
    'cd a && make',
    'make -j4 -Oline',
    'make && npm test',
    'set -e; make; npm test',
    'set -euo pipefail\nmake | tee log',
    'time make',
    'bash -c "make && npm test"',
    'ssh host make',
    'make 2>&1',
    'make &> log',
    'make >/dev/null 2>&1',
    '& ./make.ps1',
    'curl "http://a?b=1&c=2"',
  ])('is that of %j', (shell) => {
    expect(judged(shell, NEUTRAL)).toEqual({ outcome: 'passed', evidence: 'exit' })
  })

  test('is that of echo where the line prints another', () => {
    expect(judged('pytest; echo "exit=$?"', '3 passed in 0.1s\nexit=2')).toMatchObject({
      outcome: 'failed',
      exitCode: 2,
    })
  })

  test('is no pass by words that the line itself prints', () => {
    expect(judged('./check; echo "All tests passed"', 'boom\nAll tests passed').outcome).toBe('unknown')
    expect(judged('./check && echo "All tests passed" || true', 'All tests passed').outcome).toBe('passed')
  })
})

test('a test that was skipped is no pass', () => {
  expect(judged('bats .', 'ok 1 adds # skip no numbers', null).outcome).toBe('unknown')
  expect(judged('bats .', 'ok 1 adds', null).outcome).toBe('passed')
})

test.each(['Hunk #1 FAILED at 3.', '1 out of 2 hunks FAILED', 'apply_patch verification failed: no such lines'])(
  'a patch that says %j has failed, whatever stands behind it',
  (output) => {
    expect(judged('patch -p1 < a.patch || true', output).outcome).toBe('failed')
  },
)

test('what an install says of itself passes no test that follows it', () => {
  expect(judged('npm ci; npm test | tee log', 'added 3 packages in 2s').outcome).toBe('unknown')
  expect(judged('npm ci && npm test', 'added 3 packages in 2s', null).outcome).toBe('unknown')
  expect(judged('cd core && npm ci', 'added 3 packages in 2s', null).outcome).toBe('passed')
  expect(judged('git add a; git commit -m a', '[main 1a2b3c4] a', null).outcome).toBe('passed')
})

describe('a printed exit code of 0', () => {
  test.each([
    'make; echo "exit=$?"',
    'make; rc=$?; echo "exit=$rc"',
    'set -o pipefail; make | tee log; echo "exit=$?"',
  ])('is that of make in %j', (shell) => {
    expect(judged(shell, 'hello\nexit=0', null)).toEqual({ outcome: 'passed', evidence: 'mark' })
  })

  test.each([
    'make | tee log; echo "exit=$?"',
    'make; echo "$HOME"',
    'make; echo done; echo "exit=$?"',
    'make > log 2>&1; tail log; echo "exit=$?"',
  ])('is not that of make in %j', (shell) => {
    expect(judged(shell, 'hello\nexit=0', null)).toEqual({ outcome: 'unknown', evidence: 'mark' })
  })
})

describe('the list of a linter that ends without a summary is no pass, whatever passes behind it:', () => {
  test.each([
    ['flake8 src; pytest', "src/a.py:1:1: F401 'os' imported but unused"],
    ['pylint src | cat; pytest', 'src/a.py:1:0: C0114: Missing module docstring (missing-module-docstring)'],
    ['shellcheck run.sh; pytest', 'In run.sh line 3:\n  ^-- SC2086 (info): Double quote'],
    ['dart analyze; pytest', '  warning • Unused import • a.dart:1:8 • unused_import'],
    ['go vet ./...; pytest', './a.go:3:5: unreachable code'],
  ])('%s', (command, findings) => {
    expect(judged(command, `${findings}\n3 passed in 0.1s`).outcome).toBe('unknown')
    expect(judged(command, `${findings}\n3 passed in 0.1s`, null).outcome).toBe('unknown')
    expect(judged(command, '3 passed in 0.1s').outcome).toBe('passed')
  })
})

test('a search that found nothing is no failure of what it searches', () => {
  expect(judged('make 2>&1 | grep warning', '', 1).outcome).toBe('unknown')
  expect(judged('make; grep -c warning a.c', '0', 1).outcome).toBe('unknown')
  expect(judged('make 2>&1 | grep "*x"', 'grep: bad pattern', 2).outcome).toBe('failed')
  expect(judged('make && grep -q ok out', '', 1).outcome).toBe('failed')
})

describe('a summary tells of failures at a code of 0 and without one, and of none it tells a pass:', () => {
  const SUMMARIES: readonly (readonly [command: string, failing: string, passing: string])[] = [
    ['rspec', '3 examples, 1 failure', '3 examples, 0 failures'],
    ['rspec', '0 examples, 0 failures, 1 error occurred outside of examples', '1 example, 0 failures'],
    ['phpunit', 'FAILURES!\nTests: 3, Assertions: 5, Failures: 1.', 'OK (3 tests, 5 assertions)'],
    ['phpunit', 'Tests: 3, Assertions: 5, Errors: 1.', 'Tests: 3, Assertions: 5, Skipped: 1.'],
    ['go test ./...', 'FAIL\tx/y\t0.1s', 'ok  \tx/y\t0.1s'],
    [
      'cargo test',
      'test result: FAILED. 1 passed; 1 failed; 0 ignored',
      'test result: ok. 2 passed; 0 failed; 0 ignored',
    ],
    ['mocha', '  1 passing (3ms)\n  2 failing', '  3 passing (3ms)'],
    ['jest', 'Tests:       1 failed, 2 passed, 3 total', 'Tests:       3 passed, 3 total'],
    ['vitest run', '      Tests  1 failed | 2 passed (3)', '      Tests  3 passed (3)'],
    ['ctest', '67% tests passed, 1 tests failed out of 3', '100% tests passed, 0 tests failed out of 3'],
    ['dotnet test', 'Failed!  - Failed:     1, Passed:     2', 'Passed!  - Failed:     0, Passed:     3'],
    [
      'dotnet test',
      'Test summary: total: 3, failed: 1, succeeded: 2',
      'Test summary: total: 3, failed: 0, succeeded: 3',
    ],
    ['mvn test', '[INFO] BUILD FAILURE', '[INFO] BUILD SUCCESS'],
    ['mvn test', 'Tests run: 3, Failures: 1, Errors: 0', 'Tests run: 3, Failures: 0, Errors: 0'],
    ['java A', 'FAILURES!!!\nTests run: 3,  Failures: 1', 'OK (3 tests)'],
    ['java -jar junit.jar', '[         1 tests failed          ]', '[         0 tests failed          ]'],
    ['gradle test', '3 tests completed, 1 failed', '3 tests completed, 0 failed'],
    ['gradle build', 'BUILD FAILED in 2s', 'BUILD SUCCESSFUL in 2s'],
    ['sbt test', '[info] Tests: succeeded 2, failed 1, canceled 0', '[info] Tests: succeeded 3, failed 0, canceled 0'],
    ['sbt test', '[info] *** 1 TEST FAILED ***', '[info] All tests passed.'],
    ['tsc -w', '[10:00:00 AM] Found 3 errors. Watching.', '[10:00:00 AM] Found 0 errors. Watching.'],
    ['eslint .', '✖ 3 problems (3 errors, 0 warnings)', '✖ 3 problems (0 errors, 3 warnings)'],
    ['mypy .', 'Found 2 errors in 1 file (checked 3 source files)', 'Success: no issues found in 3 source files'],
    ['ruff check .', 'Found 5 errors.', 'All checks passed!'],
    ['ruff check --fix .', 'Found 5 errors (3 fixed, 2 remaining).', 'Found 5 errors (5 fixed, 0 remaining).'],
    ['black --check .', '1 file would be reformatted', '3 files would be left unchanged.'],
    ['pyright', '3 errors, 0 warnings, 0 informations', '0 errors, 2 warnings, 0 informations'],
    ['rubocop', '3 files inspected, 2 offenses detected', '3 files inspected, no offenses detected'],
    ['bazel test //...', 'Executed 1 out of 1 test: 1 fails locally.', 'Executed 1 out of 1 test: 1 test passes.'],
    ['bazel build', 'FAILED: Build did NOT complete successfully', 'INFO: Build completed successfully'],
    ['mix test', '2 doctests, 3 tests, 1 failure, 1 skipped', '2 doctests, 3 tests, 0 failures, 1 skipped'],
    [
      'swift test',
      'Executed 3 tests, with 1 failure (0 unexpected)',
      'Executed 3 tests, with 0 failures (0 unexpected)',
    ],
    ['xcodebuild', '** TEST FAILED **', '** TEST SUCCEEDED **'],
    ['node --test', 'ℹ pass 2\nℹ fail 1', 'ℹ pass 3\nℹ fail 0'],
    ['deno test', 'FAILED | 2 passed | 1 failed (3ms)', 'ok | 3 passed | 0 failed (3ms)'],
    ['pytest', '1 failed, 2 passed in 0.10s', '2 passed, 1 xfailed in 0.10s'],
    ['rails test', '3 runs, 5 assertions, 1 failures, 0 errors', '3 runs, 5 assertions, 0 failures, 0 errors'],
    ['cucumber', '3 scenarios (1 failed, 2 passed)', '3 scenarios (3 passed)'],
    ['behave', '2 scenarios passed, 1 failed, 0 skipped', '3 scenarios passed, 0 failed, 0 skipped'],
    ['ava', '  1 test failed\n  2 tests passed', '  3 tests passed'],
    ['prove', 'Result: FAIL', 'Result: PASS'],
    ['karma start', 'Executed 3 of 3 (1 FAILED) (0.1 secs)', 'Executed 3 of 3 SUCCESS (0.1 secs)'],
    ['./a_test', '[  FAILED  ] 1 test, listed below:', '[  PASSED  ] 3 tests.'],
    ['./catch', 'test cases: 3 | 2 passed | 1 failed', 'test cases: 3 | 3 passed'],
    ['flutter test', '00:01 +2 -1: Some tests failed.', '00:01 +3: All tests passed!'],
    ['busted', '2 successes / 1 failure / 0 errors', '3 successes / 0 failures / 0 errors'],
    ['Invoke-Pester', 'Tests Passed: 2, Failed: 1, Skipped: 0', 'Tests Passed: 3, Failed: 0, Skipped: 0'],
    ['ansible-playbook a.yml', 'h : ok=2 unreachable=0 failed=1', 'h : ok=3 unreachable=0 failed=0'],
    ['webpack', 'webpack 5.1 compiled with 2 errors in 1 ms', 'webpack 5.1 compiled with 2 warnings in 1 ms'],
    ['gmake', 'gmake: *** [all] Error 2', "gmake: Nothing to be done for 'all'."],
    [
      'jest',
      'Tests: 3 passed\nJest: "global" coverage threshold for lines (80%) not met: 40%',
      'Tests: 3 passed, 3 total',
    ],
    ['./run', '1 of 4 tests failed', '0 of 4 tests failed'],
    ['./run', 'Passed: 3\nFailed: 1', 'Passed: 4\nFailed: 0'],
    ['./run', '3 passed, 1 failed', '4 passed, 0 failed'],
  ]

  test.each(SUMMARIES)('%s: %j, %j', (command, failing, passing) => {
    expect(judged(command, failing).outcome).toBe('unknown')
    expect(judged(command, failing, null).outcome).toBe('failed')
    expect(judged(command, passing).outcome).toBe('passed')
    expect(judged(command, passing, null).outcome).not.toBe('failed')
  })

  test.each(['Retrying after 1 failure', '10 errors were fixed', '1 error log written', 'test_two_failed ... ok'])(
    'and %j is none',
    (line) => {
      expect(judged('./run', line, null).outcome).toBe('unknown')
      expect(judged('./run', line).outcome).toBe('passed')
    },
  )
})
