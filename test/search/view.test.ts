import { describe, expect, test } from 'bun:test'
import { analyzeQuery } from '../../src/search/analyzer.ts'
import { IndexBuilder } from '../../src/search/index-builder.ts'
import { besideContents, type ViewContents } from '../../src/search/keyword-ranking.ts'
import { KeywordView } from '../../src/search/view.ts'
import { namesFor, SearchedWorkspace } from '../fakes/searched-workspace.ts'

type Texts = Readonly<Record<string, string>>

/** All texts in memory, without a base. */
function contentsOf(texts: Texts): ViewContents {
  const builder = new IndexBuilder()
  for (const text of Object.values(texts)) builder.add(text, '')
  const paths = Object.keys(texts)
  const pathOf = (slot: number) => paths[slot] ?? ''
  return { base: null, dead: new Uint8Array(), ...besideContents(builder.finish()), pathOf }
}

function viewOf(texts: Texts): KeywordView {
  return new KeywordView('when_to_use', contentsOf(texts))
}

const hitsFor = (view: KeywordView, query: string, limit = 200) =>
  view.search(query, limit).candidates.map(({ path, score }) => ({ path, score }))
const pathsFor = (view: KeywordView, query: string) => hitsFor(view, query).map(({ path }) => path)

/** What a process of its own finds: from the base that another wrote to the disk, and from a file beside it. */
function foundIn(texts: Texts, query: string): readonly string[] {
  const workspace = new SearchedWorkspace()
  for (const [name, text] of Object.entries(texts)) workspace.write(name, text)
  workspace.open(0).refresh()
  const fromBase = workspace.open()
  const found = namesFor(fromBase, query)
  expect(fromBase.facts).toMatchObject({ generation: 1, beside: 0 })
  for (const [name, text] of Object.entries(texts)) workspace.write(name, text, 'Edited.')
  const fromMemory = workspace.open()
  expect(namesFor(fromMemory, query)).toEqual(found)
  expect(fromMemory.facts.beside).toBe(Object.keys(texts).length)
  return found
}

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
    ['a file of a stack trace', 'loader.js', '    at Module._load (node:internal/modules/cjs/loader.js:1104:12)'],
    ['a method of a stack trace', 'Module._load', '    at Module._load (node:internal/modules/cjs/loader.js:1104:12)'],
    [
      'an exception by its last name',
      'NullPointerException',
      'java.lang.NullPointerException: at com.acme.Foo.bar(Foo.java:42)',
    ],
    ['a frame by class and method', 'Foo.bar', 'java.lang.NullPointerException: at com.acme.Foo.bar(Foo.java:42)'],
    ['a Python frame', 'settings.py', '  File "/srv/app/settings.py", line 12, in <module>'],
    ['an errno', 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['an address', '127.0.0.1', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['a hexadecimal code', '0x80070005', 'failed with 0x80070005 (access denied)'],
    ['French', 'problème réseau', 'Problèmes de réseau'],
    ['Spanish without its tilde', 'ano', 'el año pasado'],
    ['Polish', 'błąd', 'Błąd kompilacji'],
    ['Vietnamese', 'lỗi kết nối', 'Lỗi kết nối mạng'],
    ['Ukrainian', 'помилка', 'Помилка збірки'],
    ['full-width Latin', 'ＡＰＩ', 'the API answers'],
    ['a word within Chinese', 'Docker', '使用Docker部署服务'],
    ['a character outside the first plane beside others', '𠮷', '𠮷野家で検索'],
    ['a name of JavaScript itself', 'constructor __proto__', 'pollutes __proto__ of a constructor'],
  ])('%s', (_what, query, text) => {
    expect(foundIn({ hit: text, other: 'zzz' }, query)).toEqual(['hit'])
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
    ['another Chinese word of the same characters', '库存', '存库房'],
    ['another Russian word with the same root', 'сборщик', 'сборка'],
    ['another flag', '--verbose', 'pass --version'],
    ['another error code', 'E0309', 'E0308'],
    ['another line of the same file', 'Foo.java:43x', 'Bar.kt:42'],
    ['anything, with punctuation alone', '?! — ...', 'what?! — yes...'],
  ])('%s', (_what, query, text) => {
    expect(foundIn({ miss: text, other: 'zzz' }, query)).toEqual([])
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
    const hits = hitsFor(view, 'blue red', 5)
    expect(hits.map(({ path }) => path)).toEqual(['a', 'b'])
    expect(hits[0]?.score).toBeCloseTo(scoreA, 12)
    expect(hits[1]?.score).toBeCloseTo(scoreB, 12)
    expect(view.search('blue red', 1).upperBound).toBeCloseTo(2.2 * (red + blue), 12)
  })

  test('does not grow when the query repeats a word', () => {
    const view = viewOf({ a: 'red blue', b: 'green' })
    expect(hitsFor(view, 'red red RED', 5)).toEqual(hitsFor(view, 'red', 5))
  })

  test('is equal for equal texts, which then stand by path in code unit order', () => {
    const view = viewOf({ b: 'red', Z: 'red', 'a-1': 'red', 'a.1': 'red', ä: 'red' })
    expect(pathsFor(view, 'red')).toEqual(['Z', 'a-1', 'a.1', 'b', 'ä'])
    expect(hitsFor(view, 'red', 2).map(({ path }) => path)).toEqual(['Z', 'a-1'])
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
  const [both, red, none] = [0, 1, 2]

  test('is 1 with every term and 0 with none', () => {
    const { coverageOf } = view.search('blue red', 5)
    expect([coverageOf(both), coverageOf(none)]).toEqual([1, 0])
  })

  test('is the share of IDF, terms that no text has included', () => {
    const redWeight = Math.log(1 + 1.5 / 2.5)
    const absent = Math.log(1 + 3.5 / 0.5)
    expect(view.search('red purple', 5).coverageOf(red)).toBeCloseTo(redWeight / (redWeight + absent), 12)
  })

  test('is 0 and not NaN for a query without terms', () => {
    const { upperBound, coverageOf } = view.search('...', 5)
    expect([upperBound, coverageOf(both)]).toEqual([0, 0])
    expect(analyzeQuery('...')).toEqual([])
  })
})

test('other contents are found by their words only', () => {
  const view = viewOf({ a: 'old words', b: 'others' })
  expect(pathsFor(view, 'old')).toEqual(['a'])
  view.show(contentsOf({ a: 'new text' }))
  expect(pathsFor(view, 'old others')).toEqual([])
  expect(pathsFor(view, 'new')).toEqual(['a'])
  expect(view.documentCount).toBe(1)
})

test('the best of many are the same as the first of all', () => {
  const texts = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, `red ${'blue '.repeat(n % 7)}`]))
  const view = viewOf(texts)
  expect(hitsFor(view, 'red blue', 10)).toEqual(hitsFor(view, 'red blue', 500).slice(0, 10))
})
