import { describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import { readRetrievalSet } from '../../src/search/retrieval-set.ts'
import { doc, qrel, query, retrievalSet } from '../fakes/retrieval-set.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const read = (...records: readonly unknown[]) => readRetrievalSet(bytesOf(retrievalSet(records)), 'set.jsonl')

describe('a retrieval set', () => {
  const records = [doc('d1', 'one'), doc('d2', ''), query('q1', 'ask'), qrel('q1', 'd1', 3), qrel('q1', 'd2', 0)]

  test('is the same in any order of its lines', () => {
    const set = read(...records)
    expect(set).toEqual({
      documents: new Map([
        ['d1', 'one'],
        ['d2', ''],
      ]),
      queries: [
        {
          text: 'ask',
          grades: new Map([
            ['d1', 3],
            ['d2', 0],
          ]),
        },
      ],
      unjudgedCount: 0,
      judgementCount: 2,
    })
    expect(read(...records.toReversed())).toEqual(set)
  })

  test('may have fields of its own, blank lines, a byte order mark, CRLF and no last line end', () => {
    const own = records.map((record) => ({ ...record, title: 'x' }))
    const text = `\ufeff${retrievalSet(own).replaceAll('\n', '\r\n\r\n').trimEnd()}`
    expect(readRetrievalSet(bytesOf(text), 'set.jsonl')).toEqual(read(...records))
  })

  test('may use one id for a document and a query, and names that every object has', () => {
    const set = read(doc('__proto__', 'one'), query('__proto__', 'ask'), qrel('__proto__', '__proto__', 1))
    expect(set.queries).toEqual([{ text: 'ask', grades: new Map([['__proto__', 1]]) }])
  })

  test('leaves out and counts the queries without a relevant document', () => {
    const set = read(...records, query('q2', 'no line'), query('q3', 'grade 0'), qrel('q3', 'd1', 0))
    expect(set).toMatchObject({ queries: [{ text: 'ask' }], unjudgedCount: 2, judgementCount: 3 })
  })
})

function faultOf(bytes: Uint8Array): MemoryError {
  try {
    readRetrievalSet(bytes, 'set.jsonl')
  } catch (error) {
    if (error instanceof MemoryError) return error
    throw error
  }
  throw new Error('it was read')
}

describe('a line is refused', () => {
  const before = retrievalSet([doc('d1', 'one'), query('q1', 'ask'), qrel('q1', 'd1', 1)])

  test.each([
    ['that is not JSON', '{"kind":', '"{\\"kind\\":" is not JSON; write one JSON object a line'],
    ['that is a text', '"doc"', 'takes a JSON object with kind doc, query or qrel, not "doc"'],
    ['that is a list', '[1]', 'the field kind is missing; doc and query take kind, id and text, qrel takes'],
    ['that is null', 'null', 'takes a JSON object with kind doc, query or qrel, not null'],
    ['without a kind', '{"id":"d2","text":"x"}', 'the field kind is missing; doc and query take'],
    ['of an unknown kind', '{"kind":"document"}', 'kind takes doc, query or qrel, not "document"'],
    ['without a text', '{"kind":"doc","id":"d2"}', 'the field text is missing; doc and query take'],
    ['with a text that is none', '{"kind":"doc","id":"d2","text":7}', 'text takes a text, not 7'],
    ['with a number as id', '{"kind":"doc","id":2,"text":"x"}', 'id takes a text that is not empty, not 2'],
    ['with an empty id', '{"kind":"query","id":"","text":"x"}', 'id takes a text that is not empty, not ""'],
    ['that asks nothing', '{"kind":"query","id":"q2","text":" "}', 'text takes a text that is not empty, not " "'],
    ['that repeats a doc', JSON.stringify(doc('d1', 'two')), 'the doc "d1" stands in line 1 already; keep one'],
    ['that repeats a query', JSON.stringify(query('q1', 'x')), 'the query "q1" stands in line 2 already; keep one'],
    [
      'that judges a pair again',
      JSON.stringify(qrel('q1', 'd1', 2)),
      'query "q1" and doc "d1" are judged in an earlier',
    ],
    ['with an unknown query', JSON.stringify(qrel('q9', 'd1', 1)), 'there is no query "q9"; add its line or leave'],
    ['with an unknown doc', JSON.stringify(qrel('q1', 'd9', 1)), 'there is no doc "d9"; add its line or leave'],
    ['with a negative grade', JSON.stringify(qrel('q1', 'd1', -1)), 'grade takes a whole number from 0 to 100, not -1'],
    ['with a broken grade', JSON.stringify(qrel('q1', 'd1', 1.5)), 'grade takes a whole number from 0 to 100, not 1.5'],
    ['with a huge grade', JSON.stringify(qrel('q1', 'd1', 101)), 'grade takes a whole number from 0 to 100, not 101'],
    [
      'with a grade in quotes',
      '{"kind":"qrel","query":"q1","doc":"d1","grade":"1"}',
      'grade takes a whole number from 0 to 100, not "1"',
    ],
  ])('%s', (_, line, message) => {
    const fault = faultOf(bytesOf(`${before}\n${line}\n${retrievalSet([doc('d8', 'after')])}`))
    expect(fault).toMatchObject({ code: 'malformed_input', resumable: false, details: { path: 'set.jsonl', line: 5 } })
    expect(fault.message).toStartWith(`set.jsonl, line 5: ${message}`)
  })

  test('that is not UTF-8', () => {
    const latin1 = [...bytesOf(before), 0x22, 0xe9, 0x22, 0x0a]
    const fault = faultOf(Uint8Array.from(latin1))
    expect(fault).toMatchObject({ code: 'malformed_input', details: { line: 4 } })
    expect(fault.message).toContain('is not UTF-8; save the file in UTF-8')
  })

  test('and its value is shown in part when it is long', () => {
    expect(faultOf(bytesOf(`{${'x'.repeat(10_000)}`)).message.length).toBeLessThan(200)
    expect(faultOf(bytesOf(`{"kind":"${'x'.repeat(10_000)}"}`)).message.length).toBeLessThan(200)
  })
})

describe('a file is refused', () => {
  test.each([
    ['that is empty', '', 'set.jsonl has no query; add lines such as {"kind":"query"'],
    ['without queries', retrievalSet([doc('d1', 'one')]), 'set.jsonl has no query'],
    ['without judgements', retrievalSet([query('q1', 'ask')]), 'set.jsonl judges no document relevant to any of its'],
    [
      'with judgements of grade 0 alone',
      retrievalSet([doc('d1', 'one'), query('q1', 'ask'), qrel('q1', 'd1', 0)]),
      'set.jsonl judges no document relevant to any of its queries (1); add lines such as {"kind":"qrel"',
    ],
  ])('%s', (_, text, message) => {
    const fault = faultOf(bytesOf(text))
    expect(fault).toMatchObject({ code: 'malformed_input', resumable: false })
    expect(fault.message).toStartWith(message)
  })
})
