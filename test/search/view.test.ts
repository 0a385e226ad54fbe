import { describe, expect, test } from 'bun:test'
import { KeywordView } from '../../src/search/view.ts'

function viewOf(texts: Readonly<Record<string, string>>): KeywordView {
  const view = new KeywordView('when_to_use')
  for (const [path, text] of Object.entries(texts)) view.set(path, text)
  return view
}

const pathsFor = (view: KeywordView, query: string) => view.rank(query, 200).map(({ path }) => path)

describe('a query hits', () => {
  test.each([
    ['an inflection', 'rebuild indexes', 'Rebuilding an index'],
    ['another inflection', 'failure retries', 'it failed; retry'],
    ['a plural', 'dependency', 'Dependencies cannot be resolved'],
    ['a word in capitals', 'timeout', 'TIMEOUT reached'],
    ['an identifier as it stands', 'foo_bar', 'call foo_bar() twice'],
    ['a part of a snake_case name', 'bar', 'call foo_bar() twice'],
    ['a part of a camelCase name', 'server', 'class HTTPServerPool'],
    ['a camelCase name typed in lower case', 'httpserver', 'class HTTPServer'],
    ['a flag by its name', 'flag', 'pass --flag=3'],
    ['a flag with its hyphens', '--flag', 'pass `--flag`'],
    ['a short flag', '-x', 'run it with -x'],
    ['an error code', 'E0308', 'error[E0308]: mismatched types'],
    ['an error code in lower case', 'e0308', 'error[E0308]: mismatched types'],
    ['the digits of an error code', '404', 'HTTP404 from the proxy'],
    ['a path as it stands', 'src/a/b.ts', 'see src/a/b.ts:12'],
    ['a file name in a path', 'b.ts', 'see ./src/a/b.ts'],
    ['a folder in a path', 'src', 'see src/a/b.ts'],
    ['a version', '1.2.3', 'broken since v1.2.3'],
    ['a qualified name', 'Kind', 'use err::Kind here'],
    ['a dotted name', 'os.path', 'import os.path.join'],
    ['Chinese', '重建索引', '配置修改后需要重建索引'],
    ['a single Chinese character', '库', '数据库连接失败'],
    ['a rare ideograph', '𠮷野', '𠮷野家'],
    ['Japanese', '検索が遅い', 'データベースの検索が遅くなった'],
    ['katakana', 'データベース', 'データベースを再構築する'],
    ['half-width katakana', 'ﾃﾞｰﾀ', 'データを消す'],
    ['Korean with another particle', '데이터베이스가', '데이터베이스를 다시 만든다'],
    ['Russian', 'ошибка сборки', 'Ошибка сборки проекта'],
    ['ё written as е', 'елка', 'Ёлка'],
    ['Greek without accents', 'σφαλμα', 'Σφάλμα δικτύου'],
    ['Arabic without vowel points', 'خطأ', 'خَطَأ في الشبكة'],
    ['Hebrew', 'שגיאה', 'שגיאה ברשת'],
    ['Hindi', 'त्रुटि', 'नेटवर्क त्रुटि'],
    ['Thai without spaces', 'ฐานข้อมูล', 'เชื่อมต่อฐานข้อมูลไม่ได้'],
    ['accented Latin typed without accents', 'resume cafe', 'Résumé du café'],
    ['plain Latin typed with accents', 'naïve', 'a naive approach'],
    ['a decomposed accent', 'cafe\u0301', 'café'],
    ['a German sharp s', 'strasse', 'Straße gesperrt'],
    ['a possessive', 'user', 'the user’s home'],
    ['C++', 'c++', 'a C++ linker error'],
    ['stop words alone', 'to be', 'let it be'],
    ['a name of JavaScript itself', 'constructor __proto__', 'pollutes __proto__ of a constructor'],
  ])('%s', (_what, query, text) => {
    expect(pathsFor(viewOf({ hit: text, other: 'zzz' }), query)).toEqual(['hit'])
  })
})

describe('a query does not hit', () => {
  test.each([
    ['a word that it only begins', 'over', 'overflow'],
    ['a word that it only ends with', 'base', 'database'],
    ['the beginning of a part of an identifier', 'conf', 'parse_config'],
    ['the beginning of an error code', 'E03', 'E0308'],
    ['Chinese with one shared character', '数据', '数学'],
    ['Japanese with one shared character', '京都', '東京'],
    ['Japanese that only shares particles', '索引が遅い', '時計が青い'],
    ['Korean with one shared syllable', '검색', '검사'],
    ['another Cyrillic letter', 'мои', 'мой'],
    ['a long word with the same beginning', `${'x'.repeat(90)}a`, `${'x'.repeat(90)}b`],
    ['properties that every object has', 'constructor toString __proto__', 'nothing of the kind'],
    ['anything, with punctuation alone', '?! — ...', 'what?! — yes...'],
  ])('%s', (_what, query, text) => {
    expect(pathsFor(viewOf({ miss: text }), query)).toEqual([])
  })
})

describe('the score', () => {
  test('is BM25 with k1 1.2 and b 0.75, summed by hand', () => {
    const view = viewOf({ a: 'red red blue', b: 'red green', c: 'yellow' })
    // N = 3, average length 2. red: df 2, idf = ln(1 + 1.5 / 2.5); blue: df 1, idf = ln(1 + 2.5 / 1.5).
    const red = Math.log(1.6)
    const blue = Math.log(1 + 2.5 / 1.5)
    const normA = 1.2 * (0.25 + (0.75 * 3) / 2)
    const normB = 1.2 * (0.25 + (0.75 * 2) / 2)
    const scoreA = (red * 2 * 2.2) / (2 + normA) + (blue * 2.2) / (1 + normA)
    const scoreB = (red * 2.2) / (1 + normB)
    const hits = view.rank('blue red', 5)
    expect(hits.map(({ path }) => path)).toEqual(['a', 'b'])
    expect(hits[0]?.score).toBeCloseTo(scoreA, 12)
    expect(hits[1]?.score).toBeCloseTo(scoreB, 12)
    expect(view.weigh('blue red').upperBound).toBeCloseTo(2.2 * (red + blue), 12)
  })

  test('does not grow when the query repeats a word', () => {
    const view = viewOf({ a: 'red blue', b: 'green' })
    expect(view.rank('red red RED', 5)).toEqual(view.rank('red', 5))
  })

  test('is equal for equal texts, which then stand by path in code unit order', () => {
    const view = viewOf({ b: 'red', Z: 'red', 'a-1': 'red', 'a.1': 'red', ä: 'red' })
    expect(pathsFor(view, 'red')).toEqual(['Z', 'a-1', 'a.1', 'b', 'ä'])
    expect(view.rank('red', 2).map(({ path }) => path)).toEqual(['Z', 'a-1'])
  })

  test('puts the flag itself before a longer one that begins like it', () => {
    const view = viewOf({ longer: 'push --force-with-lease', exact: 'push --force to it' })
    expect(pathsFor(view, '--force')).toEqual(['exact', 'longer'])
  })

  test('puts the exact identifier before its parts', () => {
    const view = viewOf({ parts: 'parse the config file', whole: 'call parse_config here' })
    expect(pathsFor(view, 'parse_config')).toEqual(['whole', 'parts'])
  })
})

describe('coverage', () => {
  const view = viewOf({ both: 'red blue', red: 'red', none: 'green' })

  test('is 1 with every term, 0 with none, and 0 for an unknown path', () => {
    const weight = view.weigh('blue red')
    expect([weight.coverageOf('both'), weight.coverageOf('none'), weight.coverageOf('unknown')]).toEqual([1, 0, 0])
  })

  test('is the share of IDF, terms that no text has included', () => {
    const red = Math.log(1 + 1.5 / 2.5)
    const absent = Math.log(1 + 3.5 / 0.5)
    expect(view.weigh('red purple').coverageOf('red')).toBeCloseTo(red / (red + absent), 12)
  })

  test('is 0 and not NaN for a query without terms', () => {
    expect(view.weigh('...')).toMatchObject({ upperBound: 0 })
    expect(view.weigh('...').coverageOf('red')).toBe(0)
  })
})

test('an updated text is found by its new words only, a removed one not at all', () => {
  const view = viewOf({ a: 'old words', b: 'others' })
  view.set('a', 'new text')
  expect(pathsFor(view, 'old')).toEqual([])
  expect(pathsFor(view, 'new')).toEqual(['a'])
  view.remove('a')
  view.remove('a')
  expect(pathsFor(view, 'new')).toEqual([])
  expect(view.size).toBe(1)
})

test('the best of many are the same as the first of all', () => {
  const view = new KeywordView('when_to_use')
  for (let n = 0; n < 500; n += 1) view.set(`p${n}`, `red ${'blue '.repeat(n % 7)}`)
  expect(view.rank('red blue', 10)).toEqual(view.rank('red blue', 500).slice(0, 10))
})
