/** How the program is compiled, and what is measured beside it. */
import { join, resolve } from 'node:path'
import type { PackedAddon } from '../src/adapters/cypher-addon-file.ts'
import { replacedModule } from './replaced-module.ts'

const EMBEDDER = join(resolve(import.meta.dir, '..'), 'src', 'adapters', 'assets', 'builtin-embedder.bin')
const WITH_EMBEDDER = `import path from ${JSON.stringify(EMBEDDER)} with { type: 'file' }
export const builtinEmbedderPath = path`

/** Puts the vectors of words into the program, or none. */
function embedderPlugin(hasEmbedder: boolean): Bun.BunPlugin {
  const contents = hasEmbedder ? WITH_EMBEDDER : 'export const builtinEmbedderPath = null'
  return replacedModule('builtin-embedder-path', contents)
}

/** Puts the Cypher engine into the program, or none. */
function enginePlugin(engine: PackedAddon | null): Bun.BunPlugin {
  if (engine === null) return replacedModule('cypher-addon-file', 'export const cypherAddonFile = () => null')
  return replacedModule(
    'cypher-addon-file',
    `import packedPath from ${JSON.stringify(engine.packedPath)} with { type: 'file' }
export const cypherAddonFile = () => ({ packedPath, sha256: ${JSON.stringify(engine.sha256)} })`,
  )
}

export interface CompileOptions {
  readonly plugins?: readonly Bun.BunPlugin[]
  /** Whether the program gets the built-in embedder; true when not given. */
  readonly hasEmbedder?: boolean
  /** None when not given: it takes a second or two to pack. */
  readonly engine?: PackedAddon | null
}

/** Settings of `Bun.build` for one file that holds Bun and the program. @param outfile where it is written */
export function compileSettings(
  outfile: string,
  { plugins = [], hasEmbedder = true, engine = null }: CompileOptions = {},
) {
  return {
    plugins: [embedderPlugin(hasEmbedder), enginePlugin(engine), ...plugins],
    target: 'bun',
    format: 'esm',
    minify: true,
    bytecode: true,
    // What is behind an import() lies apart in the file: a command reads only what it uses.
    splitting: true,
    compile: {
      outfile,
      // A folder the program is started in must not change what it does.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
      // Without it only Bun's own list of certificate authorities is trusted, and a company's proxy is not on it.
      execArgv: ['--use-system-ca'],
    },
  } as const satisfies Partial<Bun.BuildConfig>
}
