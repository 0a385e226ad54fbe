import { describe, expect, test } from 'bun:test'
import type { TrajectoryFormat } from '../../src/importer/intake/trajectory-format.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'

const read = (text: string, format: TrajectoryFormat = 'log') => readRuns({ text, format })
const steps = (text: string, format: TrajectoryFormat = 'log') => read(text, format).runs[0]?.steps ?? []
const outcomeOf = (command: string, output: string) => steps(`$ ${command}\n${output}\n$ true\n`)[0]?.outcome

describe('a shell transcript', () => {
  test.each([
    ['dev@box:~/shop$ make\nok\ndev@box:~/shop$ make test\n', 'Debian'],
    ['(venv) [dev@box shop]$ make\n(venv) [dev@box shop]$ make test\n', 'Fedora with an environment'],
    ['root@0f1e2d:/app# make\nroot@0f1e2d:/app# make test\n', 'a container'],
    ['dev@mac shop % make\ndev@mac shop % make test\n', 'zsh'],
    ['PS C:\\Users\\dev\\shop> make\nPS C:\\Users\\dev\\shop> make test\n', 'PowerShell'],
    ['C:\\shop>make\nC:\\shop>make test\n', 'cmd.exe'],
    ['$ make\nok\n$ make test\n', 'a bare dollar'],
    ['2026-03-04T10:00:00Z $ make\n2026-03-04T10:00:01Z $ make test\n', 'times in front'],
    ['\u001b[32mdev@box\u001b[0m:\u001b[34m~\u001b[0m$ make\r\n\u001b[32mdev@box\u001b[0m:~$ make test\r\n', 'colours'],
    ['# make\n# make test\n', 'root without a name'],
    ['➜  shop git:(main) ✗ make\nok\n➜  shop git:(main) make test\n➜  shop git:(main)\n', 'oh-my-zsh'],
    ['➜  ~ make\n➜  shop make test\n➜  shop\n', 'oh-my-zsh outside of git'],
    ['(venv) ➜  shop git:(fix/x) ✗ make\n(venv) ➜  shop git:(fix/x) ✗ make test\n', 'oh-my-zsh with an environment'],
    ['➜ make\n➜ make test\n', 'a bare arrow'],
    ['~/x main ❯ make\nok\n~/x main !1 ?2 ❯ make test\n~/x main !1 ?2 ❯\n', 'powerlevel10k'],
    ['~/x ❯ make\n❯ make test\n', 'powerlevel10k outside of git'],
    ['+ make\nok\n+ make test\n', 'traces of set -x'],
    ['2026-03-04T10:00:00.1Z + make\n2026-03-04T10:00:01.2Z + make test\n', 'traces of set -x in CI'],
  ])('has its commands found: %j', (text) => {
    expect(steps(text).map((step) => step.command)).toEqual(['make', 'make test'])
  })

  test.each([
    ['# Title\n\n# Install\n\n> quoted text\n', 'markdown'],
    ['price: $ 5\n$ 7 more\n', 'text'],
    ['# make sure that it works\n# not a prompt\n', 'text'],
    ['just text\n', 'log'],
    ['diff --git a/x b/x\n@@ -1 +1 @@\n+ npm ci\n+ npm test\n', 'log'],
    ['+ added a line\n+ added another\n', 'log'],
    ['  ➜  Local:   http://localhost:5173/\n  ➜  press h\n', 'log'],
  ] as const)('is not seen in %j', (text, format) => {
    expect(read(text, format).producer).toBeNull()
  })

  test('takes every line that set -x traces for a command, whatever its program', () => {
    const found = steps('+ npm ci\nadded 3 packages in 2s\n+ ./deploy-it now\nwell\n++ date\n+ npm test\nok\n')
    expect(found.map((step) => step.command)).toEqual(['npm ci', './deploy-it now', 'npm test'])
    expect(found[1]?.output).toBe('well\n++ date')
  })

  test('in Markdown ends with its code block', () => {
    const [first] = steps('```console\n$ make\nok\n```\nMore words.\n```\n$ make test\n```\n', 'markdown')
    expect(first?.output).toBe('ok')
  })

  test('keeps here-documents and continued lines whole', () => {
    const text = "$ cat > a.py <<'EOF'\nprint(1)\n$ not a prompt\nEOF\n$ make \\\n> all\n$ true\n"
    expect(steps(text).map((step) => step.command)).toEqual([
      "cat > a.py <<'EOF'\nprint(1)\n$ not a prompt\nEOF",
      'make all',
      'true',
    ])
  })

  test('takes a comment at the prompt for what is asked', () => {
    const found = steps('$ # get the build green\n$ # on both machines\n$ make\nok\n$ make b\n')
    expect(found.map((step) => step.task)).toEqual(Array(2).fill('get the build green on both machines'))
  })

  test.each([
    ['[exit 1]'],
    ['[exit code: 2]'],
    ['exit code: 1'],
    ['exit status 3'],
    ['make: *** [Makefile:3: all] Error 2'],
    ['npm ERR! code ELIFECYCLE'],
    ['FAILED (failures=1)'],
    ['=== 2 failed, 3 passed in 0.12s ==='],
    ['error[E0308]: mismatched types'],
    ['src/a.ts(3,4): error TS2345: bad'],
    ['Traceback (most recent call last):'],
    ['bash: frobnicate: command not found'],
    ['fatal: not a git repository'],
    ['Tests:       1 failed, 2 passed, 3 total'],
    ['error: could not compile `shop`'],
    ['Error: Process completed with exit code 1.'],
    ['exit code: -1073741819 (0xC0000005)'],
    ['│ Error: Error acquiring the state lock'],
    ['zsh: command not found: yarn'],
    ['✘ [ERROR] Could not resolve "x"'],
    ['[vite]: Rollup failed to resolve import "x" from "/a/b.js".'],
    ['Error from server (Forbidden): pods is forbidden'],
  ])('calls a command failed that printed %j', (output) => {
    expect(outcomeOf('run-it', output)).toBe('failed')
  })

  test.each([
    ['[exit 0]'],
    ['exit code: 0'],
    ['5 passed in 0.12s'],
    ['test result: ok. 3 passed; 0 failed;'],
    ['OK (skipped=1)'],
    ['    Finished `dev` profile [unoptimized] target(s) in 0.30s'],
    ['BUILD SUCCESSFUL in 3s'],
    ['Build succeeded.'],
    ['found 0 vulnerabilities'],
    ['Done in 2.31s.'],
    ['⚡ Done in 12ms'],
    ['09:14:10 [build] Complete!'],
    ['14 page(s) built in 2.31s'],
    ['Apply complete! Resources: 1 added, 0 changed, 0 destroyed.'],
  ])('calls a command passed that printed %j', (output) => {
    expect(outcomeOf('run-it', output)).toBe('passed')
  })

  test.each([
    ['no evidence'],
    ['an error may occur'],
    ['0 errors so far, 3 to go'],
    ['warning: unused variable'],
    ['passed the salt'],
  ])('does not judge by %j', (output) => {
    expect(outcomeOf('run-it', output)).toBe('unknown')
  })

  test.each([
    ['npm run build', "[ERROR] Cannot find module 'sharp'\n  Hint: npm i sharp", 'failed'],
    ['npm run build', "09:12:10 [ERROR] Cannot find module 'sharp'", 'failed'],
    ['cd web && npx astro build 2>&1 | tail -5', '[ERROR] [vite] x Build failed in 1.2s', 'failed'],
    ['mvn -q package', '[ERROR] /x/App.java:[12,9] cannot find symbol', 'failed'],
    ['npm run build', '[ERROR] telemetry is not reachable\nwrote dist/', 'unknown'],
    ['npm run build', '[ERROR] telemetry is not reachable\n✓ built in 2.31s', 'passed'],
    ['npm start', '[ERROR] GET /x 500', 'unknown'],
    ['npm run build && node server.js', '[ERROR] GET /x 500', 'unknown'],
    ['make deploy', '[ERROR] no such host', 'unknown'],
  ] as const)('judges a logged error only where a build ends with it: %s, %j', (command, output, outcome) => {
    expect(outcomeOf(command, output)).toBe(outcome)
  })

  test('does not judge a command that only shows a file', () => {
    expect(outcomeOf('cat build.log', 'make: *** [all] Error 2')).toBe('unknown')
  })

  test('judges a query that was refused, but not what it answers', () => {
    expect(outcomeOf('kubectl get pods', 'Error from server (Forbidden): pods is forbidden')).toBe('failed')
    expect(outcomeOf('kubectl get pods', 'NAME  STATUS\ncart  Error: exit code 1')).toBe('unknown')
    expect(outcomeOf('docker logs web', 'Error: no port')).toBe('unknown')
  })

  test('takes the answer to echo $? for the exit code of the command before', () => {
    const found = steps('$ make\nwell\n$ echo $?\n2\n$ make\nwell\n$ echo "exit: $?"\nexit: 0\n')
    expect(found.map((step) => step.outcome)).toEqual(['failed', 'passed'])
  })

  test('knows that a command in the background may still run', () => {
    const [server, list] = steps('$ ./serve &\n[1] 42\n$ make a && make b\nwell\n$ true\n')
    expect([server?.finished, list?.finished]).toEqual([false, true])
  })

  test('knows that an interrupted command has not passed', () => {
    expect(steps('$ make\n3 passed in 1s\n^C\n$ true\n')[0]).toMatchObject({ outcome: 'unknown', finished: false })
  })
})
