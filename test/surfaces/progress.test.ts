import { expect, test } from 'bun:test'
import { progressLine } from '../../src/surfaces/progress.ts'

const STEP = { requestId: 'a1', segmentNumber: 2, segmentCount: 3, tokens: 12_435, requests: 0, experiences: 0 }

test('a segment without a model is read: no counts that are always 0', () => {
  expect(progressLine(STEP)).toBe('import a1: segment 2 of 3 read, 12,435 tokens')
})

test('a segment with a model tells its calls and what they wrote', () => {
  expect(progressLine({ ...STEP, segmentCount: null, requests: 4, experiences: 1 })).toBe(
    'import a1: segment 2 done, 12,435 tokens, 4 model calls, 1 write',
  )
  expect(progressLine({ ...STEP, requests: 1, experiences: 2 })).toEndWith('1 model call, 2 writes')
})

test('embedding tells texts', () => {
  expect(progressLine({ textsDone: 1_024, textsOwed: 20_000 })).toBe('embedding: 1,024 of 20,000 texts')
})
