/** What is sent to a running service of this program, and what comes back. Opens no connection. */

/** A question to a running service of this program, sent as it is and to nobody else. */
export interface ServiceQuestion {
  readonly url: URL
  /** Undefined for a service that needs none. */
  readonly token: string | undefined
  readonly body: string
  readonly timeoutMs: number
  /** Of the answer. */
  readonly bytesMax: number
  readonly signal: AbortSignal
}

/** Whatever answered, with whatever it said: a proxy or another program may. */
export interface ServiceReply {
  readonly status: number
  /** Empty where none was sent. */
  readonly contentType: string
  readonly text: string
}

/** Throws `service_unavailable` when nothing answers in time or in so many bytes, and `interrupted`. */
export type AskService = (question: ServiceQuestion) => Promise<ServiceReply>
