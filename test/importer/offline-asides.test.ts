/** What is taken for the error among all that a failing program prints beside it. */
import { describe, expect, test } from 'bun:test'
import { errorSignature, signatureOf } from '../../src/importer/offline/error-signature.ts'
import { findFixes } from '../../src/importer/offline/fixes.ts'
import { judgeOutcome } from '../../src/importer/producers/outcome.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const lines = (...texts: readonly string[]): string => texts.join('\n')
const LOCALE = 'bash: warning: setlocale: LC_ALL: cannot change locale (xx_XX.UTF-8)'

describe('advice and warnings are not the error', () => {
  test.each([
    [
      'Maven, of what it could not resolve',
      lines(
        '[INFO] Shop Core 1.0 .......... FAILURE [  0.657 s]',
        '[INFO] BUILD FAILURE',
        '[ERROR] Failed to execute goal on project core: Could not resolve dependencies for project a:core:jar:1: b:c:jar:2 is gone -> [Help 1]',
        '[ERROR] ',
        '[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.',
        '[ERROR] Re-run Maven using the -X switch to enable full debug logging.',
        '[ERROR] [Help 1] http://maven.example/Help',
        '[ERROR] After correcting the problems, you can resume the build with the command',
        '[ERROR]   mvn <args> -rf :core',
      ),
      ['Could not resolve dependencies for project a:core:jar:1: b:c:jar:2 is gone'],
    ],
    [
      'Maven, of a plugin',
      '[ERROR] Failed to execute goal org.x:shade-plugin:3.1:shade (default) on project core: no main class -> [Help 1]',
      ['no main class'],
    ],
    [
      'Maven, of the compiler',
      lines(
        '[ERROR] /x/App.java:[12,9] cannot find symbol',
        '[ERROR] Failed to execute goal org.x:compiler-plugin:3.1:compile (default) on project core: Compilation failure -> [Help 1]',
        '[ERROR] Re-run Maven using the -X switch to enable full debug logging.',
      ),
      ['cannot find symbol'],
    ],
    [
      'Gradle, of what it could not find',
      lines(
        'FAILURE: Build failed with an exception.',
        '',
        '* What went wrong:',
        "Execution failed for task ':app:compileJava'.",
        "> Could not resolve all files for configuration ':app:compileClasspath'.",
        '   > Could not find com.acme:widget:2.0.',
        '* Try:',
        '> Run with --stacktrace option to get the stack trace.',
        '> Get more help at https://help.gradle.example.',
        'BUILD FAILED in 2s',
      ),
      ['Could not find com.acme:widget:2.0.'],
    ],
    [
      'Gradle, of the compiler',
      lines(
        '/x/App.java:3: error: cannot find symbol',
        '1 error',
        '* What went wrong:',
        "Execution failed for task ':compileJava'.",
        '> Compilation failed; see the compiler error output for details.',
      ),
      ['error: cannot find symbol'],
    ],
    [
      'npm',
      lines(
        'npm warn deprecated left@1.0.0: unknown trouble ahead',
        'npm error code E404',
        'npm error 404 Not Found - GET https://registry.example/widget',
        'npm error A complete log of this run can be found in: /root/.npm/_logs/a-debug-0.log',
      ),
      ['npm error 404 Not Found - GET https://registry.example/widget', 'npm error code E404'],
    ],
    [
      'pip',
      lines(
        '  × python setup.py egg_info did not run successfully.',
        '  ╰─> [6 lines of output]',
        "      ModuleNotFoundError: No module named 'widget'",
        '      [end of output]',
        '  note: This error originates from a subprocess, and is likely not a problem with pip.',
        'error: metadata-generation-failed',
        'hint: See above for details.',
        '[notice] A new release of pip failed to be found',
      ),
      ["ModuleNotFoundError: No module named 'widget'"],
    ],
    [
      'cargo',
      lines(
        'warning: unused variable: `missing`',
        'error[E0425]: cannot find value `x` in this scope',
        'For more information about this error, try `rustc --explain E0425`.',
        'warning: build failed, waiting for other jobs to finish...',
        'error: could not compile `shop` due to 1 previous error',
      ),
      ['error[E0425]: cannot find value `x` in this scope'],
    ],
    [
      'CMake',
      lines(
        'CMake Warning (dev) at CMakeLists.txt:1: policy unknown',
        'CMake Error at CMakeLists.txt:3 (find_package):',
        '  Could not find a package file for "Widget".',
        '',
        '-- Configuring incomplete, errors occurred!',
        'See also "/x/CMakeFiles/CMakeOutput.log" for errors.',
      ),
      ['CMake Error at CMakeLists.txt (find_package): Could not find a package file for "Widget".'],
    ],
    [
      'make',
      lines(
        "a.c:1:2: error: unknown type name 'widget'",
        'a.c:1:2: note: each undeclared identifier is unexpected',
        'make: *** [Makefile:2: a.o] Error 1',
        'make: *** Waiting for unfinished jobs....',
      ),
      ["error: unknown type name 'widget'"],
    ],
    [
      'Go',
      lines('# acme/shop', './cart.go:3:5: undefined: total', 'FAIL\tacme/shop [build failed]', 'FAIL'),
      ['undefined: total'],
    ],
    [
      'dotnet',
      lines(
        'A.cs(3,5): warning CS0168: unknown use of x',
        "A.cs(4,5): error CS0103: The name 'total' does not exist",
        'The build failed. Fix the build errors and run again.',
      ),
      ["error CS0103: The name 'total' does not exist"],
    ],
    [
      'sbt',
      lines(
        '[error] /x/Main.scala:15:15: not found: value total',
        '[error]         throw error(total)',
        '[error] one error found',
        '[error] (compile) Compilation failed',
      ),
      ['not found: value total'],
    ],
    ['a shell without its language', lines(LOCALE, 'frob: widget has no handle'), ['frob: widget has no handle']],
    ['an error that speaks of a note', 'ValueError: note: too high', ['ValueError: note: too high']],
    ['an exception that speaks of a warning', 'a.b.BadError: warning: too low', ['a.b.BadError: warning: too low']],
    ['a shell alone', LOCALE, ['no error message']],
    ['a shell alone, and its exit code', lines(LOCALE, '[exit 2]'), ['no error message, exit code 2']],
  ])('%s', (_, output, headlines) => {
    expect(errorSignature(output).headlines).toEqual(headlines)
  })

  test.each([
    LOCALE,
    'locale: Cannot set LC_CTYPE to default locale: No such file or directory',
    'bash: cannot set terminal process group (-1): Inappropriate ioctl for device',
    'dpkg-preconfigure: unable to re-open stdin: No such file or directory',
  ])('and prove no failure: %j', (output) => {
    expect(judgeOutcome({ shell: './run', exitCode: null, errorFlag: null, output }).outcome).toBe('unknown')
  })
})

describe('an error that only announces its reason has it from the line below:', () => {
  test.each([
    [
      'a box',
      lines('Error: widget.launch: ', '╔═════════════╗', '║ A wheel is missing. ║', '╚═════════════╝'),
      ['Error: widget.launch: A wheel is missing.'],
    ],
    ['a line', lines('ValueError:', 'the wheel is square'), ['ValueError: the wheel is square']],
    [
      'a trace has none',
      lines('java.lang.IllegalStateException:', '\tat a.b(C.java:3)'),
      ['java.lang.IllegalStateException:'],
    ],
    [
      'advice has none',
      lines('a.go:4:2: missing entry for package x; to add:', '\tgo get x'),
      ['missing entry for package x'],
    ],
  ])('%s', (_, output, headlines) => {
    expect(errorSignature(output).headlines).toEqual(headlines)
  })

  test('what pytest found to differ takes the place of an assertion that it cut', () => {
    const output = (assertion: string) =>
      lines(
        `E       ${assertion}`,
        'E         Omitting 7 identical items',
        'E         Differing items:',
        "E         {'b': 2} != {'b': 3}",
        'FAILED a_test.py::test_f - Assert...',
      )
    expect(errorSignature(output("AssertionError: assert {'a...': 2} == {'a...': 3}")).headlines).toEqual([
      "Differing items: {'b': 2} != {'b': 3}",
      'in a_test.py::test_f',
    ])
    expect(errorSignature(output("assert {'b': 2} == {'b': 3}")).headlines[0]).toBe(
      "assert {'b': 2} == {'b': 3}, Differing items: {'b': 2} != {'b': 3}",
    )
  })
})

describe('what the passing calls of a run print too', () => {
  /** @param last what the pass itself prints */
  const headlines = (noise: string, error: string, last = noise) => {
    const rows = Array.from({ length: 12 }, (_, index) => `row ${index}`)
    const quiet = (first: string) => lines(first, ...rows, '[exit 0]')
    const failing = ['$ make b', noise, error, '[exit 2]']
    const log = lines('$ make a', quiet(noise), ...failing, '$ vi b', '$ make b', quiet(last), '$ exit')
    const [fix] = findFixes(readRuns({ text: log, format: 'log' }).runs).fixes
    return fix === undefined ? null : signatureOf(fix.failed).headlines
  }

  test('is no part of an error', () => {
    expect(headlines('telemetry is unreachable', 'the wheel is missing')).toEqual(['the wheel is missing'])
  })

  test('is shown where there is nothing else, and called no error', () => {
    expect(headlines('telemetry is unreachable', 'WARNING: no wheel')).toEqual(['no error message, exit code 2'])
  })

  test('is one where only programs that failed write it, as a call may show the log of another', () => {
    expect(headlines("KeyError: 'wheel'", 'the axle is missing', 'done')).toEqual(["KeyError: 'wheel'"])
  })

  test('is no mended error where the pass prints it itself', () => {
    expect(headlines("KeyError: 'wheel'", 'the axle is missing')).toBeNull()
  })
})
