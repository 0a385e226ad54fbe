/**
 * `bun scripts/smoke.ts binary|deno`: imports and searches with the built binary, alone in an empty folder and with an
 * empty environment, or with the sources under Deno.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '..')
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version
const SUFFIX = process.platform === 'win32' ? '.exe' : ''
const COMMAND_TIME_MAX_MS = 60_000

const TRANSCRIPT = `$ make reports
make: *** No rule to make target 'reports'.  Stop.
$ ls
Makefile  docs  src
$ grep -n '^report' Makefile
12:report: docs
$ sed -i 's/^report:/reports:/' Makefile
$ make reports
3 reports written
$ exit
`

interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

interface Run {
  readonly argv: readonly string[]
  readonly exitCode: number
  /** What is typed. */
  readonly input?: string
  /** What is wrong with stdout, or null. */
  readonly fault: (stdout: string) => string | null
}

function programOf(kind: string | undefined, folder: string): Program {
  if (kind === 'deno') {
    // Deno keeps what it compiles in its own folder, which would otherwise be in the person's home.
    const environment = { DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1', PATH: process.env.PATH ?? '' }
    const args = [join(ROOT, 'scripts/run.mjs'), 'deno', 'run', '-A', '--quiet', join(ROOT, 'src/main.ts')]
    return { command: 'node', args, environment }
  }
  if (kind !== 'binary') throw new Error('usage: bun scripts/smoke.ts binary|deno')
  const binary = join(folder, `knowhow${SUFFIX}`)
  copyFileSync(join(ROOT, `dist/knowhow${SUFFIX}`), binary)
  return { command: binary, args: [], environment: {} }
}

/** Every run prints one JSON document, of which `holds` says whether it is right. */
function json(argv: readonly string[], holds: (answer: Answer) => boolean): Run {
  return {
    argv: [...argv, '--json'],
    exitCode: 0,
    fault: (stdout) => (holds(JSON.parse(stdout) as Answer) ? null : 'the answer is not what was expected'),
  }
}

/** The fields of the answers that are looked at. */
interface Answer {
  readonly experiences?: number | readonly { readonly path: string }[]
  readonly trajectories?: number
  readonly status?: string
  readonly kind?: string
  readonly extractor?: string
  readonly episodic?: readonly unknown[]
  readonly text?: string
  readonly files?: readonly string[]
  readonly packages?: readonly unknown[]
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  readonly results?: readonly { readonly experience: { readonly content: string } }[]
}

const RUNS: readonly Run[] = [
  {
    argv: ['--version'],
    exitCode: 0,
    fault: (stdout) => (stdout.includes(VERSION) ? null : `the version is not ${VERSION}`),
  },
  json(['status'], ({ experiences, trajectories }) => experiences === 0 && trajectories === 0),
  json(
    ['import', 'run.log', '--extractor', 'offline'],
    ({ status, extractor, experiences }) =>
      status === 'complete' && extractor === 'offline' && Array.isArray(experiences) && experiences.length === 1,
  ),
  json(['search', 'make: No rule to make target'], ({ results }) => results?.length === 1),
  json(
    ['search', 'Makefile reports', '--index', 'when_to_use_content'],
    ({ results }) => results?.[0]?.experience.content.includes('make reports') ?? false,
  ),
  json(['status'], ({ experiences, trajectories }) => experiences === 1 && trajectories === 1),
  json(['export', 'skills', 'skills'], ({ files }) => files?.length === 1),
  json(['licenses'], ({ packages }) => (packages?.length ?? 0) > 10),
  json(['session', 'start', '--id', 'smoke'], ({ status }) => status === 'active'),
  json(
    ['memory', 'remember', 'episodic', '--session', 'smoke', '--content', 'it works'],
    ({ kind }) => kind === 'episodic',
  ),
  json(['session', 'show', 'smoke'], ({ episodic }) => episodic?.length === 1),
  json(
    ['memory', 'graph', '--session', 'smoke', '--format', 'html'],
    // Script and style are files of their own.
    ({ text }) => ['it works', 'function drawLinks', '#world {'].every((part) => text?.includes(part)),
  ),
  json(
    [
      'memory',
      'cypher',
      "MATCH (s:Session {session_id: 'smoke'})-[:CONTAINS_EPISODIC]->(e) RETURN s.session_id AS session, e.content AS content",
    ],
    ({ rows }) => rows?.[0]?.session === 'smoke' && rows[0].content === 'it works',
  ),
  {
    argv: ['repl', '--json'],
    exitCode: 1,
    input: 'No rule to make target\n/read 1\n/read procedures/none\n',
    fault: (stdout) => {
      const [found, read, refused] = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const isRight = found.results.length === 1 && read.kind === 'experience' && refused.error.code === 'not_found'
      return isRight ? null : 'the answers are not what was expected'
    },
  },
]

function faultOf(run: Run, program: Program, folder: string): string | null {
  const child = spawnSync(program.command, [...program.args, ...run.argv], {
    cwd: folder,
    env: program.environment,
    encoding: 'utf8',
    input: run.input ?? '',
    timeout: COMMAND_TIME_MAX_MS,
  })
  const said = `\n${child.stdout}${child.stderr}`
  if (child.error !== undefined) return `it did not run: ${child.error.message}${said}`
  if (child.status !== run.exitCode) return `exit code ${child.status} instead of ${run.exitCode}${said}`
  try {
    const fault = run.fault(child.stdout)
    return fault === null ? null : `${fault}${said}`
  } catch (error) {
    return `stdout is not one JSON document: ${String(error)}${said}`
  }
}

function smoke(kind: string | undefined): number {
  const outer = mkdtempSync(join(realpathSync(tmpdir()), 'knowhow-smoke-'))
  const folder = join(outer, 'empty')
  try {
    mkdirSync(folder)
    const program = programOf(kind, folder)
    writeFileSync(join(folder, 'run.log'), TRANSCRIPT)
    // A settings file that happens to lie there must not be read.
    writeFileSync(join(folder, '.env'), 'LLM_MODEL_NAME=nobody\nKNOWHOW_WORKSPACE=/nonexistent/elsewhere\n')
    const faults = RUNS.map((run) => ({ name: run.argv.join(' '), fault: faultOf(run, program, folder) }))
    for (const { name, fault } of faults)
      console.log(`${fault === null ? 'ok    ' : 'FAILED'} knowhow ${name}${fault === null ? '' : `: ${fault}`}`)
    if (!existsSync(join(folder, '.knowhow'))) console.log('FAILED the workspace is not in the current folder')
    return faults.every(({ fault }) => fault === null) && existsSync(join(folder, '.knowhow')) ? 0 : 1
  } finally {
    rmSync(outer, { recursive: true, force: true })
  }
}

process.exitCode = smoke(process.argv[2])
