import { describe, expect, test } from 'bun:test'
import { comparable, errorSignature, shownLine } from '../../src/importer/offline/error-signature.ts'

describe('an error signature', () => {
  test.each([
    ['src/a.ts(3,4): error TS2345: Argument is bad', 'error TS2345: Argument is bad'],
    ['src/a.c:10:5: error: unknown type name ‘x’', 'error: unknown type name ‘x’'],
    ["E   KeyError: 'user_2'", "KeyError: 'user_2'"],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['server answered with status 404 after 1532ms', 'server answered with status 404 after …ms'],
    ['expected 3 items, got 4', 'expected 3 items, got 4'],
    ['E   assert 4 == 3', 'assert 4 == 3'],
    ['OSError: cannot open /var/lib/app/data-file.db', 'OSError: cannot open …/data-file.db'],
    ['lock 0x7ffde3 of 3f2504e0-4f89-11d3-9a0c-0305e82c3301 at 2026-03-04T10:00:01Z', 'lock 0x… of … at …'],
    ['needs python >=3.9 and react@18.2.0', 'needs python >=3.9 and react@18.2.0'],
    ['ENOENT: no such file, open /tmp/tmpab12cd/x', 'ENOENT: no such file, open …/x'],
    ['commit 41c6f7e0 is bad', 'commit … is bad'],
    ['--- FAIL: TestParse (0.01s)', '--- FAIL: TestParse'],
    ['app/main.py:3:8: F401 [*] `os` imported but unused', 'F401 `os` imported but unused'],
    ['process 4121 still holds it', 'process … still holds it'],
    ["AssertionError: assert '0 s' == '250 ms'", "AssertionError: assert '0 s' == '250 ms'"],
    ['Expected 250 ms before 10:00:01', 'Expected 250 ms before 10:00:01'],
    ["the step 'wait 250 ms' took 312 ms", "the step 'wait 250 ms' took … ms"],
    ['no entry for module x; to add it:', 'no entry for module x'],
    ['ERROR: no checksum of ref k2v9c5f1x0q8::w4h3m1w7r4t2: "/a": not found', 'ERROR: no checksum: "/a": not found'],
    ['error: could not apply 41c6f7e... Move the cart', 'error: could not apply … Move the cart'],
    ['получено 3 строки вместо 12', 'получено 3 строки вместо 12'],
  ])('shows of %j: %j', (line, shown) => {
    expect(shownLine(line)).toBe(shown)
  })

  test('calls no harmless line an error where only an exit code tells the failure', () => {
    expect(errorSignature('cc a.c\nbuilding\n[exit 2]', 2)).toEqual({
      headlines: ['no error message, exit code 2'],
      lines: ['cc a.c', 'building'],
      key: 'no error message, exit code 2',
    })
    expect(errorSignature('', 1).headlines).toEqual(['no output, exit code 1'])
    expect(errorSignature('cc a.c\nerror: bad\nbuilding', 2).headlines).toEqual(['error: bad'])
  })

  test('counts what it cuts off by the whole line', () => {
    const { headlines, lines } = errorSignature(`error: ${'x'.repeat(60_000)}`)
    const [line = ''] = lines
    expect(headlines).toEqual([line])
    expect(line).toEndWith('x… (59707 more characters)')
  })

  test.each([
    ['expected 3 items, got 4', 'expected N items, got N'],
    ['server answered with status 404 after …ms', 'server answered with status 404 after …ms'],
    ["KeyError: 'user 2' in 17 rows", "KeyError: 'user 2' in N rows"],
    ['needs python 3.12 and 64 MB', 'needs python 3.12 and N MB'],
    ['получено 3 строки вместо 12', 'получено N строки вместо N'],
  ])('compares %j as %j', (line, compared) => {
    expect(comparable(line)).toBe(compared)
  })

  test('is the same error with other numbers, and another one with another code', () => {
    const key = (output: string): string => errorSignature(output).key
    expect(key('error: 3 rows too many')).toBe(key('error: 12 rows too many'))
    expect(key('app/a.py:1:1: F401 `os` imported but unused')).not.toBe(
      key('app/a.py:1:1: E722 Do not use bare `except`'),
    )
  })

  test('takes the exception that ended the program, not the ones it was raised from', () => {
    const output = [
      'Traceback (most recent call last):',
      'KeyError: 1',
      'The above exception was the direct cause of the following exception:',
      'Traceback (most recent call last):',
      'app.errors.OrderMissing: order 17 is gone',
    ].join('\n')
    expect(errorSignature(output).headlines[0]).toBe('app.errors.OrderMissing: order 17 is gone')
  })

  test('prefers what went wrong to the line that only says that it did', () => {
    const output = "main.c:3:1: error: expected ';'\nmake: *** [Makefile:2: main.o] Error 1"
    expect(errorSignature(output)).toMatchObject({
      headlines: ["error: expected ';'"],
      lines: ["main.c:3:1: error: expected ';'"],
    })
  })

  const jest = (error: string): string =>
    ` FAIL  test/a.test.js\n  ● adds numbers\n\n    ${error}\n\n      at Object.<anonymous> (test/a.test.js:4:10)\n\nTests:       1 failed, 1 passed, 2 total`
  test.each([
    ['jest, an exception', jest('TypeError: add is not a function'), ['TypeError: add is not a function']],
    ['jest, an errno', jest('connect ECONNREFUSED 127.0.0.1:5432'), ['connect ECONNREFUSED 127.0.0.1:5432']],
    ['jest, words of no known form', jest('the fixture is missing'), ['the fixture is missing']],
    [
      'jest, a bare assertion',
      jest('expect(received).toBe(expected) // Object.is equality\n\n    Expected: 12\n    Received: 10'),
      ['expect(received).toBe(expected), Expected: 12, Received: 10', 'in adds numbers'],
    ],
    [
      'make over ruff',
      'app/main.py:3:8: F401 [*] `os` imported but unused\napp/db.py:17:5: E722 Do not use bare `except`\nFound 2 errors.\nmake: *** [Makefile:12: lint] Error 1',
      ['F401 `os` imported but unused', 'E722 Do not use bare `except`'],
    ],
    [
      'make over ruff, its full form',
      'F401 [*] `os` imported but unused\n --> app/main.py:3:8\nFound 1 error.\nmake: *** [Makefile:12: lint] Error 1',
      ['F401 `os` imported but unused'],
    ],
    [
      'eslint',
      "/x/a.js\n  3:7  error  'a' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)",
      ["error 'a' is never used no-unused-vars"],
    ],
    [
      'unittest',
      'ERROR: test_total (tests.CartTest.test_total)\nTraceback (most recent call last):\nIndexError: list index out of range\nRan 3 tests in 0.001s\nFAILED (errors=1)',
      ['IndexError: list index out of range'],
    ],
    [
      'terraform',
      '╷\n│ Error: Error acquiring the state lock\n│ \n│ Lock Info:\n│   Who:       bob@laptop\n╵',
      ['Error: Error acquiring the state lock'],
    ],
    [
      'cargo test',
      "test tests::total ... FAILED\nthread 'tests::total' panicked at src/lib.rs:21:9:\nassertion `left == right` failed\ntest result: FAILED. 1 passed; 1 failed;\nerror: test failed, to rerun pass `--lib`",
      ["thread 'tests::total' panicked at src/lib.rs: assertion `left == right` failed"],
    ],
    [
      'maven',
      '[ERROR] COMPILATION ERROR :\n[ERROR] /x/App.java:[12,9] cannot find symbol\n[ERROR] BUILD FAILURE',
      ['cannot find symbol'],
    ],
    [
      'git push',
      " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:acme/shop.git'",
      ['! [rejected] main -> main (fetch first)', "error: failed to push some refs to 'github.com:acme/shop.git'"],
    ],
    [
      'go test',
      '--- FAIL: TestParse (0.00s)\n    parse_test.go:12: got "a", want "b"\nFAIL',
      ['got "a", want "b"', 'in TestParse'],
    ],
    [
      'psql',
      'psql:schema.sql:3: ERROR:  relation "orders" already exists',
      ['psql:schema.sql: ERROR: relation "orders" already exists'],
    ],
    [
      'npm that may not write',
      "npm error code EACCES\nnpm error syscall mkdir\nnpm error errno -13\nnpm error Error: EACCES: permission denied, mkdir '/opt/x'\nnpm error  [Error: EACCES: permission denied, mkdir '/opt/x'] {",
      ["npm error Error: EACCES: permission denied, mkdir '…/x'"],
    ],
    [
      'npm that ran a program',
      "Error: Cannot find module 'sharp'\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
      ["Error: Cannot find module 'sharp'"],
    ],
    [
      'a linker',
      '/usr/bin/ld: cannot find -lfoo: No such file or directory\ncollect2: error: ld returned 1 exit status',
      ['…/ld: cannot find -lfoo: No such file or directory'],
    ],
    [
      'a linker of symbols',
      "/usr/bin/ld: main.o: in function `main':\nmain.c:(.text+0x5): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status",
      ["main.c:(.text+0x…): undefined reference to `foo'"],
    ],
    [
      'BuildKit',
      '#9 1.2 E: Unable to locate package foo\n#9 ERROR: process "/bin/sh -c apt-get install foo" did not complete successfully: exit code: 100',
      ['E: Unable to locate package foo'],
    ],
    [
      'Python over a program',
      "building\nsubprocess.CalledProcessError: Command '['make']' returned non-zero exit status 2.",
      ["subprocess.CalledProcessError: Command '['make']' returned non-zero exit status 2."],
    ],
    ['a refused request', 'sending\nUpload failed with status 403\nbye', ['Upload failed with status 403']],
    ['make alone', 'cc -c a.c\nmake: *** [Makefile:2: all] Error 1', ['make: *** [Makefile:2: all] Error 1']],
  ])('of %s is what went wrong, not the sum of it', (_, output, headlines) => {
    const found = errorSignature(output)
    expect(found.headlines).toEqual(headlines)
  })

  test('of a summary that stands alone keeps the lines before it', () => {
    expect(
      errorSignature('old\nbuilding a\nthe widget is upside down\nmake: *** [Makefile:2: a] Error 1').lines,
    ).toEqual(['building a', 'the widget is upside down', 'make: *** [Makefile:2: a] Error 1'])
  })

  test('is the last line where nothing looks like an error, and says so where nothing was printed', () => {
    expect(errorSignature('一行目\n接続が切れました\n').headlines).toEqual(['接続が切れました'])
    expect(errorSignature('\n').headlines).toEqual(['no output'])
  })

  const go = 'go: module requires go >= 1.23 (running go 1.21.0; GOTOOLCHAIN=local)'
  test.each([
    [`${go}\n[exit code: 1]`],
    [`${go}\nexit code 1`],
    [`${go}\nExit code: 1`],
    [`Exit code 1\n${go}`],
    [`${go}\nProcess exited with code 1`],
    [`${go}\n##[error]Process completed with exit code 1.`],
    [`${go}\nerror: script "build" exited with code 1`],
    [`${go}\nerror Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/ for documentation.`],
    [`${go}\nThe command '/bin/sh -c go build' returned a non-zero code: 1`],
  ])('never takes the word on the exit code for the error: %j', (output) => {
    expect(errorSignature(output)).toMatchObject({ headlines: [go], lines: [go] })
  })

  test('tells the exit code where nothing else was printed', () => {
    expect(errorSignature('[exit code: 3]\n')).toMatchObject({ headlines: ['no output, exit code 3'], lines: [] })
  })

  describe('shows below an error', () => {
    const linesOf = (...output: readonly string[]) => errorSignature(output.join('\n')).lines

    test('what it announces', () => {
      const error = 'error: Changes of these files would be lost:'
      expect(linesOf(error, '\ta.txt', 'Aborting')).toEqual([error, 'a.txt'])
      expect(linesOf(error, 'Please save them.')).toEqual([error])
      expect(linesOf(error, '    at run (a.js:1:2)')).toEqual([error])
    })

    test('two lines of what a build script says, and names it by itself', () => {
      const error = 'error: failed to run custom build command for `tls v1`'
      const output = [error, '', 'Caused by:', '  --- stderr', '  No such tool', '  well', '  cannot link', '  invalid']
      expect(linesOf(...output)).toEqual([error, 'No such tool', 'cannot link'])
      expect(errorSignature(output.join('\n')).headlines).toEqual([error])
    })
  })

  test('counts the other places of the same error', () => {
    const of = (place: string) => `${place}: error TS1: x is bad`
    const other = 'a.ts(9,9): error TS2: y is bad'
    const { lines } = errorSignature(
      [of('a.ts(1,2)'), of('a.ts(3,4)'), other, of('b.ts(1,2)'), of('a.ts(1,2)')].join('\n'),
    )
    expect(lines).toEqual([`${of('a.ts(1,2)')} (and 2 more of the kind)`, other])
  })

  test('keeps at most five lines, and says how much of a long one is missing', () => {
    const { lines } = errorSignature(
      Array.from({ length: 9 }, (_, index) => `error: kind ${'x'.repeat(index * 90)}`).join('\n'),
    )
    expect(lines).toHaveLength(5)
    expect(lines.at(-1)).toEndWith('(72 more characters)')
  })
})
