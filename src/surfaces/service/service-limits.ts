/** How much one service takes, and how long it waits. */

export const SERVICE_LIMITS = {
  /** Of a request. */
  bodyBytesMax: 2 ** 20,
  headerBytesMax: 16 * 1024,
  /** Until the last header is there, and until the last byte of the body is. */
  headersMs: 10_000,
  requestMs: 30_000,
  /** An idle connection is kept for this long. */
  idleMs: 30_000,
  /** A connection on which nothing moves is cut: its client does not take the answer. No answer takes that long to make. */
  silenceMs: 120_000,
  /** Connections at once, idle ones included. */
  connectionsMax: 1_024,
  /** Requests that are being answered at once; those above are told to come again. */
  workingMax: 512,
  /** What the rest of a refused body may take before its connection is cut. */
  lingerMs: 500,
  lingerBytesMax: 2 ** 20,
  /** In-flight answers may take this long once the service ends. */
  shutdownMs: 10_000,
} as const

export type ServiceLimits = { readonly [Name in keyof typeof SERVICE_LIMITS]: number }
