import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import type { LogFormat } from '../../src/importer/producers/producer.ts'
import { experienceNameFault } from '../../src/model/experience.ts'

const FORMATS: readonly LogFormat[] = ['text', 'markdown', 'log', 'json', 'jsonl']
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
  test('extraction does not throw, repeats itself byte for byte, names and bounds every experience', () => {
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
        const names = once.experiences.map(({ filename }) => filename)
        expect(new Set(names).size).toBe(names.length)
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

  test('a pass is never found without an earlier failure', () => {
    fc.assert(
      fc.property(anyLog(), fc.constantFrom(...FORMATS), (text, format) => {
        const { stats, experiences } = extractOffline({ text, format }, LIMITS)
        expect(stats.fixes).toBeLessThanOrEqual(stats.failures)
        expect(experiences.length).toBeLessThanOrEqual(stats.fixes)
      }),
    )
  })
})

describe('large and hostile logs', () => {
  const size = 4_000_000
  test.each([
    ['one line', `$ a\n$ b\n${'x'.repeat(size)}`, 'log'],
    ['blanks', `$ make\nerror: ${' '.repeat(size)}x\n$ b\n`, 'log'],
    ['open here-documents', '$ cat <<EOF\nx\n'.repeat(size / 40), 'log'],
    [
      'open tags',
      JSON.stringify({ type: 'user', message: { role: 'user', content: '<bash-x>'.repeat(size / 8) } }),
      'jsonl',
    ],
    [
      'open calls',
      `${JSON.stringify({ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'sh', arguments: '{}' } }] })}\n`.repeat(
        20_000,
      ),
      'jsonl',
    ],
    ['deep JSON', `{"messages":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'json'],
    ['quotes', `$ make\nerror: ${'\'"'.repeat(900)}\n`.repeat(1_000), 'log'],
  ] as const)('are read in time that grows with their length: %s', (_, text, format) => {
    const result = extractOffline({ text, format }, LIMITS)
    expect(result.experiences).toEqual([])
  })

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
const SAMPLES = join(REPOSITORY, '..', 'shared', 'samples')

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesBelow(path) : [path]
    })
}

const withSamples = existsSync(SAMPLES) ? test : test.skip
if (!existsSync(SAMPLES)) console.warn(`skipped: no sample logs at ${SAMPLES}`)

withSamples('no real log makes it throw, and the runs in them are counted', () => {
  const counts = new Map<string, string>()
  for (const path of filesBelow(SAMPLES)) {
    const text = new TextDecoder().decode(readFileSync(path))
    for (const format of FORMATS) {
      const { producer, stats } = extractOffline({ text, format }, LIMITS)
      if (format === 'jsonl' && producer !== null) {
        counts.set(path.slice(SAMPLES.length + 1), `${producer} ${stats.runs} ${stats.tools} ${stats.failures}`)
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
  const extract = (name: string, format: LogFormat) =>
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
})
