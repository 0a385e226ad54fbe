import { beforeEach, describe, expect, test } from 'bun:test'
import { runCommand } from '../../src/surfaces/cli.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'
import { doc, qrel, query, retrievalSet } from '../fakes/retrieval-set.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
})

async function run(argv: readonly string[], signal = new AbortController().signal) {
  const told = { out: '', error: '' }
  const terminal = {
    out: (text: string) => {
      told.out += text
    },
    error: (text: string) => {
      told.error += text
    },
    takesColour: async () => false,
    signal,
  }
  const exit = await runCommand(argv, machine, terminal, '1.2.3')
  return { exit, ...told }
}

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
