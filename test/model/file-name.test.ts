import { expect, test } from 'bun:test'
import { FILE_NAME_BYTES_MAX, fileNameFault, numberedName } from '../../src/model/file-name.ts'

test('a number goes before the last extension, and never makes a name too long for a file', () => {
  expect(numberedName('run.jsonl', 2)).toBe('run-2.jsonl')
  expect(numberedName('run.tar.gz', 12)).toBe('run.tar-12.gz')
  expect(numberedName('.hidden', 2)).toBe('.hidden-2')
  expect(numberedName('plain', 3)).toBe('plain-3')
  for (const stem of ['x'.repeat(196), 'é'.repeat(98), '😀'.repeat(49)]) {
    const name = numberedName(`${stem}.log`, 10)
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(FILE_NAME_BYTES_MAX)
    expect(fileNameFault(name)).toBeNull()
    expect(name).toMatch(/-10\.log$/)
  }
})
