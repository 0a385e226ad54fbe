/** A home folder and the hubs of one test, gone with it. */
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { hubTokenizerFile } from '../../src/adapters/hub-tokenizer.ts'
import type { MemoryError } from '../../src/model/memory-error.ts'
import { errorOf } from './chat-model.ts'
import { HubHome } from './hub-home.ts'
import { type HubAnswer, HubServer, hubOptions, NAME, RawServer, TOKEN } from './hub-server.ts'

export type StageOptions = NonNullable<Parameters<typeof hubOptions>[2]>

interface Reachable {
  readonly address: string
}

export class HubStage implements Disposable {
  readonly home = new HubHome()
  #open: Disposable[] = [this.home]

  serve(...answers: readonly HubAnswer[]): HubServer {
    const server = new HubServer(...answers)
    this.#open.push(server)
    return server
  }

  serveRaw(answer: string): RawServer {
    const server = new RawServer(answer)
    this.#open.push(server)
    return server
  }

  async openFrom(server: Reachable, options: StageOptions = {}, name = NAME): Promise<{ from: string; text: string }> {
    const { bytes, from } = await hubTokenizerFile(name, hubOptions(this.home, server, options))
    return { from, text: new TextDecoder().decode(bytes) }
  }

  async textFrom(server: Reachable, options: StageOptions = {}): Promise<string> {
    return (await this.openFrom(server, options)).text
  }

  /** Of a download that fails; what no message may hold is looked for in all of it, and nothing may be kept. */
  async faultFrom(server: Reachable, options: StageOptions = {}): Promise<MemoryError> {
    const error = await errorOf(hubTokenizerFile(NAME, hubOptions(this.home, server, options)))
    expect(error).toMatchObject({ code: 'tokenizer_unavailable', resumable: true })
    expect(error.message).toStartWith(`tokenizer "${NAME}": `)
    expect(Bun.inspect(error)).not.toContain(TOKEN)
    expect(existsSync(this.home.repository)).toBe(false)
    return error
  }

  [Symbol.dispose](): void {
    for (const each of this.#open.reverse()) each[Symbol.dispose]()
  }
}
