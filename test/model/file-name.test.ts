import { describe, expect, test } from 'bun:test'
import { experienceNameFault } from '../../src/model/experience.ts'
import { FILE_NAME_BYTES_MAX, fileNameFault, foldedName, numberedName } from '../../src/model/file-name.ts'

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

describe('a file name', () => {
  test.each([
    'CON',
    'con.txt',
    'nul .txt',
    'COM1.log',
    'lpt9',
    'a:b',
    'a/b',
    'a\\b',
    'a?',
    'run.',
    'run ',
    ' run',
    '..',
    '',
    'a\u0001',
    '.git',
    '.gitattributes',
    '.GitIgnore',
    '.g\u200cit',
    '\ufeff.git',
    'git~1',
    'GIT~2.x',
    '.know\u200dhow-abc.tmp',
    '.knowhow-abc.tmp',
    '\ud800',
    'x'.repeat(201),
  ])('%j is refused everywhere', (name) => {
    expect(fileNameFault(name)).not.toBeNull()
  })

  test.each([
    'run.jsonl',
    'console.log',
    'com10.txt',
    'nul-bytes.log',
    '1_All Tests (Linux).txt',
    '.hidden',
    'git~notes.log',
    'می\u200cخواهم.log',
    'ファイル.log',
  ])('%j is taken', (name) => {
    expect(fileNameFault(name)).toBeNull()
  })

  test.each([
    ['Run.log', 'run.LOG'],
    ['é', 'e\u0301'],
    ['σ.log', 'ς.log'],
    ['ſ.log', 's.log'],
    ['straße', 'STRASSE'],
    ['ﬁ.log', 'fi.log'],
    ['a\u200cb', 'ab'],
    ['K', '\u212a'],
  ])('%j and %j could be one file', (a, b) => {
    expect(foldedName(a)).toBe(foldedName(b))
  })
})

test('an experience cannot have the name of a device', () => {
  for (const name of ['con', 'nul', 'com1', 'aux']) expect(experienceNameFault(name)).not.toBeNull()
  expect(experienceNameFault('console')).toBeNull()
})
