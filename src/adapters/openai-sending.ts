/** Sends by the OpenAI client, which is loaded at the first request: most commands never talk to a model. */
import type { OpenAI } from 'openai'
import { providerFetch, RefusedAnswer } from './provider-fetch.ts'
import { NoAnswer, type Send, type SendingOptions } from './provider-sending.ts'

interface Client {
  readonly client: OpenAI
  readonly sdk: typeof OpenAI
}

export function openaiSending(options: SendingOptions): Send {
  let opened: Promise<Client> | null = null
  return async ({ path, body, signal }) => {
    opened ??= open(options)
    const { client, sdk } = await opened
    try {
      // A signal of its own: the client never takes its listener off a signal that outlives the request.
      const ended = signal === undefined ? {} : { signal: AbortSignal.any([signal]) }
      return String(await client.post<unknown>(path, { body, ...ended }))
    } catch (error) {
      if (!(error instanceof sdk.APIConnectionError)) throw error
      if (error.cause instanceof RefusedAnswer) throw error.cause
      throw new NoAnswer(error, error instanceof sdk.APIConnectionTimeoutError)
    }
  }
}

async function open({ baseUrl, apiKey, timeoutMs, answerBytesMax }: SendingOptions): Promise<Client> {
  const { OpenAI: sdk } = await import('openai')
  const url = new URL(baseUrl)
  const fetchText = providerFetch(apiKey, answerBytesMax)
  // Each value is given, null included, because the client takes what is missing from OPENAI_* variables.
  const client = new sdk({
    baseURL: url.origin + url.pathname,
    // Such as Azure's `api-version`: the client would put its path behind it.
    defaultQuery: Object.fromEntries(url.searchParams),
    apiKey: 'added-by-fetch',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutMs,
    // Plain text: the client then leaves the parsing to us.
    fetch: async (address, init) =>
      new Response(await fetchText(address, init), { headers: { 'content-type': 'text/plain' } }),
  })
  return { client, sdk }
}
