/**
 * The `fetch` under all requests to model servers. The key is added here and nowhere else, so that no object of a client
 * holds it; a client's own headers (telemetry, OPENAI_CUSTOM_HEADERS) are left out.
 */

/** No answer of a model is longer; a wrong address may send anything. */
const ANSWER_BYTES_MAX = 64 * 2 ** 20

class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'
}

/** An answer that is not 2xx, whole: the OpenAI client itself keeps only what lies under `error`. */
export class RefusedAnswer extends Error {
  override readonly name = 'RefusedAnswer'
  readonly status: number
  readonly headers: Headers
  readonly body: string

  constructor(response: Response, body: string) {
    super('refused')
    this.status = response.status
    this.headers = response.headers
    this.body = body
  }
}

type FetchText = (url: string | URL | Request, init?: RequestInit) => Promise<string>

/** @returns the text of an answer that is 2xx; throws `RefusedAnswer` for any other. */
export function providerFetch(apiKey: string | undefined, answerBytesMax = ANSWER_BYTES_MAX): FetchText {
  return async (url, init) => {
    const headers = new Headers({ accept: 'application/json', 'content-type': 'application/json' })
    headers.set('user-agent', 'knowhow')
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    // A redirect would carry the key to another place. Bun's own limit of five minutes is the caller's business, and
    // what it prints for BUN_CONFIG_VERBOSE_FETCH holds the key.
    const options = { ...init, headers, redirect: 'manual' as const, timeout: false, verbose: false }
    const response = await fetch(url, options)
    const body = await readAnswer(response, answerBytesMax)
    if (!response.ok) throw new RefusedAnswer(response, body)
    return body
  }
}

/** Read here, the body falls under the time-out, which in the OpenAI client ends with the headers. */
async function readAnswer(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new AnswerTooLong(`the answer is longer than ${bytesMax} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
