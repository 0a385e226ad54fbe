/** What is no evidence, although something failed and passed. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { LIMITS } from './extracted-log.ts'

describe('nothing is learnt', () => {
  const jsonl = (...records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')
  const calls = (...each: readonly (readonly [id: string, name: string, args: object])[]) => ({
    role: 'assistant',
    tool_calls: each.map(([id, name, args]) => ({ id, function: { name, arguments: JSON.stringify(args) } })),
  })
  const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
  const make = (id: string) => [id, 'shell', { command: 'make test' }] as const
  const edit = (id: string) => [id, 'edit_file', { path: 'a.ts', old_string: 'a', new_string: 'b' }] as const
  const learnt = (...records: readonly unknown[]) =>
    extractOffline(
      { text: jsonl({ role: 'user', content: 'Mend the tests, please.' }, ...records), format: 'jsonl' },
      LIMITS,
    )

  test('while the only change failed', () => {
    const { experiences } = learnt(
      calls(make('1')),
      answer('1', '{"exit_code": 1, "output": "error: x"}'),
      calls(edit('2')),
      answer('2', '{"error": "old_string not found"}'),
      calls(make('3')),
      answer('3', '{"exit_code": 0, "output": "ok"}'),
    )
    expect(experiences).toEqual([])
  })

  test('while the passing call was made together with the failing one', () => {
    const { experiences } = learnt(
      calls(make('1'), edit('2'), make('3')),
      answer('1', '{"exit_code": 1, "output": "error: x"}'),
      answer('2', '{"success": true}'),
      answer('3', '{"exit_code": 0, "output": "ok"}'),
    )
    expect(experiences).toEqual([])
  })

  test('while the call failed again after the change, and then passed when merely repeated', () => {
    const { experiences, reason } = learnt(
      calls(make('1')),
      answer('1', '{"exit_code": 1, "output": "error: x"}'),
      calls(edit('2')),
      answer('2', '{"success": true}'),
      calls(make('3')),
      answer('3', '{"exit_code": 1, "output": "error: x"}'),
      calls(make('4')),
      answer('4', '{"exit_code": 0, "output": "ok"}'),
    )
    expect(experiences).toEqual([])
    expect(reason).toContain('1 passed when merely repeated')
  })

  describe('while nothing between the failure and the pass can have changed anything', () => {
    const between = (name: string, args: object, output: string) =>
      learnt(
        calls(make('1')),
        answer('1', '{"exit_code": 1, "output": "error: x"}'),
        calls(['2', name, args]),
        answer('2', output),
        calls(make('3')),
        answer('3', '{"exit_code": 0, "output": "ok"}'),
      ).experiences.length
    const ran = (output: string) => JSON.stringify({ exit_code: 0, output })

    test.each([
      ['pytest tests/test_a.py -x', '3 passed in 0.1s'],
      ['cd core && npx tsc --noEmit', ''],
      ['npm test -- a', 'Tests: 3 passed, 3 total'],
      ['kubectl apply --dry-run -f a.yml', 'a configured (dry run)'],
      ['gh run view 12 --log', 'all is well'],
      ['docker compose logs web', 'started'],
      ['for f in *.py; do cat $f; done', 'x = 1'],
      ['(cd core; ls)', 'a.py'],
      ['ls; exit 0', 'a.py'],
      ["find . -name '*.py' | xargs -n 1 grep -n x", 'a.py:1:x'],
      ['git stash', 'No local changes to save'],
      ['git pull', 'Already up to date.'],
      ['npm install', '\nup to date, audited 3 packages in 1s'],
    ])('%s', (command, output) => {
      expect(between('shell', { command }, ran(output))).toBe(0)
    })

    test('a script that says so', () => {
      expect(between('shell', { command: 'python edit.py' }, ran('pattern not found'))).toBe(0)
      expect(between('shell', { command: 'python edit.py' }, ran('3 replacements'))).toBe(1)
    })

    test('a tool that says so', () => {
      expect(between('apply_suggestion', { id: 3 }, 'No changes made.')).toBe(0)
      expect(between('apply_suggestion', { id: 3 }, 'Applied.')).toBe(1)
    })

    test.each([
      ['npx eslint . --fix', ''],
      ['jest -u', 'Tests: 3 passed, 3 total'],
      ['pytest > log.txt', ''],
      ['for f in *.py; do touch $f; done', ''],
      ['find . -name a | xargs rm', ''],
      ['pytest && touch a', '3 passed in 0.1s'],
      ['git stash', 'Saved working directory and index state'],
      ['docker compose up -d', ' Container web  Started'],
    ])('but %s can', (command, output) => {
      expect(between('shell', { command }, ran(output))).toBe(1)
    })
  })

  test('from a printed code that is missing where the output was cut off or ends in trouble', () => {
    const again = (output: string) =>
      learnt(
        calls(make('1')),
        answer('1', 'error: x\nexit code: 2'),
        calls(edit('2')),
        answer('2', '{"success": true}'),
        calls(make('3')),
        answer('3', output),
      ).experiences.length
    expect(again('cc a.c\ncc b.c')).toBe(1)
    expect(again('cc a.c\n... [truncated]')).toBe(0)
    expect(again('cc a.c\nCommand timed out')).toBe(0)
  })

  test.each(['no tests ran in 0.01s', '3 skipped in 0.01s', 'Ran 0 tests in 0.000s\n\nOK', '0 examples, 0 failures'])(
    'from a run that tested nothing: %j',
    (output) => {
      const { experiences } = learnt(
        calls(['1', 'shell', { command: './check' }]),
        answer('1', '{"exit_code": 1, "output": "1 failed in 0.1s"}'),
        calls(edit('2')),
        answer('2', '{"success": true}'),
        calls(['3', 'shell', { command: './check' }]),
        answer('3', JSON.stringify({ exit_code: 0, output })),
      )
      expect(experiences).toEqual([])
    },
  )

  test('from a log that a command only shows', () => {
    const command = 'gh run view --log-failed'
    const { experiences } = learnt(
      calls(['1', 'shell', { command }]),
      answer('1', '1 failed, 2 passed in 0.1s'),
      calls(edit('2')),
      answer('2', '{"success": true}'),
      calls(['3', 'shell', { command }]),
      answer('3', '3 passed in 0.1s'),
    )
    expect(experiences).toEqual([])
  })

  test('while the only change was made together with the failing call', () => {
    const { experiences } = learnt(
      calls(make('1'), edit('2')),
      answer('1', '{"exit_code": 1, "output": "error: x"}'),
      answer('2', '{"success": true}'),
      calls(make('3')),
      answer('3', '{"exit_code": 0, "output": "ok"}'),
    )
    expect(experiences).toEqual([])
  })

  test.each(['make 2>&1 | tee log', 'make; echo done'])(
    'from a printed code of %j, whose output tells that it failed again',
    (command) => {
      const { experiences } = learnt(
        calls(['1', 'shell', { command }]),
        answer('1', 'error: x\nexit code: 2'),
        calls(edit('2')),
        answer('2', '{"success": true}'),
        calls(['3', 'shell', { command }]),
        answer('3', 'a.c:2: error: y\nmake: *** [all] Error 2\nexit code: 0'),
      )
      expect(experiences).toEqual([])
    },
  )

  test('from a search that finds what is wrong', () => {
    const command = 'make 2>&1 | grep warning'
    const { experiences } = learnt(
      calls(['1', 'shell', { command }]),
      answer('1', '{"exit_code": 1, "output": ""}'),
      calls(edit('2')),
      answer('2', '{"success": true}'),
      calls(['3', 'shell', { command }]),
      answer('3', '{"exit_code": 0, "output": "a.c:1: warning: x"}'),
    )
    expect(experiences).toEqual([])
  })

  test('from a good code beside an output that tells of failures', () => {
    const { experiences } = learnt(
      calls(make('1')),
      answer('1', '{"exit_code": 1, "output": "error: x"}'),
      calls(edit('2')),
      answer('2', '{"success": true}'),
      calls(make('3')),
      answer('3', '{"exit_code": 0, "output": "Tests: 1 failed, 3 passed"}'),
    )
    expect(experiences).toEqual([])
  })
})
