/** Ends a request when the other side says nothing for a while. Knows times; knows nothing of what is said. */

export class SilenceWatch implements Disposable {
  /** Aborted by silence, and when the outer signal is. */
  readonly signal: AbortSignal
  #silence = new AbortController()
  #limitMs: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limitMs: number, outer: AbortSignal) {
    this.#limitMs = limitMs
    this.signal = AbortSignal.any([this.#silence.signal, outer])
    this.#listen()
  }

  get isSilent(): boolean {
    return this.#silence.signal.aborted
  }

  /** @returns what was waited for. Rejects once `signal` is aborted, whether or not the waited for takes notice. */
  async heard<T>(waited: Promise<T>): Promise<T> {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = (): void => reject(new Error('the request was ended'))
    if (this.signal.aborted) end()
    this.signal.addEventListener('abort', end)
    try {
      return await Promise.race([waited, ended])
    } finally {
      this.signal.removeEventListener('abort', end)
      this.#listen()
    }
  }

  /** The body of an answer; what is not read of it is cancelled. */
  async *chunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
    if (body === null) return
    const reader = body.getReader()
    let isWhole = false
    try {
      for (;;) {
        const { done, value } = await this.heard(reader.read())
        if (done) {
          isWhole = true
          return
        }
        yield value
      }
    } finally {
      // What cannot be cancelled has ended.
      if (!isWhole) reader.cancel().catch(() => {})
    }
  }

  #listen(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#silence.abort(), this.#limitMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}
