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
        filename: 'fix-cargo-test-error-e0308-mismatched-types',
        description: 'Get `cargo test` to pass after it failed with: error[E0308]: mismatched types',
        'when-to-use':
          'When `cargo test` fails with: error[E0308]: mismatched types, while asked to: "make the cart build"',
        content: [
          'Extracted from a log without a model: what was seen there, not why it worked.',
          'Task as asked: "make the cart build"',
          'What failed: `cargo test`\n    error[E0308]: mismatched types',
          "Done in between:\n1. `sed -i 's/u32/u64/' src/cart.rs`",
          'Check that passed: `cargo test` (by its output)\n    test result: ok. 3 passed; 0 failed;',
        ].join('\n\n'),
      },
    ])
  })

  test('writes nothing without a later pass, and says so', () => {
    const { experiences, reason, stats } = fromLog(
      '$ cargo test\nerror[E0308]: x\n$ vi a.rs\n$ cargo test\nerror[E0308]: x\n$ exit\n',
    )
    expect(experiences).toEqual([])
    expect(reason).toBe('nothing learnt: 2 of 4 calls failed, and of none was a later run after a change proven to pass')
    expect(stats).toMatchObject({ tools: 4, failures: 2, fixes: 0 })
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

  test('takes a missing exit mark for success only in a log that marks failures alone', () => {
    const failed = '$ ./deploy\nwell\n[exit 3]\n$ vi x\n'
    expect(fromLog(`${failed}$ ./deploy\nwell\n$ exit\n`).experiences).toHaveLength(1)
    expect(fromLog(`${failed}$ ./other\n[exit 0]\n$ ./deploy\nwell\n$ exit\n`).experiences).toHaveLength(0)
    expect(fromLog(`${failed}$ ./deploy\nwell\n`).experiences).toHaveLength(0)
  })

  test('uses the last error before the pass and mentions the ones before it', () => {
    const log = FIXED.replace('$ sed', '$ vi Cargo.toml\n$ cargo test\nerror[E0412]: cannot find type `Cart`\n$ sed')
    const [experience, ...others] = fromLog(log).experiences
    expect(others).toEqual([])
    expect(experience?.description).toContain('error[E0412]')
    expect(experience?.content).toContain('Before that the same had failed with: `error[E0308]: mismatched types`')
    expect(experience?.content).toContain(
      '2. run the same again: it failed with `` error[E0412]: cannot find type `Cart` ``',
    )
  })

  test('writes one experience for the same command and error seen twice', () => {
    expect(fromLog(FIXED.replace('$ exit\n', '') + FIXED).experiences).toHaveLength(1)
  })

  test('gives two errors whose names would be equal different names', () => {
    const other = FIXED.replace('mismatched types', 'mismatched, types').replace('$ exit\n', '')
    const names = fromLog(other + FIXED).experiences.map(({ filename }) => filename)
    expect(new Set(names).size).toBe(2)
    for (const name of names) expect(experienceNameFault(name)).toBeNull()
  })

  test('says nothing of homes, moments and addresses in memory', () => {
    const at = (home: string, second: number, address: string) =>
      fromLog(
        `$ python ${home}/shop/run.py\n10:00:0${second} ValueError: bad block 0x${address} in ${home}/shop/a.py, took ${second}ms\n[exit 1]\n$ vi x\n$ python ${home}/shop/run.py\n$ exit\n`,
      ).experiences
    const one = at('/home/bob', 1, '7f00aa')[0]
    const two = at('/Users/eve', 2, '7f11bb')[0]
    expect(one?.['when-to-use']).toBe(
      'When `python ~/shop/run.py` fails with: ValueError: bad block 0x… in ~/shop/a.py, took Nms',
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

  test('shows a long step by its first line and how many follow', () => {
    const body = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join('')
    const log = FIXED.replace('$ sed', `$ cat > notes <<'EOF'\n${body}EOF\n$ sed`)
    expect(fromLog(log).experiences[0]?.content).toContain("1. `cat > notes <<'EOF'` (and 51 more lines)")
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
    expect(experience?.filename).toBe('fix-book-room-error-needs-cost-centre')
    expect(experience?.['when-to-use']).toContain('"Reserviere bitte den großen Raum für morgen früh."')
    expect(experience?.content).toContain('1. `set_cost_centre {"code":"K7"}`')
  })

  test('keeps names within their limit whatever the command', () => {
    const long = `$ ./${'very-long-name-'.repeat(20)}\nError: ${'word '.repeat(60)}\n[exit 1]\n$ vi x\n$ ./${'very-long-name-'.repeat(20)}\n$ exit\n`
    const strange = '$ ./测试\n失败了\n[exit 1]\n$ vi x\n$ ./测试\n$ exit\n'
    for (const log of [long, strange]) {
      const name = fromLog(log).experiences[0]?.filename ?? ''
      expect(experienceNameFault(name)).toBeNull()
      expect(name.length).toBeLessThanOrEqual(EXPERIENCE_NAME_BYTES_MAX)
    }
  })
})
