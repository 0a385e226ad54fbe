import { describe, expect, test } from 'bun:test'
import { errorSignature, normalisedLine } from '../../src/importer/offline/error-signature.ts'

describe('an error signature', () => {
  test.each([
    ['src/a.ts(3,4): error TS2345: Argument is bad', 'error TS2345: Argument is bad'],
    ['src/a.c:10:5: error: unknown type name ‘x’', 'error: unknown type name ‘x’'],
    ["E   KeyError: 'user_2'", "KeyError: 'user_2'"],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['server answered with status 404 after 1532ms', 'server answered with status 404 after Nms'],
    ['expected 3 items, got 4', 'expected N items, got N'],
    ['OSError: cannot open /var/lib/app/data-file.db', 'OSError: cannot open …/data-file.db'],
    ['lock 0x7ffde3 of 3f2504e0-4f89-11d3-9a0c-0305e82c3301 at 2026-03-04T10:00:01Z', 'lock 0x… of … at …'],
    ['needs python >=3.9 and react@18.2.0', 'needs python >=3.9 and react@18.2.0'],
    ['ENOENT: no such file, open /tmp/tmpab12cd/x', 'ENOENT: no such file, open …/x'],
    ['commit 41c6f7e0 is bad', 'commit … is bad'],
    ['--- FAIL: TestParse (0.01s)', '--- FAIL: TestParse'],
    ['получено 3 строки вместо 12', 'получено N строки вместо N'],
  ])('of %j is %j', (line, normal) => {
    expect(normalisedLine(line)).toBe(normal)
  })

  test('takes the exception that ended the program, not the ones it was raised from', () => {
    const output = [
      'Traceback (most recent call last):',
      'KeyError: 1',
      'The above exception was the direct cause of the following exception:',
      'Traceback (most recent call last):',
      'app.errors.OrderMissing: order 17 is gone',
    ].join('\n')
    expect(errorSignature(output).headlines[0]).toBe('app.errors.OrderMissing: order N is gone')
  })

  test('prefers what went wrong to the line that only says that it did', () => {
    const output = "main.c:3:1: error: expected ';'\nmake: *** [Makefile:2: main.o] Error 1"
    expect(errorSignature(output)).toEqual({
      headlines: ["error: expected ';'"],
      lines: ["main.c:3:1: error: expected ';'"],
    })
  })

  test('is the last line where nothing looks like an error, and says so where nothing was printed', () => {
    expect(errorSignature('一行目\n接続が切れました\n').headlines).toEqual(['接続が切れました'])
    expect(errorSignature('\n').headlines).toEqual(['no output'])
  })

  test('keeps at most five lines, and says how much of a long one is missing', () => {
    const { lines } = errorSignature(
      Array.from({ length: 9 }, (_, index) => `error: kind ${'x'.repeat(index * 90)}`).join('\n'),
    )
    expect(lines).toHaveLength(5)
    expect(lines.at(-1)).toEndWith('(72 more characters)')
  })
})
