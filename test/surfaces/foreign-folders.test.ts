/** Files of the runtime that happen to lie where the compiled program works, or that a workspace brings along. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compiledProgram, newWorkspace, start, writeConfig } from '../fakes/compiled-program.ts'
import { type ChatServer, faultyChat, sayOnly } from '../fakes/faulty-chat.ts'

const KEY = 'Zebra7421Quartz9058Lantern'
const FOREIGN_KEY = 'Walnut5530Harbour2216Pebble'
const TIMEOUT_MS = 5 * 60_000
/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:1'

let program: string
let server: ChatServer
let place: string
let root: string
let file: string
let marker: string

beforeAll(async () => {
  program = await compiledProgram()
}, TIMEOUT_MS)

beforeEach(() => {
  server = faultyChat([sayOnly('Nothing to note.')])
  place = mkdtempSync(join(tmpdir(), 'knowhow-foreign-'))
  const workspace = newWorkspace(place, 'step one went wrong\n')
  root = workspace.root
  file = workspace.file
  marker = join(place, 'marker')
  mkdirSync(root)
})

afterEach(() => {
  server[Symbol.dispose]()
  rmSync(place, { recursive: true, force: true })
})

afterAll(() => rmSync(dirname(program), { recursive: true, force: true }))

/** Code that leaves a trace when it runs. */
const trace = (): string => `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'ran')\n`

const VARIABLES = [
  `LLM_API_KEY=${FOREIGN_KEY}`,
  `LLM_BASE_URL=${NOWHERE}/v1`,
  'LLM_MODEL_NAME=foreign',
  'KNOWHOW_WORKSPACE=elsewhere',
  ...['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => `${name}=${NOWHERE}`),
  'BUN_OPTIONS=--preload=./trace.ts',
  'NODE_TLS_REJECT_UNAUTHORIZED=0',
].join('\n')

/** By name: what lies in the folder. */
const FOREIGN: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  '.env': () => ({ '.env': VARIABLES }),
  '.env.local': () => ({ '.env.local': VARIABLES }),
  '.env.production and .env.development': () => ({ '.env.production': VARIABLES, '.env.development': VARIABLES }),
  'bunfig.toml': () => ({
    'bunfig.toml': 'preload = ["./trace.ts"]\nenv = true\n[run]\npreload = ["./trace.ts"]\n',
    '.bunfig.toml': 'preload = ["./trace.ts"]\n',
  }),
  'tsconfig.json': () => ({
    'tsconfig.json': JSON.stringify({ compilerOptions: { baseUrl: '.', paths: { '*': ['./trace.ts'] } } }),
  }),
  'package.json and node_modules': () => ({
    'package.json': JSON.stringify({
      name: 'openai',
      type: 'commonjs',
      main: 'trace.ts',
      imports: { '*': './trace.ts' },
    }),
    'node_modules/openai/package.json': JSON.stringify({ name: 'openai', main: 'index.js' }),
    'node_modules/openai/index.js': trace(),
  }),
}

function lay(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries({ 'trace.ts': trace(), ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

function importFrom(cwd: string, environment: Readonly<Record<string, string>>) {
  const argv = ['import', file, '--workspace', root, '--config', writeConfig(place), '--json']
  return start(program, argv, environment, cwd).finished
}

describe.each(Object.entries(FOREIGN))('%s', (_, files) => {
  describe.each(['the current folder', 'the workspace'])('in %s', (where) => {
    const folder = () => (where === 'the workspace' ? root : place)

    beforeEach(() => lay(folder(), files()))

    test('sets no key, no address and no proxy, and runs no code', async () => {
      const environment = { LLM_MODEL_NAME: 'm', LLM_API_KEY: KEY, LLM_BASE_URL: server.baseUrl }
      expect(await importFrom(folder(), environment)).toMatchObject({ exit: 0 })
      expect(server.asked.map(({ key }) => key)).toEqual([KEY])
      expect(existsSync(marker)).toBe(false)
    })

    test('chooses no model', async () => {
      const { exit, out } = await importFrom(folder(), {})
      expect(exit).toBe(0)
      expect(JSON.parse(out)).toMatchObject({ extractor: 'offline', usage: { requests: 0 } })
      expect(existsSync(marker)).toBe(false)
    })
  })
})

test.each([
  ['NODE_OPTIONS', '--require=./trace.ts'],
  ['BUN_CONFIG_PRELOAD', './trace.ts'],
])('%s in the environment runs no code', async (name, value) => {
  lay(place, {})
  expect(await importFrom(place, { [name]: value })).toMatchObject({ exit: 0 })
  expect(existsSync(marker)).toBe(false)
})

// The person's own word, given before the program begins: the manual names these variables.
test.each([
  ['BUN_OPTIONS', '--preload=./trace.ts'],
  ['BUN_INSPECT_PRELOAD', './trace.ts'],
])('%s in the environment runs the code that it names', async (name, value) => {
  lay(place, {})
  expect(await importFrom(place, { [name]: value })).toMatchObject({ exit: 0 })
  expect(existsSync(marker)).toBe(true)
})
