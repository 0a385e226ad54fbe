/** `bun build.ts`: makes dist/knowhow, one file with Bun, the program and its assets inside. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const BINARY = join(import.meta.dir, 'dist', process.platform === 'win32' ? 'knowhow.exe' : 'knowhow')

async function build(outfile: string): Promise<void> {
  await Bun.build({
    entrypoints: [join(import.meta.dir, 'src', 'main.ts')],
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
  })
}

mkdirSync(join(import.meta.dir, 'dist'), { recursive: true })
await build(BINARY)
const bytes = readFileSync(BINARY)
console.log(BINARY)
console.log(`${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`)
