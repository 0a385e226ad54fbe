import { describe, expect, test } from 'bun:test'
import { closingLine, countsOf } from '../../scripts/test-summary.ts'

const report = (...lines: string[]) =>
  `(pass) one [0.05ms]\n\n${lines.join('\n')}\nRan 9 tests across 4 files. [7.00ms]\n`

describe('the closing line of npm test', () => {
  test('counts a todo as skipped', () => {
    const counts = countsOf(report(' 3 pass', ' 1 skip', ' 1 todo', ' 0 fail', ' 1 expect() calls'), 0)
    expect(closingLine(counts)).toBe('3 passed, 0 failed, 2 skipped')
  })

  test('leaves skipped out when nothing was', () => {
    expect(closingLine(countsOf(report(' 12 pass', ' 0 fail'), 0))).toBe('12 passed, 0 failed')
  })

  test('names failures', () => {
    expect(countsOf(report(' 3 pass', ' 4 fail', ' 1 error'), 1)).toEqual({ passed: 3, failed: 4, skipped: 0 })
  })

  test('reads through colours', () => {
    expect(countsOf(report('\u001b[32m 3 pass\u001b[0m', ' 0 fail'), 0)).toMatchObject({ passed: 3, failed: 0 })
  })

  test('is not misled by what a test prints', () => {
    expect(countsOf(` 99 pass\n${report(' 3 pass', ' 0 fail')}`, 0)).toMatchObject({ passed: 3 })
  })

  test.each([['Segmentation fault\n'], ['No tests found!\n'], ['']])(
    'counts a run without summary as a failure: %p',
    (text) => {
      expect(countsOf(text, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    },
  )

  test('counts a bad end without a failed test as a failure', () => {
    expect(countsOf(report(' 3 pass', ' 0 fail'), null)).toMatchObject({ failed: 1 })
  })
})
