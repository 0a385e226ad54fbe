import { describe, expect, test } from 'bun:test'
import { ProgressMeter, progressLine } from '../../src/surfaces/progress.ts'

const STEP = {
  requestId: 'a1',
  segmentNumber: 2,
  segmentCount: 3,
  share: 0.66,
  tokens: 12_435,
  requests: 0,
  experiences: 0,
}

test('a segment without a model is read: no counts that are always 0', () => {
  expect(progressLine(STEP, null)).toBe('import a1: segment 2 of 3 read, 12,435 tokens')
})

test('a segment with a model tells its calls and what they wrote', () => {
  expect(progressLine({ ...STEP, segmentCount: null, requests: 4, experiences: 1 }, null)).toBe(
    'import a1: segment 2, 66 % of the log done, 12,435 tokens, 4 model calls, 1 write',
  )
  expect(progressLine({ ...STEP, requests: 1, experiences: 2 }, null)).toEndWith('1 model call, 2 writes')
})

test('embedding tells texts', () => {
  expect(progressLine({ textsDone: 1_024, textsOwed: 20_000 }, null)).toBe('embedding: 1,024 of 20,000 texts')
})

describe('the meter', () => {
  const told = (isDrawn: boolean) => {
    const clock = { ms: 0, now: () => clock.ms }
    const texts: string[] = []
    const meter = new ProgressMeter({ write: (text) => texts.push(text), isDrawn, clock })
    return { clock, texts, meter }
  }
  const at = (segmentNumber: number, share: number) => ({ ...STEP, segmentNumber, segmentCount: null, share })

  test('tells the time that is left once it can be told', () => {
    const { clock, texts, meter } = told(false)
    meter.show(at(1, 0.1))
    clock.ms = 4_000
    meter.show(at(2, 0.2))
    clock.ms = 20_000
    meter.show(at(3, 0.5))
    clock.ms = 200_000
    meter.show(at(4, 0.6))
    expect(texts).toEqual([
      'knowhow: import a1: segment 1, 10 % of the log read, 12,435 tokens\n',
      'knowhow: import a1: segment 2, 20 % of the log read, 12,435 tokens\n',
      'knowhow: import a1: segment 3, 50 % of the log read, 12,435 tokens; 25 s left\n',
      'knowhow: import a1: segment 4, 60 % of the log read, 12,435 tokens; 3 min left\n',
    ])
  })

  test('begins anew with another import', () => {
    const { clock, texts, meter } = told(false)
    meter.show(at(1, 0.1))
    clock.ms = 60_000
    meter.show({ ...at(1, 0.5), requestId: 'b2' })
    expect(texts[1]).not.toContain('left')
  })

  const asked = { requestId: 'a1', segmentNumber: 2, share: 0.5, requests: 3, waitsFor: { model: 'qwen' } }

  test('shows which call of a model is waited for, and what is read without one', () => {
    const { texts, meter } = told(true)
    meter.show(asked)
    meter.clear()
    meter.show({ ...asked, share: 1, waitsFor: 'evidence' })
    expect(texts[0]).toBe('[##########----------] 50 % segment 2, call 3 of qwen')
    expect(texts[2]).toBe('[####################] 100 % segment 2, seeking evidence')
  })

  test('where lines stay, tells of the first call alone', () => {
    const { texts, meter } = told(false)
    meter.show(asked)
    meter.show({ ...asked, requests: 4 })
    meter.show(STEP)
    meter.show({ ...asked, segmentNumber: 3, requests: 5 })
    expect(texts).toEqual([
      'knowhow: import a1: segment 2, call 3 of qwen\n',
      'knowhow: import a1: segment 2 of 3 read, 12,435 tokens\n',
    ])
  })

  test('draws one line anew, within what a narrow terminal holds, and clears it for other words', () => {
    const { texts, meter } = told(true)
    meter.show(at(1, 0.25))
    meter.show({ textsDone: 3, textsOwed: 4 })
    meter.clear()
    meter.clear()
    expect(texts).toEqual([
      '[#####---------------] 25 % segment 1',
      '\r\u001b[K',
      '[###############-----] 75 % embedding',
      '\r\u001b[K',
    ])
    meter.show({ ...at(123_456, 1), requests: 1_000_000, requestId: 'c' })
    expect(texts.at(-1)?.length).toBeLessThan(60)
  })
})
