/** The product as people run it: compiled, one process a command. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type CompileOptions, compileSettings } from '../../scripts/compile-settings.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** Splits at spaces: what crashes do has nothing to do with how tokens are counted, and this one opens at once. */
const TOKENIZER = JSON.stringify({
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordPiece', unk_token: '?', continuing_subword_prefix: '##', vocab: { '?': 0 } },
})

/** Compiles the program into a new folder. @returns its path */
export async function compiledProgram(options: CompileOptions = {}): Promise<string> {
  const program = join(mkdtempSync(join(tmpdir(), 'knowhow-program-')), 'knowhow')
  await Bun.build({ entrypoints: [join(ROOT, 'src', 'main.ts')], ...compileSettings(program, options) })
  return program
}

/** As somebody has it who has set nothing: with the built-in embedder. */
export const AS_INSTALLED = { EMBEDDING_BACKEND: '' }

export interface Finished {
  /** Null when it was killed. */
  readonly exit: number | null
  readonly out: string
  readonly error: string
}

export interface Started {
  readonly finished: Promise<Finished>
  readonly kill: (signal?: 'SIGINT' | 'SIGKILL') => void
}

/** Nothing of this process' environment but what is given; without an embedder unless one is given. */
export function start(
  program: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd = process.cwd(),
): Started {
  const env = { EMBEDDING_BACKEND: 'none', ...environment }
  const child = Bun.spawn([program, ...argv], { env, cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const finished = Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]).then(([, out, error]) => ({ exit: child.exitCode, out, error }))
  return { finished, kill: (signal = 'SIGKILL') => child.kill(signal) }
}

/** A new workspace that counts words and cuts after a hundred. @returns its folder, and the log to import */
export function newWorkspace(folder: string, log: string): { readonly root: string; readonly file: string } {
  const root = join(folder, 'workspace')
  const file = join(folder, 'run.log')
  const tokenizer = join(folder, 'tokenizer.json')
  writeFileSync(file, log)
  writeFileSync(tokenizer, TOKENIZER)
  return { root, file }
}

/** Settings for `--config`. @param folder of `newWorkspace` */
export function writeConfig(folder: string): string {
  const path = join(folder, 'config.json')
  const token_limits = { segment: 100, context: 20_000, reserve: 100 }
  writeFileSync(path, JSON.stringify({ tokenizer: join(folder, 'tokenizer.json'), token_limits }))
  return path
}
