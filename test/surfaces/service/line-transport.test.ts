import { describe, expect, test } from 'bun:test'
import { PassThrough, Writable } from 'node:stream'
import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { LineTransport } from '../../../src/surfaces/service/line-transport.ts'
import { partsOfLine } from '../../../src/surfaces/service/message-line.ts'

const UNSETTLED_MAX = 64

/** What writes wait until the test lets them go; with `isOpen` they do not wait. */
class HeldOutput extends Writable {
  readonly lines: string[] = []
  isOpen = true
  #waiting: (() => void)[] = []

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.lines.push(chunk.toString().trim())
    if (this.isOpen) done()
    else this.#waiting.push(done)
  }

  open(): void {
    this.isOpen = true
    for (const done of this.#waiting.splice(0)) done()
  }
}

/** @param answers whether each request is answered at once */
async function stage({ answers = false } = {}) {
  const input = new PassThrough()
  const output = new HeldOutput()
  const transport = new LineTransport(input, output)
  const received: JSONRPCMessage[] = []
  const answer = (id: RequestId) => transport.send({ jsonrpc: '2.0', id, result: {} })
  const onmessage = (message: JSONRPCMessage) => {
    received.push(message)
    if (answers && isJSONRPCRequest(message)) void answer(message.id)
  }
  Object.assign(transport, { onmessage })
  await transport.start()
  const ask = (id: number, method = 'ping') => input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`)
  /** Streams hand on what is written to them in turns of their own. */
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const isSettled = () => Bun.peek.status(transport.settled) === 'fulfilled'
  return { input, output, transport, received, ask, answer, turns, isSettled }
}

describe('reading', () => {
  test('waits while too many requests are unanswered, and goes on when one is answered', async () => {
    const { received, ask, answer, turns } = await stage()
    for (let id = 0; id < 200; id++) {
      ask(id)
      await turns()
    }
    expect(received.length).toBe(UNSETTLED_MAX + 1)
    await answer(0)
    await turns()
    expect(received.length).toBeGreaterThan(UNSETTLED_MAX + 1)
  })

  test('waits while too many answers are unread', async () => {
    const { output, received, ask, turns } = await stage({ answers: true })
    output.isOpen = false
    for (let id = 0; id < 200; id++) {
      ask(id)
      await turns()
    }
    expect(received.length).toBe(UNSETTLED_MAX + 1)
    output.open()
    await turns()
    expect(received.length).toBe(200)
  })

  test('is no longer kept back by a request that is cancelled', async () => {
    const { input, received, ask, turns } = await stage()
    for (let id = 0; id <= UNSETTLED_MAX - 1; id++) ask(id)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }
    input.write(`${JSON.stringify(cancelled)}\n`)
    await turns()
    for (const id of [1000, 1001]) {
      ask(id)
      await turns()
    }
    expect(received.map((message) => 'id' in message && message.id)).toContain(1001)
  })
})

describe('the end', () => {
  test('comes when the input has ended and every answer is written', async () => {
    const { input, output, ask, answer, turns, isSettled } = await stage()
    output.isOpen = false
    ask(1)
    input.end()
    await turns()
    expect(isSettled()).toBe(false)
    const written = answer(1)
    await turns()
    expect(isSettled()).toBe(false)
    output.open()
    await written
    await turns()
    expect(isSettled()).toBe(true)
  })

  test('does not wait for a subscription, which it ends', async () => {
    const { input, ask, turns, isSettled } = await stage()
    ask(1, 'subscriptions/listen')
    input.end()
    await turns()
    expect(isSettled()).toBe(true)
  })

  test('tells what could not be written', async () => {
    const { output, transport } = await stage()
    output.destroy(Object.assign(new Error('nobody reads'), { code: 'EPIPE' }))
    expect(await transport.settled).toBe('EPIPE')
  })
})

test('any line is taken apart or refused, and never throws', () => {
  const text = fc.oneof(fc.string(), fc.json()).map((whole) => new TextEncoder().encode(whole))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 50 }), text), (line) => {
      for (const part of partsOfLine(line))
        if ('refusal' in part) expect([-32700, -32600]).toContain(part.refusal.error.code)
        else expect(part.message.jsonrpc).toBe('2.0')
    }),
  )
})
