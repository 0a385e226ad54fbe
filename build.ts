/** `bun build.ts`: makes dist/knowhow, one file with Bun, the program and its assets inside. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileSettings } from './scripts/compile-settings.ts'

const BINARY = join(import.meta.dir, 'dist', process.platform === 'win32' ? 'knowhow.exe' : 'knowhow')

mkdirSync(join(import.meta.dir, 'dist'), { recursive: true })
await Bun.build({ entrypoints: [join(import.meta.dir, 'src', 'main.ts')], ...compileSettings(BINARY) })
const bytes = readFileSync(BINARY)
console.log(BINARY)
console.log(`${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`)
