/** What the offline extractor tells of a failure and its fix, and how. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { fromLog, LIMITS } from './extracted-log.ts'

const FIXED = `$ # make the cart build
$ cargo test
error[E0308]: mismatched types
  --> src/cart.rs:12:5
$ sed -i 's/u32/u64/' src/cart.rs
$ cargo test
test result: ok. 3 passed; 0 failed;
$ exit
`

describe('the offline extractor', () => {
  test('writes what failed, what was done and the check that passed', () => {
    const { producer, experiences, reason } = fromLog(FIXED)
    expect(producer).toBe('shell-transcript')
    expect(reason).toBe('1 of 4 calls failed; 1 failing command was later seen passing')
    expect(experiences).toEqual([
      {
        earlierLogPaths: [],
        filename: 'fix-e0308-cargo-test-mismatched-types',
        description: 'Get `cargo test` to pass after it failed with: error[E0308]: mismatched types',
        'when-to-use':
          'When `cargo test` fails with: error[E0308]: mismatched types, while asked to: "make the cart build"',
        content: [
          'Extracted from a log without a model: what was seen there, not why it worked.',
          'Task as asked: "make the cart build"',
          'What failed: `cargo test`\n    error[E0308]: mismatched types',
          "Done in between:\n1. `sed -i 's/u32/u64/' src/cart.rs`",
          'Check that passed: `cargo test` (judged by what it printed; the log shows no exit code)\n    test result: ok. 3 passed; 0 failed;',
        ].join('\n\n'),
      },
    ])
  })

  test('writes nothing without a later pass, and says so', () => {
    const { experiences, reason, stats } = fromLog(
      '$ cargo test\nerror[E0308]: x\n$ vi a.rs\n$ cargo test\nerror[E0308]: x\n$ exit\n',
    )
    expect(experiences).toEqual([])
    expect(reason).toBe(
      'nothing learnt: 2 of 4 calls failed, and none of them was later seen to pass after something was changed',
    )
    expect(stats).toMatchObject({ tools: 4, failures: 2, fixes: 0 })
  })

  test.each(['', ' \n\n', '\ufeff'])('says of a log without a word that it is empty: %j', (text) => {
    expect(fromLog(text)).toMatchObject({ experiences: [], reason: 'nothing learnt: the log is empty' })
  })

  test('says that it recognised no failure, not that there was none', () => {
    expect(fromLog('$ make\nwell\n$ vi x\n$ make\nwell\n$ exit\n').reason).toBe(
      'nothing learnt: no failure was recognised in 4 calls',
    )
  })

  test('says when a pass was not counted because the log ends with it', () => {
    const open =
      'the last command shows no clear sign of success and nothing follows it, so it does not count as passed'
    const failed = '$ ./run.sh\nbash: ./run.sh: Permission denied\n$ chmod +x run.sh\n'
    const none = 'nothing learnt: 1 of 3 calls failed, and it was not later seen to pass after something was changed'
    expect(fromLog(`${failed}$ ./run.sh\nhello\n`).reason).toBe(`nothing learnt: 1 of 3 calls failed; ${open}`)
    expect(fromLog(`${failed}$ ./run.sh\nhello\n^C\n`).reason).toBe(none)
    expect(fromLog(`${failed}$ ./other\nhello\n`).reason).toBe(none)
  })

  test('keeps the first 500 of one log, and says so', () => {
    const log = Array.from(
      { length: 502 },
      (_, index) => `$ make t${index}\n[exit 1]\n$ vi a\n$ make t${index}\n[exit 0]\n`,
    )
    const { experiences, reason } = fromLog(log.join(''))
    expect(experiences).toHaveLength(500)
    expect(reason).toBe(
      '502 of 1,506 calls failed; 502 failing commands were later seen passing; only the first 500 are kept per import',
    )
  })

  test.each([
    ['Sums are wrong\n`sum(1)` gives 2.', 'Sums are wrong / `sum(1)` gives 2.'],
    ['Sums are wrong\n\nThe parser\nreads a sum\ntwice.', 'Sums are wrong / The parser reads a sum twice.'],
    ['Repair:\n- the sums\n- the parser.\nThen test.', 'Repair: - the sums / - the parser. Then test.'],
  ])('shows where sentences of the task end that have no sign there: %j', (content, shown) => {
    const call = (id: string, name: string, args: object) => ({
      role: 'assistant',
      tool_calls: [{ id, function: { name, arguments: JSON.stringify(args) } }],
    })
    const answer = (id: string, text: string) => ({ role: 'tool', tool_call_id: id, content: text })
    const messages = [
      { role: 'user', content },
      ...[call('1', 'bash', { command: 'make' }), answer('1', 'error: bad\n[exit 1]')],
      ...[call('2', 'write_file', { path: 'a', content: 'b' }), answer('2', 'done')],
      ...[call('3', 'bash', { command: 'make' }), answer('3', '[exit 0]')],
    ]
    const { experiences } = extractOffline({ text: JSON.stringify(messages), format: 'json' }, LIMITS)
    expect(experiences[0]?.content).toContain(`Task as asked: "${shown}"`)
    expect(experiences[0]?.['when-to-use']).toContain(`while asked to: "${shown}"`)
  })

  test('quotes an error up to its last sign', () => {
    const log = '$ make\nerror: bad (x;\n[exit 1]\n$ vi x\n$ make\n[exit 0]\n'
    expect(fromLog(log).experiences[0]?.['when-to-use']).toBe('When `make` fails with: error: bad (x;')
  })

  test('writes nothing for a failure that passed when merely repeated', () => {
    const { experiences, reason } = fromLog(
      '$ npm ci\nnpm ERR! code ECONNRESET\n$ ls\n$ npm ci\nadded 3 packages in 2s\n$ exit\n',
    )
    expect(experiences).toEqual([])
    expect(reason).toContain('1 passed when merely repeated')
  })

  test('tells different errors before one pass in the order of time', () => {
    const log = FIXED.replace('$ sed', '$ vi Cargo.toml\n$ cargo test\nerror[E0412]: cannot find type `Cart`\n$ sed')
    const [experience, ...others] = fromLog(log).experiences
    expect(others).toEqual([])
    expect(experience?.description).toBe(
      'Get `cargo test` to pass after it failed with: error[E0308]: mismatched types, then with: error[E0412]: cannot find type `Cart`',
    )
    expect(experience?.['when-to-use']).toContain('error[E0308]: mismatched types, then with: error[E0412]')
    expect(experience?.content).toContain(
      '\n    error[E0308]: mismatched types\n\nThen the same failed with:\n    error[E0412]',
    )
    expect(experience?.content).toContain(
      '2. run the same again: it failed with `` error[E0412]: cannot find type `Cart` ``',
    )
  })

  describe('of several failures before one pass', () => {
    const run = (...failures: readonly string[]) =>
      fromLog(`${failures.map((line, at) => `$ make\n${line}\n[exit 1]\n$ touch ${at}\n`).join('')}$ make\n[exit 0]\n`)
        .experiences[0]

    test('tells the first one first, though a later one differs only in its values', () => {
      const experience = run('AssertionError: 3 != 4', 'AssertionError: 5 != 6')
      expect(experience?.description).toBe(
        'Get `make` to pass after it failed with: AssertionError: 3 != 4, then with: AssertionError: 5 != 6',
      )
      expect(experience?.content).toContain(
        'What failed: `make`\n    AssertionError: 3 != 4\n\nThen the same failed with:\n    AssertionError: 5 != 6\n\nDone in between:\n1. `touch 0`\n2. run the same again: it failed with `AssertionError: 5 != 6`',
      )
    })

    test('tells the first one first, though it came back later', () => {
      const experience = run('error: alpha', 'error: beta', 'error: alpha')
      expect(experience?.content).toContain(
        'What failed: `make`\n    error: alpha\n\nThen the same failed with:\n    error: beta\n\nThen the same failed with:\n    error: alpha\n\n',
      )
    })

    test('tells an error that stayed the same once', () => {
      expect(run('error: alpha', 'error: alpha')?.content).not.toContain('Then the same')
    })

    test('leaves out those in the middle, and says so', () => {
      const experience = run('error: alpha', 'error: beta', 'error: gamma', 'error: delta', 'error: epsilon')
      expect(experience?.description).toEndWith(
        'with: error: alpha, then with: error: delta, then with: error: epsilon',
      )
      expect(experience?.content).toContain(
        'What failed: `make`\n    error: alpha\n\nThen, after 2 other errors, the same failed with:\n    error: delta\n\nThen the same failed',
      )
    })
  })

  test('says of a failure of which only the place is known where it was, not with what', () => {
    const log = `$ cargo test
test cart::adds ... FAILED
test result: FAILED. 3 passed; 1 failed; 0 ignored
[exit 101]
$ vi a.rs
$ cargo test
test cart::adds ... FAILED
test result: FAILED. 3 passed; 1 failed; 0 ignored
[exit 101]
$ vi b.rs
$ cargo test
test result: ok. 4 passed; 0 failed; 0 ignored
[exit 0]
`
    const [experience] = fromLog(log).experiences
    expect(experience?.description).toBe('Get `cargo test` to pass after it failed in cart::adds')
    expect(experience?.['when-to-use']).toBe('When `cargo test` fails in cart::adds')
    expect(experience?.content).toContain('run the same again: it failed in `cart::adds`')
  })

  const claude = (entries: readonly (readonly [command: string, output: string, isError?: true])[]) => {
    const record = (type: string, part: object): string =>
      JSON.stringify({ type, sessionId: 's', cwd: '/home/anna/app', message: { role: type, content: [part] } })
    const lines = entries.flatMap(([command, content, is_error = false], index) => [
      record('assistant', { type: 'tool_use', id: `${index}`, name: 'Bash', input: { command } }),
      record('user', { type: 'tool_result', tool_use_id: `${index}`, content, is_error }),
    ])
    return extractOffline({ text: lines.join('\n'), format: 'jsonl' }, LIMITS).experiences
  }

  test('tells each error under the command line that printed it', () => {
    const [experience] = claude([
      ['npm test', 'Exit code 1\nError: alpha is missing', true],
      ['sed -i s/a/b/ x.js', ''],
      ['npm test 2>&1 | tail -20', 'Tests: 1 failed, 3 passed\nError: beta is missing'],
      ['sed -i s/c/d/ x.js', ''],
      ['npm test', 'Tests: 4 passed, 4 total'],
    ])
    expect(experience?.content).toBe(
      [
        'Extracted from a log without a model: what was seen there, not why it worked.',
        'What failed: `npm test`\n    Error: alpha is missing',
        'Then the same, as `npm test 2>&1 | tail -20`, failed with:\n    Error: beta is missing',
        'Done in between:\n1. `sed -i s/a/b/ x.js`\n2. run the same again, as `npm test 2>&1 | tail -20`: it failed with `Error: beta is missing`\n3. `sed -i s/c/d/ x.js`',
        'Check that passed: `npm test` (the tool reported no error)\n    Tests: 4 passed, 4 total',
      ].join('\n\n'),
    )
  })

  test('does not show that a command first goes where the run is already', () => {
    const cd = 'cd /home/anna/app &&'
    const [experience] = claude([
      [`${cd} npm test`, 'Error: alpha is missing', true],
      [`${cd} touch /home/anna/app/a /home/anna/app-two/b`, ''],
      ['cd /home/anna/app\ntouch c\ntouch d', ''],
      ['ls sub && cd /home/anna/app && touch e', ''],
      ['cd /home/anna/app/sub && touch f', ''],
      [`${cd} npm test`, 'Tests: 4 passed, 4 total'],
    ])
    expect(experience?.content).toContain('What failed: `npm test`\n')
    expect(experience?.content).toContain(
      '1. `touch a ~/app-two/b`\n2. run:\n       touch c\n       touch d\n3. `ls sub && cd . && touch e`\n4. `cd sub && touch f`\n\nCheck that passed: `npm test` ',
    )
  })

  test('does not show the word on the exit code as what a check printed', () => {
    const log = '$ make x\nwell\n[exit code: 1]\n$ vi x\n$ make x\nbuilt\n[exit code: 0]\n'
    expect(fromLog(log).experiences[0]?.content).toEndWith('Check that passed: `make x` (exit code 0)\n    built')
    expect(fromLog(log.replace('built\n', '')).experiences[0]?.content).toEndWith('`make x` (exit code 0)')
  })

  test('does not let a later lone error hide what was done about two', () => {
    const both = FIXED.replace('$ sed', '$ vi Cargo.toml\n$ cargo test\nerror[E0412]: cannot find type `Cart`\n$ sed')
    const alone = FIXED.replace('error[E0308]: mismatched types', 'error[E0412]: cannot find type `Cart`')
    expect(fromLog(both.replace('$ exit\n', '') + alone).experiences).toHaveLength(2)
  })

  test('writes one experience for the same command and error seen twice', () => {
    expect(fromLog(FIXED.replace('$ exit\n', '') + FIXED).experiences).toHaveLength(1)
  })

  test('never says of two problems of one command the same', () => {
    const passed = '$ make lint\nAll checks passed!\n'
    const failed = (finding: string, edit: string): string =>
      `$ make lint\nruff check .\n${finding}\nFound 1 error.\nmake: *** [Makefile:12: lint] Error 1\n$ ${edit}\n${passed}`
    const log = [
      failed('app/main.py:3:8: F401 [*] `os` imported but unused', 'sed -i 1d app/main.py'),
      failed('app/db.py:17:5: E722 Do not use bare `except`', 'vim app/db.py'),
      // Nothing here tells the third from the fourth.
      '$ make lint\nmake: *** [Makefile:12: lint] Error 1\n$ touch a\n',
      passed,
      '$ make lint\nmake: *** [Makefile:12: lint] Error 1\n$ touch b\n',
      passed,
    ].join('')
    const found = fromLog(`${log}$ exit\n`).experiences
    expect(found.map(({ filename }) => filename)).toEqual([
      'fix-f401-make-lint-os-imported-unused',
      'fix-e722-make-lint-not-use-bare-except',
      'fix-make-lint',
    ])
    const told = found.map((experience) => `${experience.description}\n${experience['when-to-use']}`)
    expect(new Set(told).size).toBe(found.length)
    expect(told[0]).toContain('F401 `os` imported but unused')
    expect(told[1]).toContain('E722 Do not use bare `except`')
    expect(found[0]?.content).toContain('    app/main.py:3:8: F401 [*] `os` imported but unused')
  })

  test('says of an edit by hand that the log does not show it', () => {
    const log = FIXED.replace(/\$ sed.*\n/, '$ vim src/cart.rs\n')
    expect(fromLog(log).experiences[0]?.content).toContain(
      '1. `vim src/cart.rs` (an edit by hand; what was changed is not in the log)',
    )
  })

  test('says nothing of homes, moments and addresses in memory', () => {
    const at = (home: string, second: number, address: string) =>
      fromLog(
        `$ python ${home}/shop/run.py\n10:00:0${second} ValueError: bad block 0x${address} in ${home}/shop/a.py, took ${second}ms\n[exit 1]\n$ vi x\n$ python ${home}/shop/run.py\n$ exit\n`,
      ).experiences
    const one = at('/home/bob', 1, '7f00aa')[0]
    const two = at('/Users/eve', 2, '7f11bb')[0]
    expect(one?.['when-to-use']).toBe(
      'When `python ~/shop/run.py` fails with: ValueError: bad block 0x… in ~/shop/a.py, took …ms',
    )
    expect(two?.['when-to-use']).toBe(one?.['when-to-use'] ?? '')
    expect(two?.filename).toBe(one?.filename ?? '')
  })

  test('drops whole steps from the middle and says how many', () => {
    const steps = Array.from({ length: 40 }, (_, index) => `$ touch file-${index}\n`).join('')
    const log = FIXED.replace('$ sed', `${steps}$ sed`)
    const text = fromLog(log).experiences[0]?.content ?? ''
    expect(text).toContain('… 17 steps left out')
    expect(text).toContain('1. `touch file-0`')
    expect(text).toContain("41. `sed -i 's/u32/u64/' src/cart.rs`")
    const short = fromLog(log, { ...LIMITS, content: 60 }).experiences[0]?.content ?? ''
    expect(LIMITS.count(short)).toBeLessThanOrEqual(60)
    expect(short).toMatch(/… \d+ steps left out/)
  })

  test('shows a step of several lines as a block, a long one by its beginning', () => {
    const script = (lines: number): string => {
      const body = Array.from({ length: lines }, (_, index) => `  line ${index}\n`).join('')
      const log = FIXED.replace('$ sed', `$ cat > notes <<'EOF'\n${body}EOF\n$ sed`)
      return fromLog(log).experiences[0]?.content ?? ''
    }
    expect(script(1)).toContain("1. run:\n       cat > notes <<'EOF'\n         line 0\n       EOF\n2. `sed")
    expect(script(50)).toContain("1. run:\n       cat > notes <<'EOF'\n         line 0\n")
    expect(script(50)).toContain('         line 3\n       … (47 more lines)\n2. `sed')
  })

  test('counts a tool that answered with an error, and later with something else, as evidence', () => {
    const call = (name: string, args: object, content: string) => [
      { role: 'assistant', tool_calls: [{ id: 'x', function: { name, arguments: JSON.stringify(args) } }] },
      { role: 'tool', tool_call_id: 'x', content },
    ]
    const chat = [
      { role: 'user', content: 'Reserviere bitte den großen Raum für morgen früh.' },
      ...call('book_room', { room: 'A' }, 'Error: room A needs a cost centre'),
      ...call('set_cost_centre', { code: 'K7' }, 'done'),
      ...call('book_room', { room: 'A' }, '{"booking": 12}'),
    ]
    const text = chat.map((message) => JSON.stringify(message)).join('\n')
    const [experience] = extractOffline({ text, format: 'jsonl' }, LIMITS).experiences
    expect(experience?.filename).toBe('fix-book-room-needs-cost-centre')
    expect(experience?.['when-to-use']).toContain('"Reserviere bitte den großen Raum für morgen früh."')
    expect(experience?.content).toContain('1. `set_cost_centre {"code":"K7"}`')
  })
})
