/** A program in a terminal of its own, as a person sits before it: keys go in, and what the screen shows is read. */
import { type IBufferCell, Terminal } from '@xterm/headless'

export interface PseudoTerminalOptions {
  readonly columns: number
  readonly rows: number
  /** Nothing of this process' own counts. */
  readonly environment: Readonly<Record<string, string>>
  readonly cwd?: string
}

export class PseudoTerminal implements AsyncDisposable {
  readonly #screen: Terminal
  readonly #child: Bun.Subprocess
  /** Told whenever the screen has changed, and when the program has ended. */
  readonly #watchers = new Set<() => void>()
  #written = ''
  #hasEnded = false

  constructor(command: readonly string[], { columns, rows, environment, cwd }: PseudoTerminalOptions) {
    this.#screen = new Terminal({ cols: columns, rows, allowProposedApi: true })
    this.#child = Bun.spawn([...command], {
      env: { ...environment },
      ...(cwd === undefined ? {} : { cwd }),
      terminal: {
        cols: columns,
        rows,
        data: (_, bytes) => {
          this.#written += new TextDecoder().decode(bytes)
          this.#screen.write(bytes, () => this.#changed())
        },
        // Behind the last of what was written, which may come after the program has ended.
        exit: () =>
          this.#screen.write('', () => {
            this.#hasEnded = true
            this.#changed()
          }),
      },
    })
  }

  /** Keys, or whatever else a terminal sends. */
  type(keys: string): void {
    this.#child.terminal?.write(keys)
  }

  paste(text: string): void {
    this.type(`\u001b[200~${text}\u001b[201~`)
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows)
    this.#child.terminal?.resize(columns, rows)
  }

  /** As when a connection breaks. */
  hangUp(): void {
    this.#child.terminal?.close()
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  get exited(): Promise<number> {
    return this.#child.exited
  }

  /** All that the program has written, as it wrote it. */
  get written(): string {
    return this.#written
  }

  /** What is on the screen, without empty rows at its end. */
  get text(): string {
    return this.lines.join('\n').trimEnd()
  }

  get lines(): readonly string[] {
    return Array.from({ length: this.#screen.rows }, (_, row) => this.#line(row)?.translateToString(true) ?? '')
  }

  /** The row and column of the cursor, from 0. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX: column, cursorY: row } = this.#screen.buffer.active
    return { row, column }
  }

  cells(row: number): readonly IBufferCell[] {
    const line = this.#line(row)
    const cells = Array.from({ length: this.#screen.cols }, (_, column) => line?.getCell(column))
    return cells.filter((cell) => cell !== undefined)
  }

  /** Words on the screen that are shown bold and underlined. */
  get underlined(): readonly string[] {
    const rows = Array.from({ length: this.#screen.rows }, (_, row) =>
      this.cells(row)
        .map((cell) => (cell.isUnderline() !== 0 && cell.isBold() !== 0 ? cell.getChars() : ' '))
        .join(''),
    )
    return rows
      .join(' ')
      .split(/ +/)
      .filter((word) => word !== '')
  }

  /** Waits until the screen shows it; fails when the program ends before. */
  async shows(wanted: string | RegExp): Promise<void> {
    const isThere = () => (typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text))
    await this.#until(isThere, `the screen never showed ${String(wanted)}`)
  }

  /** Waits until the program has written it so many times, seen or not. */
  async writes(wanted: string, times: number): Promise<void> {
    const isThere = () => this.#written.split(wanted).length > times
    await this.#until(isThere, `${JSON.stringify(wanted)} was never written ${times} times`)
  }

  async #until(holds: () => boolean, fault: string): Promise<void> {
    while (!holds()) {
      if (this.#hasEnded) throw new Error(`${fault}; it shows:\n${this.text}`)
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.#watchers.delete(watcher)
          resolve()
        }
        this.#watchers.add(watcher)
      })
    }
  }

  #line(row: number) {
    const { active } = this.#screen.buffer
    return active.getLine(active.baseY + row)
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#child.exited
    this.#child.terminal?.close()
    this.#screen.dispose()
  }
}
