import { describe, expect, test } from 'bun:test'
import { groupTexts } from '../../src/graph/same-texts.ts'

const groupsOf = (...texts: readonly string[]) =>
  groupTexts(
    [],
    texts.map((text, at) => ({ id: String(at), text })),
  ).map(({ members }) => members.map(({ text }) => text.id))

describe('texts say the same', () => {
  test.each([
    ['word for word', 'The build fails', 'The build fails'],
    ['in other letters and with other blanks', 'The  build fails.', 'the build\nfails.'],
    ['with another full stop', 'The upload is tried again after a minute.', 'The upload is tried again after a minute'],
    ["with another apostrophe in a can't", "the docs can't be cached", 'the docs can’t be cached'],
    [
      'in another inflection',
      'uploads are retried by the worker at night',
      'uploads are retried by the workers at night',
    ],
    ['in Chinese', '缓存目录不存在时构建失败', '缓存目录不存在时构建失败'],
  ])('%s', (_, a, b) => {
    expect(groupsOf(a, b)).toEqual([['0', '1']])
  })

  const long = 'uploads to the store are retried by the worker at night until they are through'

  test.each(['password', 'passage', 'failover', 'failsafe', 'can'])('also where one has the word %s more', (word) => {
    expect(groupsOf(long, `${word} ${long}`)).toEqual([['0', '1']])
  })

  test.each(['not', 'never', 'unable', 'cannot', "mustn't", 'failures', 'passing'])(
    'but not where one has the word %s more',
    (word) => {
      expect(groupsOf(long, `${word} ${long}`)).toEqual([['0'], ['1']])
    },
  )

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
    ['with a can’t', 'the nightly build of the docs can be cached', 'the nightly build of the docs can’t be cached'],

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

  test('the more similar, the less differs', () => {
    const [group] = groupTexts(
      [],
      [
        { id: 'lead', text: 'uploads to the store are retried by the worker at night until they are through' },
        { id: 'same', text: 'Uploads to the store  are retried by the worker at night until they are through' },
        { id: 'near', text: 'all uploads to the store are retried by the worker at night until they are through' },
      ],
    )
    expect(group?.members.map(({ text }) => text.id)).toEqual(['lead', 'same', 'near'])
    const [lead = 0, same = 0, near = 0] = group?.members.map(({ similarity }) => similarity) ?? []
    expect([lead, same]).toEqual([1, 1])
    expect(near).toBeGreaterThan(0.9)
    expect(near).toBeLessThan(1)
  })

  test('as what is known, of which each stays by itself: the same text before one that is near', () => {
    const known = [
      'all uploads to the store are retried at night by the worker',
      'uploads to the store are retried at night by the worker',
    ]
    const groups = groupTexts(
      known.map((text, at) => ({ id: `known ${at}`, text })),
      [{ id: 'event', text: 'Uploads to the store are retried at night by the worker' }],
    )
    expect(groups.map(({ lead, members }) => [lead.id, members.map(({ text }) => text.id)])).toEqual([
      ['known 0', []],
      ['known 1', ['event']],
    ])
  })
})
