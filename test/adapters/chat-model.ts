/** A chat model at a scripted server, its waits written down instead of waited. */
import { type OpenChatOptions, openChatModel } from '../../src/adapters/openai-chat.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { ChatMessage, ChatModel } from '../../src/ports.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'

export const KEY = ['test', 'key', '0123456789', 'abcdefghij'].join('_')
export const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'be brief' },
  { role: 'user', content: 'hello' },
]

/** What an adapter's waiting depends on: `waits` gets the milliseconds of each wait. */
export function patience(waits: number[]) {
  return {
    timeoutMs: 5_000,
    retries: 2,
    clock: new FixedClock('2026-01-02T03:04:05.000Z'),
    sleep: async (ms: number) => {
      waits.push(ms)
    },
    chance: () => 0,
  }
}

export function modelAt(
  baseUrl: string,
  options: Partial<OpenChatOptions> = {},
): { readonly model: ChatModel; readonly waits: readonly number[] } {
  const waits: number[] = []
  const model = openChatModel({
    baseUrl,
    apiKey: KEY,
    model: 'test-model',
    ...patience(waits),
    ...options,
  })
  return { model, waits }
}

/** The MemoryError that the promise ends with; anything else fails the test. */
export async function errorOf(promise: Promise<unknown>): Promise<MemoryError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof MemoryError) return error
  throw error
}
