/** `bun scripts/repl-pictures.ts`: the pictures of the REPL in docs/repl, of the real one on the example logs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PseudoTerminal } from './pseudo-terminal.ts'
import { screenPicture } from './screen-picture.ts'

const ROOT = join(import.meta.dir, '..')
export const PICTURES = join(ROOT, 'docs', 'repl')
const SOURCES = join(ROOT, 'src', 'main.ts')
const READY = /> *$/

/** @returns SVG by the name of its file */
export async function replPictures(): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-pictures-'))
  try {
    const workspace = join(folder, 'w')
    const environment = { TERM: 'xterm-256color', HOME: folder, KNOWHOW_WORKSPACE: workspace, PATH: '' }
    importExamples(environment)
    return await pictures({ columns: 92, rows: 20, environment }, workspace)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function importExamples(env: Readonly<Record<string, string>>): void {
  const logs = join(ROOT, 'examples', 'trajectories')
  const files = readdirSync(logs)
    .sort()
    .map((name) => join(logs, name))
  const args = [SOURCES, 'import', ...files, '--extractor', 'offline', '--quiet']
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the example logs could not be imported: ${stderr}`)
}

async function pictures(options: ConstructorParameters<typeof PseudoTerminal>[1], workspace: string) {
  await using terminal = new PseudoTerminal([process.execPath, SOURCES, 'repl'], options)
  const picture = (about: string) => screenPicture(terminal, about, { [workspace]: '~/shop/.knowhow' })
  await terminal.shows(READY)
  terminal.type('/limit 1\rcircular imports\r')
  await terminal.shows(/circular imports\n1\.[\s\S]*> *$/)
  terminal.type('/read 1')
  await terminal.shows(/\/read 1$/)
  const search = picture('A search in the REPL: the words that match are underlined, and the result has a number')
  terminal.type('\r')
  await terminal.shows(/lines: space goes on/)
  const read = picture('The same result, read by its number, page by page')
  terminal.type('q')
  await terminal.shows(READY)
  terminal.type('\u000c/memory \t\t')
  await terminal.shows(/validate[\s\S]*\/memory *$/)
  const completion = picture('Tab lists the commands that may follow')
  return { 'search.svg': search, 'read.svg': read, 'completion.svg': completion }
}

if (import.meta.main) {
  mkdirSync(PICTURES, { recursive: true })
  for (const [name, svg] of Object.entries(await replPictures())) {
    writeFileSync(join(PICTURES, name), svg)
    console.log(`docs/repl/${name}  ${svg.length} bytes`)
  }
}
