/** A headless Chromium, driven over its DevTools protocol. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => Bun.which(name))
  .find((path) => path !== null)

export const hasChromium = PROGRAM !== undefined

interface Message {
  readonly id?: number
  readonly sessionId?: string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

type Answer = Readonly<Record<string, unknown>>

export class Chromium {
  readonly #process: Bun.Subprocess
  readonly #socket: WebSocket
  readonly #profile: string
  readonly #waiting = new Map<number, (message: Message) => void>()
  readonly #listeners: ((message: Message) => void)[] = []
  #sent = 0

  static async start(): Promise<Chromium> {
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
    const process = Bun.spawn(
      [
        PROGRAM ?? 'chromium',
        '--headless=new',
        // Containers run as root, where its own sandbox does not start; it opens nothing but pages made here.
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-component-update',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        'about:blank',
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    )
    let said = ''
    for await (const part of process.stderr) {
      said += new TextDecoder().decode(part)
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1]
      if (address === undefined) continue
      const socket = new WebSocket(address)
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve)
        socket.addEventListener('error', reject)
      })
      return new Chromium(process, socket, profile)
    }
    throw new Error(`Chromium did not start: ${said}`)
  }

  private constructor(process: Bun.Subprocess, socket: WebSocket, profile: string) {
    this.#process = process
    this.#socket = socket
    this.#profile = profile
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message)
      else for (const listener of this.#listeners) listener(message)
    })
  }

  send(method: string, params: Answer = {}, sessionId?: string): Promise<Answer> {
    const id = ++this.#sent
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id)
        if (error === undefined) resolve(result ?? {})
        else reject(new Error(`${method}: ${error.message}`))
      })
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }))
    })
  }

  onMessage(listener: (message: Message) => void): void {
    this.#listeners.push(listener)
  }

  /** A new page of that address, once its script has drawn all. */
  async open(address: string, look: PageLook = {}): Promise<Page> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true })
    const page = new Page(this, String(sessionId))
    await page.begin(address, look)
    return page
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill()
    await this.#process.exited
    rmSync(this.#profile, { recursive: true, force: true })
  }
}

export interface PageLook {
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

/** Sizes in CSS pixels. */
export interface Layer {
  readonly width: number
  readonly height: number
  readonly drawsContent: boolean
}

export class Page {
  /** Addresses that were asked for, beside the page itself. */
  readonly requests: string[] = []
  /** Errors and warnings of the console, and what the policy refused. */
  readonly complaints: string[] = []
  readonly #browser: Chromium
  readonly #session: string
  #layers: readonly Layer[] | null = null

  constructor(browser: Chromium, session: string) {
    this.#browser = browser
    this.#session = session
    browser.onMessage(({ sessionId, method, params = {} }) => {
      if (sessionId !== session) return
      if (method === 'Network.requestWillBeSent') this.requests.push(String((params.request as Answer).url))
      if (method === 'Log.entryAdded') this.complaints.push(String((params.entry as Answer).text))
      if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(params.exceptionDetails))
      if (method === 'LayerTree.layerTreeDidChange') this.#layers = (params.layers ?? this.#layers) as readonly Layer[]
      if (method === 'Runtime.consoleAPICalled') this.complaints.push(JSON.stringify(params.args))
    })
  }

  send(method: string, params: Answer = {}): Promise<Answer> {
    return this.#browser.send(method, params, this.#session)
  }

  async begin(address: string, { scheme = 'light', width = 1400, height = 900 }: PageLook): Promise<void> {
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await this.send(`${domain}.enable`)
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
    await this.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ],
    })
    await this.send('Page.navigate', { url: address })
    await this.run(`new Promise((resolve) => {
      const look = () => (document.documentElement?.dataset.ready === '' ? resolve() : setTimeout(look, 5))
      look()
    })`)
    this.requests.splice(0, 1)
  }

  /** Value of an expression in the page. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as { value: T }).value
  }

  /** @param key as `KeyboardEvent.key` names it */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined
      const typed = {
        key,
        code: key,
        windowsVirtualKeyCode: KEY_CODES[key] ?? 0,
        ...(text === undefined ? {} : { text }),
      }
      await this.send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...typed })
      await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key })
    }
  }

  /** What the browser moves and puts together without drawing it anew, once something has changed. */
  async layers(change: () => Promise<unknown>): Promise<readonly Layer[]> {
    this.#layers = null
    await this.send('LayerTree.enable')
    await change()
    while (this.#layers === null) await this.run('new Promise(requestAnimationFrame)')
    return this.#layers
  }

  /** As it is once nothing moves any more: what is drawn by strips may lack some at first. */
  async screenshot(): Promise<Uint8Array> {
    let before = ''
    for (;;) {
      const { data } = await this.send('Page.captureScreenshot', { format: 'png' })
      if (data === before) return Buffer.from(before, 'base64')
      before = String(data)
    }
  }
}

const KEY_CODES: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
}
