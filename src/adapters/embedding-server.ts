/** One request for vectors to an OpenAI-compatible server, and its faults. Knows nothing of batches and parts. */
import { MemoryError } from '../model/memory-error.ts'
import type { EmbedderKey, EmbedOptions } from '../ports.ts'
import { type EmbeddingReply, parsedEmbeddingBody, parseEmbeddings } from './embedding-reply.ts'
import { Provider, type ProviderFailure, type ProviderOptions, type Reading } from './provider.ts'
import { bodyFault, type ProviderFault, passingFault } from './provider-fault.ts'
import { plainSending } from './provider-sending.ts'

export type EmbeddingOutcome = { readonly value: EmbeddingReply } | ProviderFailure

export interface AskOptions extends Pick<EmbedOptions, 'isUrgent' | 'onWait'> {
  readonly signal: AbortSignal
  /** Whether the text is a plain word, so that a vector of another width is to blame on the server. */
  readonly isPlain: boolean
}

export class EmbeddingServer {
  readonly key: EmbedderKey
  #provider: Provider
  /** Of every vector so far; null before the first. */
  #width: number | null = null

  /** Throws `invalid_config` for an address or a key that no request can carry. */
  constructor(options: ProviderOptions, dimensions: number | null) {
    this.#provider = new Provider(options, 'EMBEDDING', plainSending)
    this.key = { backend: 'openai', model: options.model, dimensions }
  }

  /** A reply to one text has a vector. Throws `embedder_unavailable` for a plain word's wrong width, and what `signal` is aborted with. */
  async ask(texts: readonly string[], { signal, isUrgent, onWait, isPlain }: AskOptions): Promise<EmbeddingOutcome> {
    const { model, dimensions } = this.key
    const outcome = await this.#provider.request({
      path: '/embeddings',
      // No `encoding_format`: numbers are every server's default, and some refuse the word for it.
      body: { model, input: texts, ...(dimensions === null ? {} : { dimensions }) },
      read: (text) => this.#read(text, texts.length),
      isLasting: isNotANumber,
      signal,
      isUrgent,
      onWait,
    })
    return 'value' in outcome && 'vectors' in outcome.value
      ? this.#judged(outcome.value.vectors, outcome, isPlain)
      : outcome
  }

  /** Of several widths in one answer none is learnt; smaller batches will show whose is the wrong one. */
  #judged(vectors: readonly Float64Array[], outcome: EmbeddingOutcome, isPlain: boolean): EmbeddingOutcome {
    const widths = [...new Set(vectors.map(({ length }) => length))]
    const [width = 0, ...others] = widths
    if (others.length > 0) return { value: { mismatch: `it sent vectors of ${widths.join(' and ')} numbers` } }
    const expected = this.key.dimensions ?? this.#width ?? width
    this.#width = expected
    if (width === expected) return outcome
    if (isPlain) throw this.#changed(width, expected)
    const text = `it sent a vector of ${width} numbers, of other texts ${expected}`
    return { fault: { kind: 'refused', status: 200, text, retryAfterMs: null }, attempts: 1 }
  }

  unavailable(failure: ProviderFailure): MemoryError {
    const what = this.key.dimensions === null ? 'embeds text' : 'embeds text and takes embedding.dimensions'
    const advice = `it refuses the request: check that the model ${what}`
    return this.#provider.unavailable('embedder_unavailable', 'vectors', failure, advice)
  }

  /** It answers, and even a plain word's vector is of no use. */
  useless(): MemoryError {
    const { scrub } = this.#provider
    const fault = passingFault('even the vector of a plain word has no direction', 200, scrub)
    const sentence = `${this.key.model} at ${this.#provider.place} gives vectors of zeros or NaN; check EMBEDDING_MODEL_NAME`
    return this.#provider.error('embedder_unavailable', sentence, { fault, attempts: 1 })
  }

  tookLonger(timeLimitMs: number): MemoryError {
    const { model, place, scrub } = this.#provider
    const took = `vectors from ${model} at ${place} took longer than ${Number((timeLimitMs / 1000).toPrecision(2))} s`
    return new MemoryError('embedder_unavailable', scrub(`${took}; try again when the server is less busy`))
  }

  #read(text: string, textCount: number): Reading<EmbeddingReply> {
    const { scrub } = this.#provider
    const body = parsedEmbeddingBody(text)
    const reply = parseEmbeddings(body, textCount)
    if (reply === null) return { fault: bodyFault(body, scrub) ?? passingFault('it sent no vectors', 200, scrub) }
    // Of several texts it may be a server that takes one at a time, which smaller batches will show.
    if ('mismatch' in reply && textCount === 1) return { fault: passingFault(reply.mismatch, 200, scrub) }
    return { value: reply }
  }

  #changed(width: number, expected: number): MemoryError {
    const { model, place, scrub } = this.#provider
    const other =
      this.key.dimensions === null
        ? `and gave ${expected} before; use a server that keeps to one model`
        : `embedding.dimensions says ${expected}; set it to what the model gives`
    const sentence = `${model} at ${place} gives vectors of ${width} numbers, ${other}`
    return new MemoryError('embedder_unavailable', scrub(sentence), { expected, found: width })
  }
}

/** Whether the vectors had another width than those before; a plain word tells whether the texts are to blame. */
export function isOddWidth({ kind, status }: ProviderFault): boolean {
  return kind === 'refused' && status === 200
}

/** Whether it is about the texts, not about the server or the caller's right to use it. */
export function isRefusal(fault: ProviderFault): boolean {
  const { kind, status } = fault
  return (
    kind === 'overflow' ||
    isOddWidth(fault) ||
    status === 400 ||
    status === 413 ||
    status === 422 ||
    isNotANumber(fault)
  )
}

/** Ollama and FastAPI answer 500 when the model's numbers for a text are none; they are the same every time. */
function isNotANumber({ text }: ProviderFault): boolean {
  return /unsupported value: (?:NaN|[+-]Inf)|out of range float values/i.test(text)
}
