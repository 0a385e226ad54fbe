import { describe, expect, test } from 'bun:test'
import { withMatchedWords } from '../../../src/surfaces/repl/matched-words.ts'

/** Marks as brackets. */
function marked(text: string, query: string): string {
  return withMatchedWords(text, query).replaceAll('\u001b[1;4m', '[').replaceAll('\u001b[0m', ']')
}

describe('the words of a query', () => {
  test.each([
    ['inflections', 'rebuild the index', 'Rebuilding indexes, and more', '[Rebuilding] [indexes], and more'],
    ['parts of a name', 'cache', 'the build-cache of src/cache/key.ts', 'the build-[cache] of src/[cache]/key.ts'],
    ['a whole name', 'src/a.ts', 'see src/a.ts', 'see [src/a.ts]'],
    ['a flag with its hyphens', '--force', 'use --force', 'use [--force]'],
    ['scripts without spaces', '検索', '全文検索の', '全文[検索]の'],
    ['words written in wide letters', 'api', 'ＡＰＩ key', '[ＡＰＩ] key'],
    ['no word that only holds one', 'cat', 'catalogue', 'catalogue'],
    ['nothing for stop words beside others', 'the cache', 'the cache', 'the [cache]'],
  ])('are marked: %s', (_, query, text, shown) => {
    expect(marked(text, query)).toBe(shown)
  })

  test('are marked within what is bold, which stays so', () => {
    const text = '\u001b[1ma cache b\u001b[0m'
    expect(withMatchedWords(text, 'cache')).toBe('\u001b[1ma \u001b[1;4mcache\u001b[0m\u001b[1m b\u001b[0m')
  })

  test('are not marked in what is faint: facts about a text are none of its words', () => {
    const text = '\u001b[2mprocedures/fit.json  fit 0.8\u001b[0m'
    expect(withMatchedWords(text, 'fit')).toBe(text)
  })
})
