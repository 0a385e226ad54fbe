/** Whose exit code a code is, and what an output says of itself. */
import { describe, expect, test } from 'bun:test'
import { judgeOutcome } from '../../src/importer/producers/outcome.ts'

const NEUTRAL = 'hello'
const BROKEN = 'a.c:1: error: x\nmake: *** [all] Error 2'
const judged = (shell: string, output: string, exitCode: number | null = 0) =>
  judgeOutcome({ shell, exitCode, errorFlag: null, output })

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
    'make -i',
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
    'make; echo done; echo "exit=$?"',
    'make > log 2>&1; tail log; echo "exit=$?"',
  ])('is not that of make in %j', (shell) => {
    expect(judged(shell, 'hello\nexit=0', null)).toEqual({ outcome: 'unknown', evidence: 'mark' })
  })
})

test('a search that found nothing is no failure of what it searches', () => {
  expect(judged('make 2>&1 | grep warning', '', 1).outcome).toBe('unknown')
  expect(judged('make; grep -c TODO a.c', '0', 1).outcome).toBe('unknown')
  expect(judged('make 2>&1 | grep "*x"', 'grep: bad pattern', 2).outcome).toBe('failed')
  expect(judged('make && grep -q ok out', '', 1).outcome).toBe('failed')
})
