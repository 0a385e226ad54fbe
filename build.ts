/**
 * `bun build.ts`: makes dist/knowhow, one file with Bun, the program and its assets inside. `--static-model DIR` puts the
 * Model2Vec model of that folder into it, `--without-embedder` leaves the 8 MB of the built-in embedder out.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { builtInModel, modelFault } from './scripts/built-in-model.ts'
import { compileSettings } from './scripts/compile-settings.ts'
import { packedEngine } from './scripts/packed-engine.ts'

const BINARY = join(import.meta.dir, 'dist', process.platform === 'win32' ? 'knowhow.exe' : 'knowhow')

const USAGE = 'bun build.ts [--static-model DIR] [--without-embedder]'

const values = givenOptions()
const model = values['static-model']
const fault = model === undefined ? null : await modelFault(model)
if (fault !== null) {
  console.error(`--static-model: ${fault}`)
  process.exit(1)
}
const engine = packedEngine()
if (engine === null)
  console.log(`without the Cypher engine: npm has not installed it for ${process.platform}-${process.arch}`)
mkdirSync(join(import.meta.dir, 'dist'), { recursive: true })
await Bun.build({
  entrypoints: [join(import.meta.dir, 'src', 'main.ts')],
  ...compileSettings(BINARY, {
    plugins: model === undefined ? [] : [builtInModel(model)],
    hasEmbedder: values['without-embedder'] !== true,
    engine,
  }),
})
if (engine !== null) {
  rmSync(engine.packedPath)
  rmdirSync(dirname(engine.packedPath))
}
const bytes = readFileSync(BINARY)
console.log(BINARY)
console.log(`${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`)

function givenOptions() {
  try {
    return parseArgs({ options: { 'static-model': { type: 'string' }, 'without-embedder': { type: 'boolean' } } })
      .values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}; usage: ${USAGE}`)
    process.exit(2)
  }
}
