/** Runs of tests that passed because they ran nothing, or left out the test that had failed, mend nothing. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }

const fixes = (command: string, failing: string, later: string, code = '[exit 0]\n') => {
  const text = `$ ${command}\n${failing}\n[exit 1]\n$ vi a\n$ ${command}\n${later}\n${code}$ exit\n`
  return extractOffline({ text, format: 'log' }, LIMITS).experiences.length
}
/** Without an exit code, and of a job at two commits. */
const unmarked = (command: string, failing: string, later: string) => {
  const text = `$ ${command}\n${failing}\n$ vi a\n$ ${command}\n${later}\n$ exit\n`
  return extractOffline({ text, format: 'log' }, LIMITS).experiences.length
}
const attempt = (commit: string, command: string, output: string, ending: readonly string[]) =>
  [
    '##[group]Run actions/checkout@v4',
    '##[endgroup]',
    '[command]/usr/bin/git checkout --progress --force refs/remotes/origin/main',
    `HEAD is now at ${commit} x`,
    `##[group]Run ${command}`,
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    ...output.split('\n'),
    ...ending,
    'Post job cleanup.',
    'Cleaning up orphan processes',
  ]
    .map((line) => `2026-01-01T10:00:00.0000000Z ${line}\n`)
    .join('')
const inActions = (command: string, failing: string, later: string) =>
  extractOffline(
    {
      text:
        attempt('1'.repeat(40), command, failing, ['##[error]Process completed with exit code 1.']) +
        attempt('2'.repeat(40), command, later, []),
      format: 'log',
    },
    LIMITS,
  ).experiences.length

const PYTEST = 'E   assert 1 == 2\nFAILED tests/test_a.py::test_sum - assert 1 == 2\n1 failed, 4 passed in 0.1s'

describe('a run that tested nothing', () => {
  const empty: readonly (readonly [command: string, failing: string, later: string])[] = [
    ['deno test', 'FAILED | 1 passed | 1 failed (5ms)', 'ok | 0 passed | 0 failed (1ms)'],
    ['deno test', 'FAILED | 1 passed | 1 failed (5ms)', 'ok | 0 passed | 0 failed | 2 ignored (1ms)'],
    [
      'cargo nextest run',
      'Summary [0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped',
      'Summary [0.0s] 0 tests run: 0 passed, 3 skipped',
    ],
    ['ctest', '50% tests passed, 1 tests failed out of 2', 'No tests were found!!!'],
    ['mix test', '3 tests, 1 failure', 'There are no tests to run'],
    ['mix test', '3 tests, 1 failure', '3 tests, 0 failures, 3 excluded'],
    [
      'swift test',
      'Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds',
      'Executed 0 tests, with 0 failures (0 unexpected) in 0.0 seconds',
    ],
    [
      'bazel test //...',
      'Executed 1 out of 1 test: 1 fails locally.',
      'INFO: No test targets were found, yet testing was requested',
    ],
    [
      'bazel test //...',
      'Executed 1 out of 1 test: 1 fails locally.',
      '//a:t SKIPPED\nExecuted 0 out of 1 test: 1 was skipped.\nINFO: Build completed successfully, 1 total action',
    ],
    [
      'mvn test',
      '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0',
      '[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS',
    ],
    [
      'mvn test',
      '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0',
      '[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3, Time elapsed: 0.01 s -- in shop.CartTest\n[INFO] BUILD SUCCESS',
    ],
    ['rspec', '5 examples, 1 failure', '5 examples, 0 failures, 5 pending'],
    ['rspec', '5 examples, 1 failure', 'No examples found.\n\n0 examples, 0 failures'],
    [
      'python -m unittest',
      'Ran 5 tests in 0.1s\n\nFAILED (failures=1)',
      'sssss\nRan 5 tests in 0.1s\n\nOK (skipped=5)',
    ],
    ['python -m unittest', 'Ran 5 tests in 0.1s\n\nFAILED (failures=1)', 'Ran 0 tests in 0.0s\n\nOK'],
    ['bun test', '(fail) adds\n 1 pass\n 1 fail', ' 0 pass\n 2 skip\n 0 fail\nRan 2 tests across 1 file.'],
    ['npx vitest run', ' Tests  1 failed | 2 passed (3)', ' Test Files  1 skipped (1)\n      Tests  3 skipped (3)'],
    ['npx playwright test', '  1 failed\n  2 passed (3s)', '  3 skipped'],
    [
      'dotnet test',
      'Failed!  - Failed: 1, Passed: 2, Skipped: 0, Total: 3',
      'Skipped! - Failed: 0, Passed: 0, Skipped: 3, Total: 3',
    ],
    ['./gradlew test', '> Task :test FAILED\nBUILD FAILED in 3s', '> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 1s'],
    ['./gradlew test', '> Task :test FAILED\nBUILD FAILED in 3s', '> Task :test SKIPPED\nBUILD SUCCESSFUL in 1s'],
    ['node --test', '# tests 3\n# pass 2\n# fail 1', '# tests 3\n# pass 0\n# fail 0\n# skipped 3'],
    ['npx mocha', '  1 passing (5ms)\n  1 failing', '  0 passing (1ms)\n  2 pending'],
  ]
  test.each(empty)('of %s passes nothing: %j, then %j', (command, failing, later) => {
    expect([fixes, unmarked, inActions].map((count) => count(command, failing, later))).toEqual([0, 0, 0])
  })
})

describe('a run that leaves out the test that failed', () => {
  test.each([
    ['pytest', PYTEST, '4 passed, 1 skipped in 0.1s'],
    ['pytest', PYTEST, '4 passed, 1 xfailed in 0.1s'],
    [
      'pytest -v',
      `tests/test_a.py::test_sum FAILED\n${PYTEST}`,
      'tests/test_a.py::test_sum XFAIL\n6 passed, 1 xfailed in 0.1s',
    ],
    [
      'go test -v ./...',
      '--- FAIL: TestSum (0.00s)\nFAIL\tshop/a\t0.01s',
      '--- SKIP: TestSum (0.00s)\nPASS\nok  \tshop/a\t0.01s',
    ],
    [
      'cargo test',
      'test a::sum ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored',
      'test a::sum ... ignored\ntest result: ok. 5 passed; 0 failed; 1 ignored',
    ],
    [
      'npx jest',
      ' Test Suites: 1 failed, 1 total\nTests: 1 failed, 2 passed, 3 total',
      'Test Suites: 1 passed, 1 total\nTests: 1 skipped, 2 passed, 3 total',
    ],
    ['python -m unittest', 'Ran 5 tests in 0.1s\n\nFAILED (failures=1)', 'Ran 5 tests in 0.1s\n\nOK (skipped=1)'],
    [
      'rake test',
      '3 runs, 3 assertions, 1 failures, 0 errors, 0 skips',
      '3 runs, 2 assertions, 0 failures, 0 errors, 1 skips',
    ],
    [
      'sbt test',
      '[info] Tests: succeeded 2, failed 1, canceled 0, ignored 0, pending 0',
      '[info] Tests: succeeded 2, failed 0, canceled 0, ignored 1, pending 0\n[success] Total time: 1 s',
    ],
    ['flutter test', '00:01 +2 -1: Some tests failed.', '00:01 +2 ~1: All tests passed!'],
    [
      './cart_test',
      '[  FAILED  ] Cart.adds (0 ms)\n 1 FAILED TEST',
      '[  SKIPPED ] Cart.adds (0 ms)\n[  PASSED  ] 4 tests.',
    ],
    [
      'ctest',
      '50% tests passed, 1 tests failed out of 2\nThe following tests FAILED:\n\t  2 - cart (Failed)',
      '100% tests passed, 0 tests failed out of 1\nThe following tests did not run:\n\t  2 - cart (Disabled)',
    ],
    ['prove t', 'not ok 2 - adds\nResult: FAIL', 'ok 1\nok 2 # skip later\nok 3\nResult: PASS'],
  ])('passes nothing: %s, %j, then %j', (command, failing, later) => {
    expect([fixes, unmarked, inActions].map((count) => count(command, failing, later))).toEqual([0, 0, 0])
  })
})

describe('a run that really passed', () => {
  test.each([
    ['pytest', PYTEST, '5 passed in 0.1s'],
    ['pytest', PYTEST.replace('4 passed', '4 passed, 2 skipped'), '5 passed, 2 skipped in 0.1s'],
    ['pytest', 'ERROR tests/test_a.py - ImportError: x\n1 error in 0.1s', '4 passed, 1 skipped in 0.1s'],
    [
      'python -m unittest',
      'Ran 5 tests in 0.1s\n\nFAILED (failures=1, skipped=1)',
      'Ran 5 tests in 0.1s\n\nOK (skipped=1)',
    ],
    [
      'cargo test',
      'test a::sum ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 1 ignored',
      'test a::sum_all ... ignored\ntest a::sum ... ok\ntest result: ok. 4 passed; 0 failed; 1 ignored',
    ],
    ['node --test', '# tests 3\n# pass 2\n# fail 1', '# tests 3\n# pass 3\n# fail 0\n# skipped 0'],
    [
      'sbt test',
      '[info] Tests: succeeded 2, failed 1, canceled 0, ignored 1, pending 0',
      '[info] Tests: succeeded 3, failed 0, canceled 0, ignored 1, pending 0\n[success] Total time: 1 s',
    ],
    ['flutter test', '00:01 +2 ~1 -1: Some tests failed.', '00:01 +3 ~1: All tests passed!'],
    ['prove t', 'not ok 2 - adds\nResult: FAIL', 'ok 1 # skip later\nok 2 - adds\nResult: PASS'],
    ['bun test', '(fail) adds\n 1 pass\n 1 fail', ' 2 pass\n 1 skip\n 0 fail\nRan 3 tests across 1 file.'],
    [
      'mvn verify',
      '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0',
      '[INFO] No tests to run.\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS',
    ],
    ['mvn package', '[ERROR] COMPILATION ERROR :', '[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS'],
    [
      './gradlew build',
      "e: a.kt:3:5 Unresolved reference 'x'\nBUILD FAILED in 3s",
      '> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 1s',
    ],
    [
      './gradlew test',
      '> Task :a:test FAILED\nBUILD FAILED in 3s',
      '> Task :a:test\n> Task :b:test NO-SOURCE\nBUILD SUCCESSFUL in 1s',
    ],
  ])('beside what it left out is a fix: %s, %j, then %j', (command, failing, later) => {
    expect(fixes(command, failing, later)).toBe(1)
  })
})
