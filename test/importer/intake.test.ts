import { describe, expect, test } from 'bun:test'
import { readIntake } from '../../src/importer/intake/intake.ts'

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

  test('of big-endian UTF-16 in a Buffer is read without changing it', () => {
    const bytes = Buffer.from(utf16('a\u00e9\n', [0xfe, 0xff], true))
    const before = [...bytes]
    expect(readIntake('run.log', bytes, 'fail').text).toBe('aé\n')
    expect([...bytes]).toEqual(before)
  })
})

/** Printable ASCII, then bytes that no text holds. */
const binary = (start: string, rest: readonly number[]) => new Uint8Array([...bytesOf(start), ...rest])
const BZIP2_OF_A = [0x19, 0x93, 0x9b, 0x6b, 0, 0, 0, 1, 0, 0x20, 0, 0x20, 0, 0x21, 0x18, 0x46, 0x82, 0xee, 0x48, 0xa7]

describe('a text that only speaks like another format', () => {
  test.each([
    'BZh is how bzip2 archives begin',
    'BZh9 - level nine',
    'BZh91AY&SY is how bzip2 archives begin, café',
    'GIF8 was never a format',
    'GIF89a is the newer one\n',
    'GIF87a',
    '%PDF-1.7 is written first',
    '%PDF-1.7\n%äöüß and so on',
    'Rar! Sehr rar',
    'Rar!\u001a',
    'PK',
    'PK is the sign of Phil Katz',
    '7z x archive.7z',
    'SQLite format 3',
    '(/ and so on',
    'asm volatile',
    '\u0000asm volatile',
    `${'x'.repeat(257)}ustar is the sign of tar`,
    `${'x'.repeat(257)}ustar  and more`,
    `GIF89a is printed by a program whose log was torn${'\u0000'.repeat(9)}`,
    `BZh91AY&SY too${'\u0000'.repeat(9)}`,
  ])('is read: %j', (text) => {
    expect(readIntake('run.log', bytesOf(text), 'fail')).toMatchObject({ text, replacements: 0 })
  })
})

describe('is refused:', () => {
  test.each([
    ['a GIF of one pixel', binary('GIF89a', [1, 0, 1, 0, 0x80, 0, 0, 0xff, 0xff, 0xff])],
    ['a GIF of 2,570 pixels', binary('GIF87a', [0x0a, 0x0a, 0x0a, 0x0a, 0xf7, 0, 0])],
    ['a PDF with the usual comment', binary('%PDF-1.4\n%', [0xe2, 0xe3, 0xcf, 0xd3, 0x0a])],
    ['a PDF with a stream', binary('%PDF-1.7\r\n1 0 obj <<>> stream\n', [0x78, 0x9c, 0x01, 0x02])],
    ['a bzip2 archive', binary('BZh91AY&SY', BZIP2_OF_A)],
    ['an empty bzip2 archive', binary('BZh1', [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0])],
    ['a RAR archive', binary('Rar!', [0x1a, 0x07, 0x01, 0x00])],
    ['a POSIX tar archive', binary(`${'x'.repeat(257)}ustar`, [0, 0x30, 0x30])],
    ['a GNU tar archive', binary(`${'x'.repeat(257)}ustar  `, [0])],
    ['an SQLite database', binary('SQLite format 3', [0])],
    ['a WebAssembly module', binary('', [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])],
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

describe('UTF-16 with half a character at its end', () => {
  test.each([
    ['little-endian', [0xff, 0xfe], false],
    ['big-endian', [0xfe, 0xff], true],
  ])('is read to the end, %s', (_, mark, big) => {
    const bytes = new Uint8Array([...utf16('a\nb', mark, big), 0x00])
    expect(readIntake('run.log', bytes, 'fail')).toMatchObject({
      text: 'a\nb\ufffd',
      replacements: 1,
      firstInvalidLine: 2,
    })
    expect(() => readIntake('run.jsonl', bytes, 'fail')).toThrow(expect.objectContaining({ code: 'malformed_input' }))
    expect(() => readIntake('run.log', new Uint8Array([...mark, 0x61]), 'fail')).toThrow(
      expect.objectContaining({ code: 'unsupported_format' }),
    )
  })
})
