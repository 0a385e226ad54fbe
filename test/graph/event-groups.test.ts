import { describe, expect, test } from 'bun:test'
import { groupTexts, TextLikeness } from '../../src/graph/event-groups.ts'

const groupsOf = (...texts: readonly string[]) =>
  groupTexts(texts.map((text, at) => ({ id: String(at), text }))).map(({ members }) =>
    members.map(({ text }) => text.id),
  )

describe('texts say the same', () => {
  test.each([
    ['word for word', 'The build fails', 'The build fails'],
    ['in other letters and with other blanks', 'The  build fails.', 'the build\nfails.'],
    ['with another full stop', 'The upload is tried again after a minute.', 'The upload is tried again after a minute'],
    [
      'in another inflection',
      'uploads are retried by the worker at night',
      'uploads are retried by the workers at night',
    ],
    ['in Chinese', '缓存目录不存在时构建失败', '缓存目录不存在时构建失败'],
  ])('%s', (_, a, b) => {
    expect(groupsOf(a, b)).toEqual([['0', '1']])
  })

  test.each([
    ['with another number', 'retry the upload 3 times and then give up', 'retry the upload 5 times and then give up'],
    [
      'with a not',
      'the nightly build of the docs is cached by default',
      'the nightly build of the docs is not cached by default',
    ],
    [
      "with an isn't",
      'the nightly build of the docs is cached by default',
      "the nightly build of the docs isn't cached by default",
    ],
    ['the other way round', 'start the database before the server', 'start the server before the database'],
    ['with the other outcome', 'all tests of the parser pass today', 'all tests of the parser fail today'],
    ['about something else', 'the build fails', 'the deploy is slow'],
  ])('but not %s', (_, a, b) => {
    expect(groupsOf(a, b)).toEqual([['0'], ['1']])
  })

  test('each in the group of the nearest before it, in their order', () => {
    const text = 'the release notes are written by hand before each release'
    expect(groupsOf(text, 'something else', `${text}.`, text, 'something else')).toEqual([
      ['0', '2', '3'],
      ['1', '4'],
    ])
  })

  test('with likeness 1 only where nothing but letters and blanks differ', () => {
    const [group] = groupTexts([
      { id: 'a', text: 'uploads are retried by the worker at night' },
      { id: 'b', text: 'Uploads are  retried by the worker at night' },
      { id: 'c', text: 'uploads are retried by a worker at night' },
    ])
    const likeness = group?.members.map((member) => member.likeness) ?? []
    expect(likeness.slice(0, 2)).toEqual([1, 1])
    for (const near of likeness.slice(2)) expect(near).toBeLessThan(1)
  })
})

test('a text is like those that it shares most words with, and not like those that it shares none with', () => {
  const texts = new TextLikeness([
    { id: 'uploads', text: 'uploads are retried twice' },
    { id: 'retries', text: 'retries of uploads wait a minute' },
    { id: 'weather', text: 'it rains' },
  ])
  expect(texts.alike('are uploads retried twice', 3)).toEqual(['uploads', 'retries'])
  expect(texts.alike('are uploads retried twice', 1)).toEqual(['uploads'])
  expect(texts.alike('', 3)).toEqual([])
})
