/** What a service says on standard error: a line a request where that is wanted, and its own faults always. */
import type { Clock } from '../../ports.ts'
import { traceOf } from '../told-fault.ts'

export interface AnsweredRequest {
  readonly id: string
  readonly method: string
  /** Without its query, which may hold anything. */
  readonly path: string
  /** Null when the client was gone before there was one. */
  readonly status: number | null
  readonly ms: number
  /** Of the answer's body. */
  readonly bytes: number
}

/** UTF-16 units of a path that are shown. */
const PATH_UNITS_MAX = 200

export class ServiceLog {
  readonly #write: (line: string) => void
  readonly #clock: Clock
  readonly #tellsAll: boolean

  /** @param tellsAll whether requests and notices are told too; @param write takes a line without its end */
  constructor(write: (line: string) => void, clock: Clock, tellsAll: boolean) {
    this.#write = write
    this.#clock = clock
    this.#tellsAll = tellsAll
  }

  request({ id, method, path, status, ms, bytes }: AnsweredRequest): void {
    if (!this.#tellsAll) return
    const shown = JSON.stringify(path.slice(0, PATH_UNITS_MAX)).slice(1, -1)
    this.#line(id, `${method} ${shown} ${status ?? 'gone'} ${ms} ms ${bytes} bytes`)
  }

  /** What an operation says beside its answer. */
  notice(id: string, sentence: string): void {
    if (this.#tellsAll) this.#line(id, sentence)
  }

  /** A fault of the program's own, with all that is known of it. */
  fault(id: string, error: unknown): void {
    this.#line(id, traceOf(error))
  }

  #line(id: string, text: string): void {
    this.#write(`${new Date(this.#clock.now()).toISOString()} ${id} ${text}`)
  }
}
