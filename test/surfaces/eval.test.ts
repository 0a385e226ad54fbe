import { beforeEach, describe, expect, test } from 'bun:test'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'
import { doc, qrel, query, retrievalSet } from '../fakes/retrieval-set.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
})

const run = (argv: readonly string[], signal?: AbortSignal) => runCaptured(argv, machine, signal)

describe('knowhow eval', () => {
  // "cache" finds d3 and d2, in this order: the shorter text first.
  const records = [
    doc('d1', 'Rebuild the search index'),
    doc('d2', 'Clear the cache of the package manager'),
    doc('d3', 'Clear the cache'),
    query('q1', 'index'),
    query('q2', 'cache'),
    query('q3', 'nobody judged this'),
    qrel('q1', 'd1', 2),
    qrel('q2', 'd2', 1),
  ]

  test('tells counts and rounded means, without a workspace and without making one', async () => {
    machine.files.write('/home/dev/set.jsonl', retrievalSet(records))
    const before = machine.files.tree()
    const { exit, out, error } = await run(['eval', 'set.jsonl', '--json'])
    // q1 is answered at rank 1, q2 at rank 2: nDCG (1 + 1/log2(3)) / 2, reciprocal rank (1 + 1/2) / 2.
    expect(JSON.parse(out)).toEqual({
      documents: 3,
      queries: 3,
      judgements: 2,
      queries_without_judgement: 1,
      legs: {
        keyword: {
          ndcg_at_10: 0.8155,
          graded_ndcg_at_10: 0.8155,
          recall_at_10: 1,
          recall_at_100: 1,
          mrr_at_10: 0.75,
        },
      },
      notice: expect.stringMatching(/without an embedder keywords alone.*EMBEDDING_MODEL_NAME and EMBEDDING_BASE_URL/),
    })
    expect({ exit, error }).toEqual({ exit: 0, error: '' })
    expect(machine.files.tree()).toEqual(before)
  })

  test('shows people a table', async () => {
    machine.files.write('/home/dev/set.jsonl', retrievalSet(records))
    expect((await run(['eval', 'set.jsonl'])).out).toBe(
      [
        '3 documents, 3 queries, 2 judgements',
        '',
        'leg      nDCG@10  graded nDCG@10  recall@10  recall@100  MRR@10',
        'keyword   0.8155          0.8155     1.0000      1.0000  0.7500',
        '',
        'left out, as no document is judged relevant to them: 1 query',
        '',
        'without an embedder keywords alone are measured; to measure vectors and the fusion too, set EMBEDDING_BACKEND=openai, EMBEDDING_MODEL_NAME and EMBEDDING_BASE_URL (default: https://api.openai.com/v1)',
        '',
      ].join('\n'),
    )
  })

  test.each([
    ['a missing file', ['eval', 'none.jsonl'], 'not_found', 1],
    ['a folder', ['eval', '/home/dev'], 'not_a_file', 1],
    ['a malformed file', ['eval', 'broken.jsonl'], 'malformed_input', 1],
    ['a file that is too large', ['eval', 'set.jsonl'], 'file_too_large', 1],
    ['no file', ['eval'], 'invalid_argument', 2],
  ])('refuses %s', async (_, argv, code, exit) => {
    machine.files.write('/home/dev/broken.jsonl', '{')
    machine.files.write('/home/dev/set.jsonl', retrievalSet(records))
    machine.files.write('/home/dev/small.json', '{"max_file_bytes":100}')
    const result = await run([...argv, '--json', '--config', 'small.json'])
    expect(result.exit).toBe(exit)
    expect(JSON.parse(result.out)).toMatchObject({ error: { code, resumable: false } })
  })

  test('stops when interrupted', async () => {
    machine.files.write('/home/dev/set.jsonl', retrievalSet(records))
    const interruption = new AbortController()
    interruption.abort()
    expect(await run(['eval', 'set.jsonl'], interruption.signal)).toMatchObject({ exit: 130, out: '' })
  })
})

describe('knowhow eval with an embedder', () => {
  // "swift fox" has no word of d1, and the fake embedder's vectors see words alone: it is nearest to d2.
  const records = [
    doc('d1', 'brown dog'),
    doc('d2', 'swift bird of the sea'),
    doc('d3', 'nothing'),
    query('q1', 'swift fox'),
    qrel('q1', 'd2', 1),
  ]
  const all = (value: number) => ({
    ndcg_at_10: value,
    graded_ndcg_at_10: value,
    recall_at_10: value,
    recall_at_100: value,
    mrr_at_10: value,
  })

  beforeEach(() => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    machine.files.write('/home/dev/set.jsonl', retrievalSet(records))
  })

  test('tells every leg, how they were fused and by which model, and keeps no vector', async () => {
    machine.configure({ search: { vector_weight: 0.4 } })
    const before = machine.files.tree()
    const { exit, out, error } = await run(['eval', 'set.jsonl', '--json'])
    const none = { mean: 0, low: 0, high: 0 }
    expect(JSON.parse(out)).toEqual({
      documents: 3,
      queries: 1,
      judgements: 1,
      queries_without_judgement: 0,
      legs: { keyword: all(1), vector: all(1), fused: all(1) },
      fused_minus_keyword: {
        ndcg_at_10: none,
        graded_ndcg_at_10: none,
        recall_at_10: none,
        recall_at_100: none,
        mrr_at_10: none,
      },
      fusion: 'rrf',
      vector_weight: 0.4,
      embedding_model: 'words',
      refused: 0,
      queries_refused: 0,
      divided: 0,
    })
    expect({ exit, error }).toEqual({ exit: 0, error: 'knowhow: embedding: 4 of 4 texts\n' })
    expect(machine.files.tree()).toEqual(before)
  })

  test('tells no weight where the fusion has none', async () => {
    machine.configure({ search: { fusion: 'score' } })
    const { out } = await run(['eval', 'set.jsonl', '--json'])
    expect(JSON.parse(out)).toMatchObject({ fusion: 'score', vector_weight: null })
  })

  test('shows people one table with a row a leg, and what has no vector', async () => {
    machine.embedder.refusal = (text) => (text === 'nothing' ? 'empty words' : null)
    const { out } = await run(['eval', 'set.jsonl', '--quiet'])
    expect(out).toBe(
      [
        '3 documents, 1 query, 1 judgement',
        '',
        'leg      nDCG@10  graded nDCG@10  recall@10  recall@100  MRR@10',
        'keyword   1.0000          1.0000     1.0000      1.0000  1.0000',
        'vector    1.0000          1.0000     1.0000      1.0000  1.0000',
        'fused     1.0000          1.0000     1.0000      1.0000  1.0000',
        'gain      0.0000          0.0000     0.0000      0.0000  0.0000',
        '  from    0.0000          0.0000     0.0000      0.0000  0.0000',
        '  to      0.0000          0.0000     0.0000      0.0000  0.0000',
        '',
        'gain: fused minus keyword, with its 95 % interval by paired bootstrap over the queries',
        'fusion rrf, vector weight 0.7, vectors by words',
        '1 document refused by the embedder: in no leg, as search leaves them out',
        '',
      ].join('\n'),
    )
  })

  test('an outage is embedder_unavailable, and nothing is half said', async () => {
    machine.embedder.outage = () => 'the server is away'
    const { exit, out } = await run(['eval', 'set.jsonl', '--json'])
    expect(exit).toBe(1)
    expect(JSON.parse(out)).toEqual({
      error: { code: 'embedder_unavailable', message: 'the server is away', resumable: true },
    })
  })
})
