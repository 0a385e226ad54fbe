/** Pages of sessions, opened in one browser. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionPage } from '../../src/graph/picture/page/session-page.ts'
import type { SessionGraph } from '../../src/graph/session-graph.ts'
import { Chromium, type Page, type PageLook } from './chromium.ts'

/** A test that waits for a browser may wait for a busy machine. */
export const BROWSER_LIMIT_MS = 60_000

export class SessionPages implements AsyncDisposable {
  readonly #browser: Chromium
  readonly #folder = mkdtempSync(join(tmpdir(), 'session-page-'))
  #count = 0

  static async start(): Promise<SessionPages> {
    return new SessionPages(await Chromium.start())
  }

  private constructor(browser: Chromium) {
    this.#browser = browser
  }

  async open(graph: SessionGraph, look?: PageLook): Promise<Page> {
    this.#count += 1
    const file = join(this.#folder, `${this.#count}.html`)
    writeFileSync(file, await sessionPage(graph))
    return this.#browser.open(`file://${file}`, look)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true })
  }
}
