import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { EXPERIENCE_NAME_BYTES_MAX, experienceNameFault } from '../../src/model/experience.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }
const fromLog = (text: string, limits = LIMITS) => extractOffline({ text, format: 'log' }, limits)

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
    ['bob@h:~/a$ ', 'pytest', 'vi x', 'bob@h:~/b$ '],
    ['$ ', 'pytest', 'cd /srv/b', '$ '],
    ['$ ', 'pytest', 'cd /srv/b && ls', '$ '],
    ['$ ', 'pytest', 'ssh other', '$ '],
    ['$ ', 'pytest', 'docker exec -it web bash', '$ '],
    ['$ ', 'pytest', 'sudo su', '# '],
    ['~/a ❯ ', 'pytest', 'vi x', '~/b ❯ '],
    ['bob@h:~/a$ ', 'pytest', 'ssh other', 'bob@other:~/a$ '],
  ])('does not take a command in another place for the same: %j, %s, %s, %j', (before, command, between, after) => {
    const prompt = after.startsWith('#') ? before : after
    const log = `${before}${command}\n1 failed in 0.1s\n${before}touch y\n${before}${between}\n${prompt}${command}\n3 passed in 0.1s\n${prompt}true\n`
    expect(fromLog(log).stats.failures).toBe(1)
    expect(fromLog(log).experiences).toEqual([])
  })

  test.each([
    ['$ ', ['cd a', 'vi x', 'cd ..']],
    ['$ ', ['ssh other', 'vi x', 'exit']],
    ['$ ', ['cd /tmp', 'vi x', 'cd -']],
    ['bob@h:~/a$ ', ['vi x']],
    ['bob@h:~/a (main)$ ', ['git checkout -b fix']],
  ])('takes a command in the same place again for the same: %j %j', (prompt, between) => {
    const log = ['pytest', ...between, 'pytest'].map((command) => `${prompt}${command}\n`)
    log.splice(1, 0, '1 failed in 0.1s\n')
    const last = `3 passed in 0.1s\n${prompt.replace('main', 'fix')}true\n`
    expect(fromLog(log.join('') + last).experiences).toHaveLength(1)
  })

  test.each(['docker exec -it web pytest', 'ssh other pytest', 'ssh -p 2222 other pytest'])(
    'takes %j for one command, not for another shell',
    (command) => {
      const log = `$ ${command}\n1 failed in 0.1s\n$ vi x\n$ ${command}\n3 passed in 0.1s\n$ true\n`
      expect(fromLog(log).experiences).toHaveLength(1)
    },
  )

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

  test.each(['$?', '$LASTEXITCODE', '"$?"', 'rc=$status'])(
    'takes a command that then prints %s for the same',
    (code) => {
      const log = `$ make; echo ${code}\nerror: bad\nrc=2\n$ vi x\n$ make\n[exit 0]\n`
      expect(fromLog(log).experiences).toHaveLength(1)
    },
  )

  test('quotes an error up to its last sign', () => {
    const log = '$ make\nerror: bad (x;\n[exit 1]\n$ vi x\n$ make\n[exit 0]\n'
    expect(fromLog(log).experiences[0]?.['when-to-use']).toBe('When `make` fails with: error: bad (x;')
  })

  test('takes what goes on with an operation of git for the same call', () => {
    const begun = '$ git rebase main\nCONFLICT (content): Merge conflict in a\n'
    const stuck = '$ git rebase --continue\nerror: Committing is not possible because you have unmerged files.\n'
    const done = '$ git add a\n$ GIT_EDITOR=true git rebase --continue\nSuccessfully rebased and updated x.\n$ exit\n'
    const [experience, ...others] = fromLog(`${begun}$ git checkout --theirs a\n${stuck}${done}`).experiences
    expect(others).toEqual([])
    expect(experience?.description).toBe(
      'Get `git rebase main` to pass after it failed with: CONFLICT (content): Merge conflict in a, then with: error: Committing is not possible because you have unmerged files',
    )
    expect(experience?.content).toContain(
      'Then the same, as `git rebase --continue`, failed with:\n    error: Committing',
    )
    expect(experience?.content).toContain(
      'Done in between:\n1. `git checkout --theirs a`\n2. run the same again, as `git rebase --continue`: it failed with `error: Committing is not possible because you have unmerged files.`\n3. `git add a`\n4. run it with `GIT_EDITOR=true` in front\n\nCheck that passed: `GIT_EDITOR=true git rebase --continue`',
    )
    const ended = (end: string): number => fromLog(`${begun}${end}${done}`).experiences.length
    expect(ended('$ git rebase --abort\n')).toBe(0)
    expect(ended('$ git merge --continue\n')).toBe(1)
    expect(fromLog(`${begun}${done.replace('git rebase', 'git merge')}`).experiences).toEqual([])
  })

  test('does not take the beginning of an operation for the pass of what found nothing to go on with', () => {
    const passed = '$ git rebase main\nSuccessfully rebased and updated x.\n'
    const log = `${passed}$ git rebase --continue\nfatal: No rebase in progress?\n$ git fetch\n${passed}$ exit\n`
    expect(fromLog(log).experiences).toEqual([])
  })

  test('does not count a different test as the same command', () => {
    expect(
      fromLog('$ pytest a.py\n1 failed in 1s\n$ vi a.py\n$ pytest b.py\n1 passed in 1s\n$ exit\n').experiences,
    ).toEqual([])
    expect(
      fromLog('$ pytest a.py\n1 failed in 1s\n$ vi a.py\n$ pytest -k no a.py\n1 passed in 1s\n$ exit\n').experiences,
    ).toEqual([])
  })

  test('does not count the same command in another folder, but does count one whose folder is told only once', () => {
    const run = (first: string, second: string) =>
      fromLog(`$ ${first}\n1 failed in 1s\n$ vi x\n$ ${second}\n1 passed in 1s\n$ exit\n`).experiences.length
    expect(run('cd a && npm test', 'cd b && npm test')).toBe(0)
    expect(run('cd a && npm test', 'npm test')).toBe(1)
    expect(run('pytest  -q', 'CI=1 pytest -q 2>&1 | tail -5')).toBe(1)
  })

  test('writes nothing for a failure that passed when merely repeated', () => {
    const { experiences, reason } = fromLog(
      '$ npm ci\nnpm ERR! code ECONNRESET\n$ ls\n$ npm ci\nadded 3 packages in 2s\n$ exit\n',
    )
    expect(experiences).toEqual([])
    expect(reason).toContain('1 passed when merely repeated')
  })

  test('does not take silence for success, but where the program always names its failures', () => {
    const silent = (command: string, failure: string) =>
      fromLog(`$ ${command}\n${failure}\n$ vi x\n$ ${command}\n$ exit\n`).experiences.length
    expect(silent('./deploy', 'Error: no route')).toBe(0)
    expect(silent('npx tsc -p .', 'a.ts(1,1): error TS2304: x')).toBe(1)
    expect(silent('npx tsc -p . | head', 'a.ts(1,1): error TS2304: x')).toBe(0)
  })

  describe('without exit codes takes the same command line saying something else for a pass', () => {
    const again = (command: string, failure: string, between: string, later: string, end = '$ exit\n'): number =>
      fromLog(`$ ${command}\n${failure}\n$ ${between}\n$ ${command}\n${later}${end}`).experiences.length
    test.each([
      ['./run.sh', 'bash: ./run.sh: Permission denied', 'chmod +x run.sh', 'hello\n'],
      ['yarn', 'bash: yarn: command not found', 'npm i -g yarn', 'yarn install v1.22\nDone in 2.31s.\n'],
      [
        'curl localhost:8000',
        'curl: (7) Failed to connect to localhost port 8000: Connection refused',
        './serve &',
        '<html>\n',
      ],
      [
        'kubectl get pods',
        'Error from server (Forbidden): pods is forbidden',
        'kubectl create rolebinding x',
        'NAME  READY\n',
      ],
      [
        'docker compose up -d',
        'Error response from daemon: port is already allocated',
        'docker stop old',
        ' Container web  Started\n',
      ],
      [
        'terraform apply',
        '│ Error: Error acquiring the state lock',
        'terraform force-unlock x',
        'Apply complete! Resources: 1 added\n',
      ],
    ])('%s', (command, failure, between, later) => {
      expect(again(command, failure, between, later)).toBe(1)
    })

    const refused = 'bash: ./run.sh: Permission denied'
    test.each([
      ['when it printed nothing', './run.sh', refused, 'chmod +x run.sh', '', undefined],
      ['when the log ends there: it may be cut or go on', './run.sh', refused, 'chmod +x run.sh', 'hello\n', ''],
      [
        'when the middle of it was not judged',
        './run.sh',
        refused,
        'chmod +x run.sh',
        'hello\n'.repeat(4_000),
        undefined,
      ],
      ['when it was interrupted', './run.sh', refused, 'chmod +x run.sh', 'hello\n^C\n', undefined],
      ['when it still runs', './run.sh &', refused, 'chmod +x run.sh', 'hello\n', undefined],
      ['when its output was cut off', './run.sh', refused, 'chmod +x run.sh', 'hello\n...\n', undefined],
      [
        'when it speaks of trouble in any words',
        './run.sh',
        refused,
        'chmod +x run.sh',
        'the disk is missing\n',
        undefined,
      ],
      ['when that is German', './run.sh', refused, 'chmod +x run.sh', 'Fehler beim Lesen\n', undefined],
      ['when only looks stand in between', './run.sh', refused, 'ls -l', 'hello\n', undefined],
      ['when only time passed', './run.sh', refused, 'sleep 5', 'hello\n', undefined],
      [
        'when the end of a pipe may have swallowed it',
        './run.sh | tail -1',
        refused,
        'chmod +x run.sh',
        'hello\n',
        undefined,
      ],
      ['when a test run prints no summary', 'pytest', '1 failed in 1s', 'vi a.py', 'collected 3 items\n', undefined],
      [
        'when the failure was a word of a listing',
        'kubectl get pods',
        'NAME\nError: x',
        'touch x',
        'NAME\n',
        undefined,
      ],
    ])('but not %s', (_, command, failure, between, later, end) => {
      expect(again(command, failure, between, later, end)).toBe(0)
    })

    test('and says on what that rests', () => {
      const log = `$ ./run.sh\n${refused}\n$ chmod +x run.sh\n$ ./run.sh\nhello\n$ exit\n`
      expect(fromLog(log).experiences[0]?.content).toContain(
        'Check that passed: `./run.sh` (no sign of failure this time; the log shows no exit code)\n    hello',
      )
    })
  })

  test('takes a missing exit mark for success only in a log that marks failures alone', () => {
    const failed = '$ ./deploy\nwell\n[exit 3]\n$ vi x\n'
    expect(fromLog(`${failed}$ ./deploy\nwell\n$ exit\n`).experiences).toHaveLength(1)
    expect(fromLog(`${failed}$ ./other\n[exit 0]\n$ ./deploy\nwell\n$ exit\n`).experiences).toHaveLength(0)
    expect(fromLog(`${failed}$ ./deploy\nwell\n`).experiences).toHaveLength(0)
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
    expect(words(short)).toBeLessThanOrEqual(60)
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

  test('keeps names within their limit whatever the command', () => {
    const long = `$ ./${'very-long-name-'.repeat(20)}\nError: ${'word '.repeat(60)}\n[exit 1]\n$ vi x\n$ ./${'very-long-name-'.repeat(20)}\n$ exit\n`
    const strange = '$ ./测试\n失败了\n[exit 1]\n$ vi x\n$ ./测试\n$ exit\n'
    const letters = (first: number): string =>
      Array.from({ length: 6 }, (_, index) => String.fromCharCode(97 + first + index).repeat(24)).join('-')
    const wide = `$ ./${letters(0)} ${letters(3)}\nError: ${letters(9)}\n[exit 1]\n$ vi x\n$ ./${letters(0)} ${letters(3)}\n$ exit\n`
    for (const log of [long, strange, wide]) {
      const name = fromLog(log).experiences[0]?.filename ?? ''
      expect(experienceNameFault(name)).toBeNull()
      expect(name.length).toBeLessThanOrEqual(EXPERIENCE_NAME_BYTES_MAX)
    }
  })

  test.each([
    [
      'npm install',
      'npm error ERESOLVE unable to resolve dependency tree',
      'fix-eresolve-npm-install-unable-resolve-dependency-tree',
    ],
    [
      'alembic upgrade head',
      'sqlalchemy.exc.OperationalError: (psycopg2.errors.LockNotAvailable) canceling statement due to lock timeout',
      'fix-alembic-upgrade-lock-not-available',
    ],
    [
      'docker compose up -d',
      'Error response from daemon: driver failed on endpoint web: Bind for 0.0.0.0:80 failed: port is already allocated',
      'fix-docker-compose-port-already-allocated',
    ],
    [
      'git rebase --continue',
      'error: Committing is not possible because you have unmerged files.',
      'fix-git-rebase-committing-not-possible',
    ],
    ['./run.sh', 'bash: ./run.sh: Permission denied', 'fix-run-permission-denied'],
    ['npm run build', 'connect ECONNREFUSED 127.0.0.1:5432', 'fix-econnrefused-npm-build-connect-port-5432'],
    [
      'pytest tests/test_orders.py',
      "E   AssertionError: assert 'a' == 'b'\nFAILED tests/test_orders.py::test_export_as_json - AssertionError",
      'fix-pytest-test-orders-assertion-export-json',
    ],
    [
      'kubectl get pods -n shop',
      'Error from server (Forbidden): pods is forbidden: User "ops" cannot list resource "pods" in API group ""',
      'fix-forbidden-kubectl-get-pods',
    ],
  ])('names the fix of %s by its code and whole phrases: %s', (command, output, name) => {
    const { experiences } = fromLog(`$ ${command}\n${output}\n[exit 1]\n$ vi x\n$ ${command}\nok\n[exit 0]\n$ exit\n`)
    expect(experiences.map(({ filename }) => filename)).toEqual([name])
  })
})

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
