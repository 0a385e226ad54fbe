import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { TrajectoryFormat } from '../../src/importer/intake/trajectory-format.ts'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { readRuns } from '../../src/importer/producers/recognition.ts'
import { experienceNameFault } from '../../src/model/experience.ts'
import { noticeWithout, samplesFolder } from '../fakes/shared-folder.ts'
import { GROWTH_MAX, growthOf } from './offline-growth.ts'

const FORMATS: readonly TrajectoryFormat[] = ['text', 'markdown', 'log', 'json', 'jsonl']
const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }

const anyCommand = fc.oneof(
  fc.constantFrom(
    'make',
    'make test',
    'cd a && make',
    'X=1 make',
    'npm ci',
    'ls',
    'vi a',
    "cat > a <<'E'\nb\nE",
    'make | tail -3',
  ),
  fc.string({ maxLength: 30 }),
)
const anyOutput = fc.oneof(
  fc.constantFrom(
    '',
    'exit code: 0',
    '[exit 1]',
    'make: *** [all] Error 2',
    '3 passed in 1s',
    'Error: no',
    'npm ERR! code E1',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** Chats and transcripts whose shape is right but whose content is anything, mixed with records that are anything. */
function anyRecord(): fc.Arbitrary<unknown> {
  const chat = fc.tuple(anyCommand, anyOutput).map(([command, output]) => ({
    messages: [
      { role: 'user', content: output },
      {
        role: 'assistant',
        tool_calls: [{ id: 'x', function: { name: 'bash', arguments: JSON.stringify({ command }) } }],
      },
      { role: 'tool', tool_call_id: 'x', content: output },
    ],
  }))
  const message = fc.tuple(anyCommand, anyOutput).chain(([command, output]) =>
    fc.constantFrom<unknown>(
      {
        role: 'assistant',
        tool_calls: [{ id: 'x', function: { name: 'bash', arguments: JSON.stringify({ command }) } }],
      },
      { role: 'tool', tool_call_id: 'x', content: output },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'tool_use', id: 'y', name: 'Bash', input: { command } }] },
      },
      {
        type: 'user',
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'y', is_error: output.length % 2 === 0, content: output }],
        },
      },
    ),
  )
  const skewed = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool'),
    content: fc.anything(),
    tool_calls: fc.anything(),
  })
  return fc.oneof(chat, message, skewed, fc.jsonValue({ maxDepth: 5 }))
}

function anyLog(): fc.Arbitrary<string> {
  const json = fc
    .array(anyRecord(), { maxLength: 25 })
    .map((records) => records.map((record) => JSON.stringify(record) ?? '').join('\n'))
  const shell = fc
    .array(fc.tuple(anyCommand, anyOutput), { maxLength: 25 })
    .map((entries) => entries.map(([command, output]) => `$ ${command}\n${output}\n`).join(''))
  return fc.oneof(json, shell, fc.string({ unit: 'binary', maxLength: 200 }))
}

describe('whatever the log', () => {
  test('extraction does not throw, repeats itself byte for byte, names and bounds every experience and tells each from the others', () => {
    const limits = fc.record({
      description: fc.integer({ min: 1, max: 140 }),
      when_to_use: fc.integer({ min: 1, max: 563 }),
      content: fc.integer({ min: 1, max: 400 }),
    })
    fc.assert(
      fc.property(anyLog(), fc.constantFrom(...FORMATS), limits, (text, format, bounds) => {
        const once = extractOffline({ text, format }, { count: words, ...bounds })
        expect(extractOffline({ text, format }, { count: words, ...bounds })).toEqual(once)
        expect(once.reason).toMatch(/\S/)
        const told = once.experiences.map((experience) => `${experience.description}\n${experience['when-to-use']}`)
        expect(new Set(told).size).toBe(told.length)
        for (const experience of once.experiences) {
          expect(experienceNameFault(experience.filename)).toBeNull()
          expect(words(experience.description)).toBeLessThanOrEqual(bounds.description)
          expect(words(experience['when-to-use'])).toBeLessThanOrEqual(bounds.when_to_use)
          expect(words(experience.content)).toBeLessThanOrEqual(bounds.content)
          for (const text of [experience.description, experience['when-to-use'], experience.content])
            expect(text).toMatch(/\S/)
        }
      }),
      { numRuns: 400 },
    )
  })

  interface Entry {
    readonly command: string
    /** Of the failure; null for a pass. */
    readonly error: string | null
  }
  const LOOK = 'ls'
  const anyEntry: fc.Arbitrary<Entry> = fc.record({
    command: fc.constantFrom('make a', 'make b', 'touch x', LOOK),
    error: fc.constantFrom(null, null, 'alpha is gone', 'beta is gone'),
  })

  /** What a reader would find who goes back from each pass that lasts: the command, and its errors in the order of time. */
  function fixesByHand(entries: readonly Entry[]): readonly string[] {
    const found = new Set<string>()
    for (const [end, { command, error }] of entries.entries()) {
      if (error !== null || command === LOOK) continue
      const lastPass = entries.slice(0, end).findLastIndex((entry) => entry.command === command && entry.error === null)
      const since = entries.slice(lastPass + 1, end)
      const latest = since.findLastIndex((entry) => entry.command === command)
      const hasChange = since
        .slice(latest)
        .some((entry) => entry.command !== command && entry.command !== LOOK && entry.error === null)
      if (latest < 0 || !hasChange) continue
      const errors = since.filter((entry) => entry.command === command).map((entry) => entry.error)
      const own = entries.filter((entry) => entry.command === command)
      const atEnd = own.slice(own.findLastIndex((entry) => entry.error === null) + 1)
      if (atEnd.some((entry) => errors.includes(entry.error))) continue
      const last = errors.filter((one, index) => !errors.slice(index + 1).includes(one))
      const inOrder = last[0] === errors[0] ? last : [...errors.slice(0, 1), ...last]
      found.add(`${command}: ${inOrder.map((one) => `error: ${one}`).join(', then with: ')}`)
    }
    return [...found].sort()
  }

  test('what is found is each command that failed and, after a change, passed for good: none else and none less', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 30 }), (entries) => {
        const text = entries
          .map(({ command, error }) => `$ ${command}\n${error === null ? '[exit 0]' : `error: ${error}\n[exit 1]`}\n`)
          .join('')
        const { experiences, stats } = extractOffline({ text: `${text}$ true\n`, format: 'log' }, LIMITS)
        const found = experiences.map(({ description }) =>
          description.replace(/^Get `(.*)` to pass after it failed with: /, '$1: '),
        )
        expect<readonly string[]>(found.sort()).toEqual(fixesByHand(entries))
        expect(stats.failures).toBe(entries.filter(({ error }) => error !== null).length)
      }),
      { numRuns: 500 },
    )
  })
})

const STAMP = '2026-01-01T10:00:00.1234567Z '

describe('large and hostile logs are read in time that grows as their length:', () => {
  const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`
  const chatCall = (id: string, args = '{"command":"make"}') =>
    jsonLine({ role: 'assistant', tool_calls: [{ id, function: { name: 'bash', arguments: args } }] })
  const claudeCall = (id: string) =>
    jsonLine({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'make' } }] },
    })
  const answer = (id: string) => jsonLine({ role: 'tool', tool_call_id: id, content: 'error: x' })

  // The size is a number of units, lines or records.
  const LOGS: readonly (readonly [
    name: string,
    format: TrajectoryFormat,
    size: number,
    build: (size: number) => string,
  ])[] = [
    ...['<pr_description>', 'Please solve this issue:', '```bash\\n', '\\nISSUE:\\n'].map(
      (opening) =>
        [
          `openings of ${opening} without an end`,
          'jsonl' as const,
          20_000,
          (size: number) =>
            `{"role":"user","content":"${opening.repeat(size)}"}\n{"role":"assistant","content":"${opening.repeat(size)}"}\n{"role":"user","content":"<returncode>0</returncode>"}\n`,
        ] as const,
    ),
    [
      'stamped lines',
      'log',
      20_000,
      (size) => `${STAMP}Complete job name: x\n${`${STAMP}##[group]Run make\n`.repeat(size)}`,
    ],
    [
      'attempts of a job',
      'log',
      2_000,
      (size) => `${STAMP}Current runner version: 1\n${STAMP}##[group]Run make\n`.repeat(size),
    ],
    ['one line', 'log', 500_000, (size) => `$ a\n$ b\n${'x'.repeat(size)}`],
    ['blanks', 'log', 500_000, (size) => `$ make\nerror: ${' '.repeat(size)}x\n$ b\n`],
    ['open here-documents', 'log', 2_000, (size) => '$ cat <<EOF\nx\n'.repeat(size)],
    ['open here-documents that go on', 'log', 4_000, (size) => '$ cat <<EOF \\\n'.repeat(size)],
    ['closed here-documents', 'log', 1_000, (size) => '$ cat > a <<EOF\nx\nEOF\n'.repeat(size)],
    ['comments', 'log', 4_000, (size) => '$ # do it\n'.repeat(size)],
    [
      'a task of many lines, and many fixes',
      'log',
      1_000,
      (size) => `${'$ # do it\n'.repeat(size)}${fixes(Math.ceil(size / 20))}`,
    ],
    ['failures that never pass', 'log', 1_000, (size) => '$ make\nerror: x\n$ vi a\n'.repeat(size)],
    ['fixes', 'log', 60, (size) => fixes(size)],
    ['quotes', 'log', 1_000, (size) => `$ make\nerror: ${'\'"'.repeat(900)}\n`.repeat(size)],
    ['lines of trouble', 'log', 2_000, (size) => `$ make\n${'it cannot be, no such thing\n'.repeat(size)}$ b\n`],
    [
      'prompts of many kinds',
      'log',
      4_000,
      (size) => `$ a\n$ b\n${'~/x a b c d e f\n➜  x git:(\n(venv) [a@b x\n'.repeat(size)}`,
    ],
    [
      'open tags',
      'jsonl',
      20_000,
      (size) => jsonLine({ type: 'user', message: { role: 'user', content: '<bash-x>'.repeat(size) } }),
    ],
    ['calls with one id', 'jsonl', 1_000, (size) => chatCall('c').repeat(size)],
    [
      'calls with one id, answered at the end',
      'jsonl',
      1_000,
      (size) => chatCall('c').repeat(size) + answer('c').repeat(size),
    ],
    ['system messages', 'jsonl', 4_000, (size) => jsonLine({ role: 'system', content: 'x' }).repeat(size)],
    [
      'chats of one message',
      'jsonl',
      2_000,
      (size) => jsonLine({ messages: [{ role: 'user', content: 'x' }] }).repeat(size),
    ],
    [
      'calls of Claude Code',
      'jsonl',
      1_000,
      (size) => Array.from({ length: size }, (_, index) => claudeCall(`${index}`)).join(''),
    ],
    [
      'an edit of many lines',
      'jsonl',
      10_000,
      (size) => {
        const lines = 'same\n'.repeat(size)
        return jsonLine({
          role: 'assistant',
          tool_calls: [
            {
              id: 'c',
              function: {
                name: 'edit',
                arguments: JSON.stringify({
                  path: 'a',
                  old_str: `${lines}a\n${lines}`,
                  new_str: `${lines}b\n${lines}`,
                }),
              },
            },
          ],
        })
      },
    ],
  ]

  function fixes(count: number): string {
    return Array.from(
      { length: count },
      (_, index) => `$ make t${index}\nerror: x${index}\n[exit 1]\n$ vi a\n$ make t${index}\n[exit 0]\n`,
    ).join('')
  }

  test.each(LOGS)(
    '%s',
    (_, format, size, build) => {
      const read = (text: string): void => void extractOffline({ text, format }, LIMITS)
      expect(growthOf(build, read, size)).toBeLessThan(GROWTH_MAX)
    },
    60_000,
  )

  test('deep JSON is no danger', () => {
    const text = `{"messages":${'['.repeat(2_000)}${']'.repeat(2_000)}}`
    expect(extractOffline({ text, format: 'json' }, LIMITS).experiences).toEqual([])
  })
})

describe('odd logs', () => {
  test('lone surrogates, repeated keys and __proto__ are data like any other', () => {
    const lines = [
      '{"role":"user","content":"\\ud800 alone"}',
      '{"role":"assistant","role":"assistant","__proto__":{"content":1},"tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\\"command\\":\\"make \\\\udc00\\"}"}}]}',
      '{"role":"tool","tool_call_id":"a","content":"exit code: 1\\n\\ud83d"}',
    ]
    expect(extractOffline({ text: lines.join('\n'), format: 'jsonl' }, LIMITS).stats).toMatchObject({
      tools: 1,
      failures: 1,
    })
  })
})

const REPOSITORY = join(import.meta.dir, '..', '..')
const samples = samplesFolder()
if (samples === null) noticeWithout('samples')

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesBelow(path) : [path]
    })
}

test.skipIf(samples === null)('no real log makes it throw, and the runs in them are counted', () => {
  const counts = new Map<string, string>()
  for (const path of filesBelow(samples ?? '')) {
    const text = new TextDecoder().decode(readFileSync(path))
    for (const format of FORMATS) {
      const { producer, stats } = extractOffline({ text, format }, LIMITS)
      if (format === 'jsonl' && producer !== null) {
        counts.set(
          path.slice((samples ?? '').length + 1),
          `${producer} ${readRuns({ text, format }).runs.length} ${stats.tools} ${stats.failures}`,
        )
      }
    }
  }
  // Counted by hand from the files: producer, runs, tool calls, failed ones.
  expect(counts.get('claude-code/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl')).toBe('claude-code 1 12 0')
  expect(counts.get('claude-code/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl')).toBe('claude-code 3 21 3')
  expect(counts.get('edge/japanese.jsonl')).toBe('openai-chat 1 1 0')
  expect(counts.get('edge/utf8-bom.jsonl')).toBe('openai-chat 1 1 1')
})

describe('the examples of this project', () => {
  const extract = (name: string, format: TrajectoryFormat) =>
    extractOffline({ text: readFileSync(join(REPOSITORY, 'examples', 'trajectories', name), 'utf8'), format }, LIMITS)

  test.each([
    ['openai-chat.jsonl', 'jsonl', 'openai-chat', 2],
    ['claude-code.jsonl', 'jsonl', 'claude-code', 2],
    ['shell-session.log', 'log', 'shell-transcript', 3],
  ] as const)('%s is recognised and yields its fixes', (name, format, producer, count) => {
    const result = extract(name, format)
    expect(result.producer).toBe(producer)
    expect(result.experiences).toHaveLength(count)
  })

  test('keep the language of the request', () => {
    expect(extract('openai-chat.jsonl', 'jsonl').experiences[0]?.['when-to-use']).toContain('Bitte finde heraus')
  })

  test('have names of their own, of few words', () => {
    const logs = [
      extract('openai-chat.jsonl', 'jsonl'),
      extract('claude-code.jsonl', 'jsonl'),
      extract('shell-session.log', 'log'),
    ]
    expect(logs.flatMap(({ experiences }) => experiences.map(({ filename }) => filename))).toEqual([
      'fix-alembic-upgrade-lock-not-available',
      'fix-pytest-test-orders-assertion-export-order-json',
      'fix-eresolve-npm-install-unable-resolve-dependency-tree',
      'fix-ts2503-tsc-cannot-find-namespace-jsx',
      'fix-git-rebase-committing-not-possible',
      'fix-pytest-cannot-import-name-cart',
      'fix-docker-build-wheels-not-found',
    ])
  })
})
