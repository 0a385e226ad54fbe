import { beforeEach, describe, expect, test } from 'bun:test'
import { LogWriter, readFirstLine, readLog } from '../../src/workspace/record-log.ts'
import { digest } from '../fakes/digest.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'

const path = '/w/log.jsonl'
const format = { name: 'test-log', version: 2 }
let files: MemoryFiles

beforeEach(() => {
  files = new MemoryFiles()
  files.makeFolder('/w')
})

function write(...records: readonly Record<string, unknown>[]): void {
  const before = readLog(files, digest, path, format)
  using writer = LogWriter.open({ files, digest, path, format, heading: { owner: 'me' }, before })
  for (const record of records) writer.append(record)
}

const read = () => readLog(files, digest, path, format)
const bytesOf = (name = path) => new TextEncoder().encode(files.text(name))

describe('a log', () => {
  test('gives back what was appended, in order, over several openings', () => {
    write({ kind: 'a', text: 'line\nend "quoted" ✓' })
    write({ kind: 'b' })
    expect(read()?.records).toEqual([{ kind: 'a', text: 'line\nend "quoted" ✓' }, { kind: 'b' }])
    expect(read()?.heading).toEqual({ format: 'test-log', version: 2, owner: 'me' })
  })

  test('is null while it does not exist', () => {
    expect(read()).toBeNull()
  })

  test('cut at any byte of its last record loses that record and no other', () => {
    write({ kind: 'a' })
    const before = bytesOf().length
    write({ kind: 'b', text: 'é' })
    const whole = bytesOf()
    for (let length = before; length < whole.length; length++) {
      files.write(path, whole.subarray(0, length))
      expect(read()?.records).toEqual([{ kind: 'a' }])
      expect(read()?.tornBytes).toBe(length - before)
    }
  })

  test('cut anywhere in its first line counts as not begun, and the next writer begins it', () => {
    write({ kind: 'a' })
    const whole = bytesOf()
    files.write(path, whole.subarray(0, 20))
    expect(read()).toBeNull()
    write({ kind: 'b' })
    expect(read()?.records).toEqual([{ kind: 'b' }])
  })

  test.each([
    ['to its end', (line: Uint8Array) => line.fill(0, 10, line.length - 1)],
    ['wholly', (line: Uint8Array) => line.fill(0)],
    ['from its start', (line: Uint8Array) => line.fill(0, 0, 10)],
  ])('takes a last line filled with NULs %s for torn', (_, spoil) => {
    write({ kind: 'a' })
    const before = bytesOf().length
    write({ kind: 'b', text: 'long enough to be spoilt' })
    const whole = bytesOf()
    spoil(whole.subarray(before))
    files.write(path, whole)
    expect(read()?.records).toEqual([{ kind: 'a' }])
  })

  test('has its torn tail cut off by the next writer', () => {
    write({ kind: 'a' })
    const whole = bytesOf()
    files.write(path, new Uint8Array([...whole, ...new TextEncoder().encode('{"kind":"half')]))
    write({ kind: 'b' })
    expect(read()?.records).toEqual([{ kind: 'a' }, { kind: 'b' }])
    expect(read()?.tornBytes).toBe(0)
  })

  test('with any byte of any whole line changed is corrupt, with file and line', () => {
    write({ kind: 'a' }, { kind: 'b' })
    const whole = bytesOf()
    for (let at = 0; at < whole.length; at++) {
      const spoilt = whole.slice()
      spoilt[at] = (spoilt[at] ?? 0) ^ 0x01
      files.write(path, spoilt)
      const line = files.text(path).slice(0, at).split('\n').length
      // The last line end gone leaves a torn line; the version in the heading may become one that is not known.
      if (at === whole.length - 1) expect(read()?.records).toEqual([{ kind: 'a' }])
      else if (line > 1 && whole[at] !== 0x0a)
        expect(read).toThrow(expect.objectContaining({ code: 'log_corrupt', details: { path, line } }))
      else expect(read).toThrow(expect.objectContaining({ code: expect.stringMatching(/log_corrupt|format_/) }))
    }
  })

  test('with a line that is no JSON is corrupt, though its sum is right', () => {
    write({ kind: 'a' })
    const lastSum = read()?.lastSum ?? ''
    const sum = digest.sha256(new TextEncoder().encode(`${lastSum}{"kind":}`)).slice(0, 16)
    files.write(path, `${files.text(path)}{"kind":,"sum":"${sum}"}\n`)
    expect(read).toThrow(expect.objectContaining({ code: 'log_corrupt', details: { path, line: 3 } }))
  })

  test('tells its first line though the line is damaged, and nothing when it is no object', () => {
    write({ kind: 'a' })
    files.write(path, files.text(path).replace('"owner":"me"', '"owner":"my"'))
    expect(read).toThrow(expect.objectContaining({ code: 'log_corrupt' }))
    expect(readFirstLine(files, path)).toMatchObject({ owner: 'my' })
    for (const text of ['', '{"owner":"me"}', '{"owner":\n', 'null\n', '7\n', '\n']) {
      files.write(path, text)
      expect(readFirstLine(files, path)).toBeNull()
    }
  })

  test('with a byte that is no UTF-8 is corrupt, with its line', () => {
    write({ kind: 'a' }, { kind: 'b' })
    const whole = bytesOf()
    whole[whole.length - 10] = 0xff
    files.write(path, whole)
    expect(read).toThrow(expect.objectContaining({ code: 'log_corrupt', details: { path, line: 3 } }))
  })

  test.each([
    ['removed', (lines: string[]) => lines.toSpliced(1, 1)],
    ['repeated', (lines: string[]) => lines.toSpliced(1, 0, lines[1] ?? '')],
    ['moved', (lines: string[]) => [lines[0] ?? '', lines[2] ?? '', lines[1] ?? '', ...lines.slice(3)]],
  ])('with a line %s is corrupt', (_, spoil) => {
    write({ kind: 'a' }, { kind: 'b' }, { kind: 'c' })
    files.write(path, spoil(files.text(path).split('\n')).join('\n'))
    expect(read).toThrow(expect.objectContaining({ code: 'log_corrupt' }))
  })

  for (const [what, change] of [
    ['removed', () => files.remove(path)],
    ['emptied', () => files.write(path, '')],
    [
      'replaced by its own bytes',
      () => {
        const bytes = bytesOf()
        files.remove(path)
        files.write(path, bytes)
      },
    ],
  ] as const)
    test(`that is ${what} while it is written acknowledges nothing more`, () => {
      using writer = LogWriter.open({ files, digest, path, format, heading: { owner: 'me' }, before: null })
      writer.append({ kind: 'a' })
      change()
      expect(() => writer.requireInPlace()).toThrow(/by somebody else/)
      expect(() => writer.append({ kind: 'b' })).toThrow(/by somebody else/)
      expect(() => writer.append({ kind: 'c' })).toThrow(/failed before/)
    })

  test('of a newer format is refused and left alone', () => {
    files.write(path, '{"format":"test-log","version":3,"sum":"whatever-that-means-then"}\n')
    const before = files.text(path)
    expect(() => write({ kind: 'a' })).toThrow(expect.objectContaining({ code: 'format_too_new' }))
    expect(files.text(path)).toBe(before)
  })

  test('of an older format is refused with what to do', () => {
    files.write(path, '{"format":"test-log","version":1,"sum":"0123456789abcdef"}\n')
    expect(read).toThrow(expect.objectContaining({ code: 'format_unsupported' }))
  })

  test('of another kind is corrupt', () => {
    files.write(path, '{"format":"other","version":2,"sum":"0123456789abcdef"}\n')
    expect(read).toThrow(expect.objectContaining({ code: 'log_corrupt' }))
  })
})
