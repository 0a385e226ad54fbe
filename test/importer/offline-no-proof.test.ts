/** Later runs of a failing command that look like a pass, and prove none. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }
const learnt = (text: string, format: 'log' | 'json' = 'log') => extractOffline({ text, format }, LIMITS)

const ERROR = 'E   assert 1 == 2\nFAILED tests/test_a.py::test_sum\n1 failed, 4 passed in 0.1s\n[exit 1]\n'
const PASS = '5 passed in 0.1s\n[exit 0]\n'
const EDIT = '$ vi a.py\n'

describe('a pass that did not last', () => {
  test.each([
    ['at once', `$ pytest\n${ERROR}`],
    ['after another edit', `${EDIT}$ pytest\n${ERROR}`],
    ['in other numbers', `${EDIT}$ pytest\n${ERROR.replace('1 == 2', '3 == 2')}`],
  ])('is no fix where the command failed again in the same way %s, and the log ends', (_, again) => {
    const { experiences, reason } = learnt(`$ pytest\n${ERROR}${EDIT}$ pytest\n${PASS}${again}$ exit\n`)
    expect(experiences).toEqual([])
    expect(reason).toEndWith('and what passed after something was changed failed again later')
  })

  test('is one where it failed in another way, or passed once more', () => {
    const fixed = `$ pytest\n${ERROR}${EDIT}$ pytest\n${PASS}`
    const other = `$ pytest\nE   NameError: name 'cart' is not defined\n1 failed, 4 passed in 0.1s\n[exit 1]\n`
    expect(learnt(`${fixed}${EDIT}${other}$ exit\n`).experiences).toHaveLength(1)
    expect(learnt(`${fixed}${fixed}$ exit\n`).experiences).toHaveLength(1)
  })
})

describe('at an exit code of 0 nothing is proven by', () => {
  const fixes = (command: string, failing: string, later: string) =>
    learnt(`$ ${command}\n${failing}\n[exit 2]\n$ vi a\n$ ${command}\n${later}\n[exit 0]\n$ exit\n`).experiences.length
  const MAKE = 'a.c:3: error: x undeclared\nmake: *** [all] Error 1'

  test.each([
    ['make', MAKE, "make: Nothing to be done for 'all'."],
    ['make -C src', MAKE, "make: Entering directory '/x'\nmake: 'all' is up to date.\nmake: Leaving directory '/x'"],
    ['ninja', 'a.c:3:1: error: x undeclared\nninja: build stopped: subcommand failed.', 'ninja: no work to do.'],
    ['make test', MAKE, 'Command timed out after 2m 0.0s'],
    ['make test', MAKE, 'cc -o a a.c\nThe command timed out after 120 seconds'],
    ['make test', MAKE, 'Command timed out after 2m 0.0s\ncc -o a a.c'],
    ['make test', MAKE, 'cc -o a a.c\nTerminated'],
    ['make test', MAKE, 'cc -o a a.c\n^C'],
    ['make test', MAKE, 'cc -o a a.c\nCommand was aborted before completion'],
    ['make test', MAKE, 'Command running in background with ID: b1'],
    ['make test', MAKE, 'cc -o a a.c\n[Process still running]'],
    ['npm run build', 'src/a.ts error TS2322: no number', 'src/b.ts(9,9): error TS1005: ; expected'],
    ['terraform apply', 'Error: no such zone', '  Enter a value: no\n\nApply cancelled.'],
    ['./setup.sh', 'error: no disk', 'Continue? [y/N] n\nInstallation cancelled'],
    ['./setup.sh', 'error: no disk', 'Continue? [y/N] n\nAborted.\nSee /usr/share/doc/setup'],
    ['apt install jq', 'E: no lock', 'Do you want to continue? [Y/n] n\nAbort.'],
    ['./release.sh', 'error: no tag', 'Operation aborted by user'],
    ['./release.sh', 'error: no tag', 'The release was canceled: nobody confirmed it'],
    ['./release.sh', 'error: no tag', 'Exiting without changes'],
    ['./release.sh', 'error: no tag', 'Do you want to proceed? (yes/no) no\nBye'],
    ['./release.sh', 'error: no tag', 'Push the tag [y/N]: n\nSee you'],
    ['./release.sh', 'error: no tag', 'Not confirmed, leaving all as it is'],
    ['dnf install jq', 'error: no mirror', 'Dependencies resolved.\nNothing to do.\nComplete!'],
    [
      'helm install shop .',
      'Error: INSTALLATION FAILED: no',
      'NAME: shop\nSTATUS: failed\nREVISION: 1\nNOTES:\nOpen it',
    ],
    ['./deploy', 'error: no host', 'Deployment status: failed\nSee the board'],
    ['./check', 'error: no cart', '{"ok": false, "error": "no cart"}'],
    ['./deploy', 'error: no host', '{"id": 3, "status": "cancelled"}'],
    ['./deploy', 'error: no host', '{\n  "id": 3,\n  "aborted": true\n}'],
    ['./check', 'error: no cart', '{\n  "status": "failed",\n  "carts": 3\n}'],
    ['./check', 'error: no cart', '{"data": null, "errors": [{"message": "no cart"}]}'],
  ])('%s after %j: %j', (command, failing, later) => {
    expect(fixes(command, failing, later)).toBe(0)
  })

  test.each([
    ['make test', MAKE, 'the order was cancelled\n5 passed in 0.1s'],
    ['./setup.sh', 'error: no disk', 'Send numbers of use? no\nall well'],
    ['./setup.sh', 'error: no disk', 'Continue? [Y/n] y\nall well'],
    ['make test', MAKE, 'ok\n0 cancelled'],
    ['make test', MAKE, 'cancelled orders are kept\nall well'],
    ['./check', 'error: no cart', '{"ok": true, "error": null, "errors": []}'],
    ['./deploy', 'error: no host', '{"id": 3, "aborted": false, "status": "deployed"}'],
    ['./check', 'error: no cart', '{"ok": false}\n{"ok": true}\nall well'],
    ['./deploy', 'error: no host', 'status: failed over to b\nall well'],
    ['make', MAKE, "cc -o a a.c\nmake: Nothing to be done for 'docs'."],
    ['make test', MAKE, 'request timed out after 2s, trying again\nall well'],
    ['make test', MAKE, '[1]+  Terminated  ./serve\nall well'],
    ['make test', MAKE, 'running 3 processes in the background\nall well'],
    ['npm run build', 'src/a.ts(1,1): error TS2322: no number', 'built in 2s'],
  ])('but something is by %s after %j: %j', (command, failing, later) => {
    expect(fixes(command, failing, later)).toBe(1)
  })
})

describe('without an exit code nothing is proven by', () => {
  const fixes = (command: string, failing: string, later: string) =>
    learnt(`$ ${command}\n${failing}\n$ vi a\n$ ${command}\n${later}\n$ exit\n`).experiences.length

  test.each([
    ['make test', 'test_a: FAIL\nmake: *** [test] Error 1', 'running...'],
    ['cargo build', 'error[E0308]: mismatched types', '   Compiling shop …'],
    ['! pytest', '1 failed, 4 passed in 0.1s', '5 passed in 0.1s'],
  ])('%s after %j: %j', (command, failing, later) => {
    expect(fixes(command, failing, later)).toBe(0)
  })

  test('but something is by a make that was silent', () => {
    expect(fixes('make', 'make: *** [all] Error 1', 'cc -o a a.c')).toBe(1)
  })
})

describe('in a job nothing is proven by', () => {
  const attempt = (commit: string, output: string, ending: readonly string[]) =>
    [
      '##[group]Run actions/checkout@v4',
      '##[endgroup]',
      '[command]/usr/bin/git checkout --progress --force refs/remotes/origin/main',
      `HEAD is now at ${commit} x`,
      '##[group]Run npm run build',
      'shell: /usr/bin/bash -e {0}',
      '##[endgroup]',
      output,
      ...ending,
      'Post job cleanup.',
      'Cleaning up orphan processes',
    ]
      .map((line) => `2026-01-01T10:00:00.0000000Z ${line}\n`)
      .join('')
  const fixes = (failing: string, later: string) =>
    learnt(
      attempt('1'.repeat(40), failing, ['##[error]Process completed with exit code 1.']) +
        attempt('2'.repeat(40), later, []),
    ).experiences.length

  test.each([
    ['another error of the compiler', 'src/a.ts error TS2322: no number', 'src/b.ts(9,9): error TS1005: ; expected'],
    ['an error that is only a warning now', '##[error]src/a.ts: bad thing', '##[warning]src/a.ts: bad thing'],
    ['a time-out', 'src/a.ts(1,1): error TS2322: no number', 'Command timed out after 2m 0.0s'],
  ])('%s', (_, failing, later) => {
    expect(fixes(failing, later)).toBe(0)
  })

  test('but something is by an end without it', () => {
    expect(fixes('##[error]src/a.ts: bad thing', '##[warning]src/b.ts: old thing')).toBe(1)
  })
})

test('a tool whose call a person called off has not passed', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'deploy', arguments: '{"to":"shop"}' } })
  const edit = { id: 'e', type: 'function', function: { name: 'edit_file', arguments: '{"path":"a","old":"b"}' } }
  const says = (one: unknown) => ({ role: 'assistant', content: null, tool_calls: [one] })
  const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
  const fixes = (last: string) =>
    learnt(
      JSON.stringify({
        messages: [
          { role: 'user', content: 'Deploy the shop.' },
          says(call('a')),
          answer('a', 'Error: no such host'),
          says(edit),
          answer('e', 'edited'),
          says(call('b')),
          answer('b', last),
        ],
      }),
      'json',
    ).experiences.length
  expect([fixes('Deployment cancelled.'), fixes('Deployed to shop.')]).toEqual([0, 1])
})

test('what was changed in one message with the call that passed may have come too late for it', () => {
  const call = (id: string, name: string, given: unknown) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  })
  const run = (id: string) => call(id, 'bash', { command: 'pytest' })
  const edit = call('e', 'edit_file', { path: 'a.py', old: 'a', new: 'b' })
  const says = (...calls: readonly unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls })
  const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
  const first = [{ role: 'user', content: 'Mend the sum of the cart.' }, says(run('a')), answer('a', ERROR)]
  const fixes = (...messages: readonly unknown[]) =>
    learnt(JSON.stringify({ messages: [...first, ...messages] }), 'json').experiences.length
  expect(fixes(says(edit, run('b')), answer('e', 'edited'), answer('b', PASS))).toBe(0)
  expect(fixes(says(edit), answer('e', 'edited'), says(run('b')), answer('b', PASS))).toBe(1)
})
