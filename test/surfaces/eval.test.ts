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
        'without an embedder keywords alone are measured; to measure vectors and the fusion too, set EMBEDDING_BACKEND=builtin (where the program has vectors inside), or =openai with EMBEDDING_MODEL_NAME and EMBEDDING_BASE_URL (default: https://api.openai.com/v1)',
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
  /*
   * The ranks of the relevant documents, by hand. Keywords take inflections for one word and prefer short texts; the fake
   * embedder sees whole words alone, and gives d1 and d2 nothing in common with q1, so that they follow d3 by their ids.
   * q1, d3:     keywords 3 (behind d1, d2), vectors 1, fused 2: with weight 0.4 d1 has 0.4/62 + 0.6/61 = 0.01629,
   *             d3 0.4/61 + 0.6/63 = 0.01608, d2 0.4/63 + 0.6/62 = 0.01603.
   * q2, d4, d5: 1 and 2 in every leg.
   * With L = 1/log2(3) = 0.6309, q1 gives nDCG 1/2, 1 and L, reciprocal ranks 1/3, 1 and 1/2; q2 gives nDCG 1 and graded
   * (1 + 3 L) / (3 + L) = 0.7967. Of two queries a mean in 40 lies at either end, so the interval is that of both gains.
   */
  const records = [
    doc('d1', 'run'),
    doc('d2', 'runs slowly'),
    doc('d3', 'running long trails across distant mountain valleys'),
    doc('d4', 'cache'),
    doc('d5', 'cache full of packages'),
    doc('d6', 'nothing'),
    query('q1', 'running'),
    query('q2', 'cache'),
    qrel('q1', 'd3', 1),
    qrel('q2', 'd4', 1),
    qrel('q2', 'd5', 2),
  ]
  const found = { recall_at_10: 1, recall_at_100: 1 }
  const legs = {
    keyword: { ndcg_at_10: 0.75, graded_ndcg_at_10: 0.6484, ...found, mrr_at_10: 0.6667 },
    vector: { ndcg_at_10: 1, graded_ndcg_at_10: 0.8984, ...found, mrr_at_10: 1 },
    fused: { ndcg_at_10: 0.8155, graded_ndcg_at_10: 0.7138, ...found, mrr_at_10: 0.75 },
  }

  beforeEach(() => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    machine.files.write('/home/dev/set.jsonl', retrievalSet(records))
    machine.configure({ search: { vector_weight: 0.4 } })
  })

  test('tells every leg, how they were fused and by which model, and keeps no vector', async () => {
    const before = machine.files.tree()
    const { exit, out, error } = await run(['eval', 'set.jsonl', '--json'])
    const none = { mean: 0, low: 0, high: 0 }
    expect(JSON.parse(out)).toEqual({
      documents: 6,
      queries: 2,
      judgements: 3,
      queries_without_judgement: 0,
      legs,
      fused_minus_keyword: {
        ndcg_at_10: { mean: 0.0655, low: 0, high: 0.1309 },
        graded_ndcg_at_10: { mean: 0.0655, low: 0, high: 0.1309 },
        recall_at_10: none,
        recall_at_100: none,
        mrr_at_10: { mean: 0.0833, low: 0, high: 0.1667 },
      },
      fusion: 'rrf',
      vector_weight: 0.4,
      embedding_model: 'words',
      refused: 0,
      queries_refused: 0,
      queries_vague: 0,
      divided: 0,
    })
    expect({ exit, error }).toEqual({ exit: 0, error: 'knowhow: embedding: 7 of 7 texts\n' })
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
        '6 documents, 2 queries, 3 judgements',
        '',
        'leg      nDCG@10  graded nDCG@10  recall@10  recall@100  MRR@10',
        'keyword   0.7500          0.6484     1.0000      1.0000  0.6667',
        'vector    1.0000          0.8984     1.0000      1.0000  1.0000',
        'fused     0.8155          0.7138     1.0000      1.0000  0.7500',
        'gain     +0.0655         +0.0655     0.0000      0.0000  +0.0833',
        '  from    0.0000          0.0000     0.0000      0.0000  0.0000',
        '  to     +0.1309         +0.1309     0.0000      0.0000  +0.1667',
        '',
        'gain: fused minus keyword, with its 95 % interval by paired bootstrap over the queries',
        'fusion rrf, vector weight 0.4, vectors by words',
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
