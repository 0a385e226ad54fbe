import { describe, expect, test } from 'bun:test'
import { readIntake } from '../../src/importer/intake.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string, mark: readonly number[], big = false) => {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
  return new Uint8Array([
    ...mark,
    ...units.flatMap((unit) => (big ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8])),
  ])
}

describe('the format', () => {
  test.each([
    ['run.txt', '{}', 'text'],
    ['run', '{}', 'text'],
    ['.hidden', '{}', 'text'],
    ['run.md', '{}', 'markdown'],
    ['RUN.MARKDOWN', '#', 'markdown'],
    ['run.log', '{}', 'log'],
    ['run.json', '{}', 'json'],
    ['run.jsonl', '{}\n\n{}', 'jsonl'],
    ['run.ndjson', '{}\r\n{}\r\n', 'jsonl'],
    ['run.jsonl', '', 'jsonl'],
    ['run.traj', '{"a":1}', 'json'],
    ['run.traj', '{"a":1}\n{"b":2}', 'jsonl'],
    ['run.traj', '{"a":1}\nnot json', 'text'],
    ['run.traj', '', 'text'],
    ['run.txt.weird', 'plain', 'text'],
  ] as const)('of %s with %j is %s', (name, text, format) => {
    expect(readIntake(name, bytesOf(text), 'fail').format).toBe(format)
  })
})

describe('the text', () => {
  test.each([
    ['UTF-8 with a mark', new Uint8Array([0xef, 0xbb, 0xbf, ...bytesOf('é')]), 'é', 'utf-8', 0],
    ['little-endian UTF-16', utf16('a\u00e9\n', [0xff, 0xfe]), 'aé\n', 'utf-16le', 0],
    ['big-endian UTF-16', utf16('a\u00e9\n', [0xfe, 0xff], true), 'aé\n', 'utf-16be', 0],
    ['a lone surrogate in UTF-16', utf16('a\ud800b', [0xff, 0xfe]), 'a\ufffdb', 'utf-16le', 1],
    ['a U+FFFD that was written', bytesOf('a\ufffdb'), 'a\ufffdb', 'utf-8', 0],
    [
      'invalid bytes beside a written U+FFFD',
      new Uint8Array([...bytesOf('abc\ufffdd'), 0xff, 0x65]),
      'abc\ufffdd\ufffde',
      'utf-8',
      1,
    ],
    ['stray NULs', new Uint8Array([0x61, 0, 0, 0, 0, 0, 0x62]), 'a\u0000\u0000\u0000\u0000\u0000b', 'utf-8', 0],
  ] as const)('of %s is read', (_, bytes, text, encoding, replacements) => {
    expect(readIntake('run.log', bytes, 'fail')).toMatchObject({ text, encoding, replacements })
  })
})

describe('is refused:', () => {
  test.each([
    ['an image', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a])],
    ['an archive', new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x14, 0])],
    ['a program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1])],
    ['noise', Uint8Array.from({ length: 500 }, (_, i) => (i * 167 + 91) & 255)],
    ['nothing but NULs', new Uint8Array(64)],
  ])('%s', (_, bytes) => {
    for (const name of ['run.log', 'run.json', 'run'])
      expect(() => readIntake(name, bytes, 'text')).toThrow(expect.objectContaining({ code: 'unsupported_format' }))
  })

  test.each([
    ['run.json', '', 1],
    ['run.json', '{\n"a": 1,\n}', 3],
    ['run.json', '{"a":1} {"b":2}', 1],
    ['run.json', '{"a":\n"unclosed', 2],
    ['run.jsonl', '{}\n{"a":1}{"b":2}\n', 2],
    ['run.jsonl', '{}\n\n{"torn":"li', 3],
    ['run.jsonl', '{}\n{"a":\n1}\n', 2],
    ['run.jsonl', `{"a":"\u0001"}\n`, 1],
  ])('%s with %j, naming line %d, unless it is to be read as text', (name, text, line) => {
    expect(() => readIntake(name, bytesOf(text), 'fail')).toThrow(
      expect.objectContaining({ code: 'malformed_input', details: { line } }),
    )
    expect(readIntake(name, bytesOf(text), 'text')).toMatchObject({ format: 'text', text })
  })

  test('JSON with invalid bytes, naming the line of the first', () => {
    const bytes = new Uint8Array([...bytesOf('{"a":\n"'), 0xe9, ...bytesOf('",\n"b":"'), 0xff, ...bytesOf('"}')])
    expect(() => readIntake('run.json', bytes, 'fail')).toThrow(expect.objectContaining({ details: { line: 2 } }))
  })
})
