/**
 * MCP messages as lines of two streams. The SDK's own reader leaves bad lines unanswered, ends at a long one and drops what
 * is being answered when its input ends; this one answers, passes over, and tells when all is answered.
 */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { LineSplitter } from './line-splitter.ts'
import { type LineRefusal, partsOfLine, tooLongLine } from './message-line.ts'

export const LINE_BYTES_MAX = 1024 * 1024
/** With more requests unanswered, or answers unread, nothing is read: whoever sends faster has to wait. */
const UNSETTLED_MAX = 64

export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #lines = new LineSplitter(LINE_BYTES_MAX)
  /** How many requests of an id are unanswered: nothing stops a client from using one twice. */
  readonly #unanswered = new Map<RequestId, number>()
  #unansweredCount = 0
  #unwrittenCount = 0
  #isEnding = false
  #isClosed = false
  readonly #settled = Promise.withResolvers<string | null>()

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
  }

  /**
   * Settles once the input has ended and all is answered and written, or nothing can be written any more.
   * @returns null, or the errno of what could not be written: EPIPE when nobody reads it
   */
  get settled(): Promise<string | null> {
    return this.#settled.promise
  }

  async start(): Promise<void> {
    this.#output.on('error', (fault: NodeJS.ErrnoException) => this.#loseOutput(fault))
    this.#input.on('data', (chunk: Uint8Array) => this.#read(chunk))
    for (const event of ['end', 'close', 'error']) this.#input.on(event, () => this.#endInput())
  }

  /** Reads no further. What has come is answered. */
  stop(): void {
    this.#isEnding = true
    this.#input.pause()
    this.#look()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      // Counted as unwritten before it no longer is as unanswered: in between all would seem to be done.
      const written = this.#write(message)
      if (message.id !== undefined) this.#settle(message.id)
      await written
    } else await this.#write(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.stop()
    this.onclose?.()
  }

  #read(chunk: Uint8Array): void {
    if (this.#isEnding) return
    for (const line of this.#lines.push(chunk)) {
      if (line === 'too_long') void this.#write(tooLongLine(LINE_BYTES_MAX))
      else this.#receive(line)
    }
    this.#look()
  }

  /** The last line may have no end. */
  #endInput(): void {
    if (this.#isEnding) return
    const last = this.#lines.end()
    if (last !== null) this.#receive(last)
    this.stop()
  }

  #receive(line: Uint8Array): void {
    for (const part of partsOfLine(line)) {
      if ('refusal' in part) {
        void this.#write(part.refusal)
        continue
      }
      const { message } = part
      // A subscription is answered when the connection ends, which would wait for it.
      if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.#expect(message.id)
      // A request that is cancelled has no answer.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        this.#settle(message.params?.requestId)
      this.onmessage?.(message)
    }
  }

  #expect(id: RequestId): void {
    this.#unanswered.set(id, (this.#unanswered.get(id) ?? 0) + 1)
    this.#unansweredCount++
  }

  #settle(given: unknown): void {
    const id = given as RequestId
    const count = this.#unanswered.get(id)
    if (count === undefined) return
    if (count === 1) this.#unanswered.delete(id)
    else this.#unanswered.set(id, count - 1)
    this.#unansweredCount--
    this.#look()
  }

  /** Settles once it is written, or once it can never be: then nobody is there to be told. */
  #write(message: JSONRPCMessage | LineRefusal): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#unwrittenCount++
    return new Promise((resolve) => {
      const done = () => {
        this.#unwrittenCount--
        this.#look()
        resolve()
      }
      try {
        this.#output.write(`${JSON.stringify(message)}\n`, done)
      } catch (error) {
        // Deno's throws, where others tell of it in an event.
        this.#loseOutput(error as NodeJS.ErrnoException)
        done()
      }
    })
  }

  #look(): void {
    const unsettled = this.#unansweredCount + this.#unwrittenCount
    if (this.#isEnding) {
      if (unsettled === 0) this.#settled.resolve(null)
    } else if (unsettled > UNSETTLED_MAX) this.#input.pause()
    else if (this.#input.isPaused()) this.#input.resume()
  }

  #loseOutput({ code, message }: NodeJS.ErrnoException): void {
    this.#settled.resolve(code ?? message)
    this.stop()
  }
}
