import { describe, expect, test } from 'bun:test'
import { analyzeDocument, analyzeQuery } from '../../src/search/analyzer.ts'
import { TERM_UNITS_MAX } from '../../src/search/word-term.ts'

describe('the terms of a document', () => {
  test.each([
    ['foo_bar', 'foo_bar foo bar'],
    ['fooBar', 'foobar foo bar'],
    ['HTTPServer', 'httpserver http server'],
    ['URLs', 'url'],
    ['__proto__', '__proto__ proto'],
    ['--dry-run', 'dry run --dry-run'],
    ['-x', 'x -x'],
    ['E0308', 'e0308 0308'],
    ['src/a/b.ts', 'src/a/b.ts src a b.ts b ts'],
    ['v1.2.3', 'v1.2.3 1.2.3 v1 2 3'],
    ['err::Kind', 'err::kind err kind'],
    ['a.b.c', 'a.b.c a b c'],
    ['C:\\Temp\\x.log', 'c temp\\x.log temp x.log x log'],
    ['https://example.org/a', 'http example.org/a example.org exampl org a'],
    ['C++ and C#', 'c c++ and c c#'],
    ["user's don't", 'user don'],
    ['boundary-layer', 'boundari layer'],
    ['one---two', 'on two'],
    ['检索', '检 索 检索'],
    ['検索が遅い', '検 索 検索 が 遅 い'],
    ['データ', 'デ ー デー タ ータ'],
    ['검색을', '검 색 검색 을 색을'],
    ['ﬁle Ｆｕｌｌ', 'file full'],
    ['naïve Łódź Straße Ёлка Αθήνα', 'naiv lodz strass елка αθηνα'],
    ['co\u00adope\u00adrate', 'cooper'],
  ])('%s are %s', (text, terms) => {
    expect(analyzeDocument(text).terms.join(' ')).toBe(terms)
  })

  test.each([
    ['a colour', '\u001b[31merror\u001b[0m', 'error'],
    ['a bold colour', '\u001b[1;32mpassed', 'pass'],
    ['a colour of many', '\u001b[38;5;9mone\u001b[Ktwo\u001b(B\u001b[m', 'on two'],
    ['a title', '\u001b]0;title\u0007error', 'error'],
    ['a link', '\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\s', 'link s'],
    ['a colour in other scripts', '\u001b[31mнет\u001b[0m\u001b[1m検索', 'нет 検 索 検索'],
    ['a colour inside a word', 'foo\u001b[1mbar_baz', 'foo bar_baz bar baz'],
    ['a title without an end', '\u001b]0;title\nerror', '0 titl error'],
    ['an escape before a word', '\u001bone \u001b[31', 'on 31'],
  ])('are those a terminal would show: %s', (_, text, terms) => {
    expect(analyzeDocument(text).terms.join(' ')).toBe(terms)
  })

  test('are none for punctuation, white space and emoji', () => {
    expect(analyzeDocument('— … !? -- () 🙂 \n\t ---').terms).toEqual([])
  })

  test('may be names of things that every JavaScript object has', () => {
    expect(analyzeDocument('constructor toString hasOwnProperty').terms).toContain('constructor')
    expect(analyzeQuery('__proto__')).toEqual(['__proto__', 'proto'])
  })

  test('are never longer than the cap, and two long words that differ late stay different', () => {
    const [first = '', second = ''] = analyzeDocument(`${'x'.repeat(100)}a ${'x'.repeat(100)}b`).terms
    expect(first).not.toBe(second)
    expect(first.length).toBeLessThanOrEqual(TERM_UNITS_MAX)
  })

  test('are one for a megabyte of base64 in one line', () => {
    expect(analyzeDocument(`${'aGVsbG8/Zm9vYmFy+'.repeat(60_000)}==`).terms).toHaveLength(1)
  })

  test('take no lone surrogate along', () => {
    for (const term of analyzeDocument(`\ud83d x\udc00y ${'\u{10330}'.repeat(80)}`).terms)
      expect(term.isWellFormed()).toBe(true)
  })
})

describe('a word is found by another form of it', () => {
  const isFoundBy = (word: string, query: string) => {
    const terms = analyzeDocument(word).terms
    return analyzeQuery(query).every((term) => terms.includes(term))
  }

  test.each([
    ['built', 'build builds building Built BUILD'],
    ['broken', 'break broke breaking'],
    ['ran', 'run running runs'],
    ['written', 'write wrote writing'],
    ['threw', 'throw thrown'],
    ['sent', 'send'],
    ['found', 'find finds'],
    ['lost', 'lose losing'],
    ['hung', 'hang hanging hangs'],
    ['went', 'go going goes gone'],
    ['tried', 'try trying tries'],
    ['added', 'add adds adding'],
    ['died', 'die dies dying'],
    ['queued', 'queue queues queueing queuing'],
    ['exceeded', 'exceed exceeds'],
    ['indices', 'index indexes'],
    ['children', 'child'],
    ['axes', 'axis'],
    ['analyses', 'analysis'],
    ['people', 'person persons'],
    ['statuses', 'status'],
    ['pre-built', 'build'],
    ['wasFound', 'find'],
    ['build_broken', 'break'],
  ])('%s by %s', (word, forms) => {
    for (const form of forms.split(' ')) {
      expect([form, isFoundBy(word, form)]).toEqual([form, true])
      if (/^[a-z]+$/.test(word)) expect([form, isFoundBy(form, word)]).toEqual([form, true])
    }
  })

  test.each([
    ['left', 'leave'],
    ['saw', 'see'],
    ['LED', 'lead'],
    ['bases', 'basis'],
    ['bits', 'bite'],
    ["won't", 'win'],
    ['foundation', 'find'],
    ['--built', '--build'],
  ])('but not %s by %s', (word, query) => {
    expect(isFoundBy(word, query)).toBe(false)
  })

  test('and stop words stay as they are', () => {
    expect(analyzeDocument('has had been done').terms).toEqual(['has', 'had', 'been', 'done'])
    expect(analyzeQuery('had it been built')).toEqual(['build'])
  })
})

describe('the length of a document', () => {
  test.each([
    ['rebuild the search index', 4],
    ['fooBar', 1],
    ['src/a/b.ts', 4],
    ['--dry-run', 2],
    ['検索が遅い', 5],
    ['', 0],
  ])('%s counts %d words', (text, length) => {
    expect(analyzeDocument(text).length).toBe(length)
  })
})

describe('the terms of a query', () => {
  test('are distinct and sorted', () => {
    expect(analyzeQuery('index search indexes INDEX')).toEqual(['index', 'search'])
  })

  test('leave stop words out beside better words', () => {
    expect(analyzeQuery('how to rebuild the index')).toEqual(['index', 'rebuild'])
    expect(analyzeQuery('索引の再構築')).toEqual(['再構', '構築', '索引'])
  })

  test('are the stop words when there is nothing else', () => {
    expect(analyzeQuery('to be or not to be')).toEqual(['be', 'not', 'or', 'to'])
    expect(analyzeQuery('が')).toEqual(['が'])
  })

  test('are pairs of characters, and a character only when it stands alone', () => {
    expect(analyzeQuery('数据库')).toEqual(['据库', '数据'])
    expect(analyzeQuery('库')).toEqual(['库'])
  })
})
