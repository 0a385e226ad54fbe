/**
 * Where the native library is known to count otherwise than @huggingface/tokenizers, which is the reference, and why.
 * docs/tokenizers.md says the same in the same words. A text on which they differ is explained when it holds such a
 * cause and both agree on it as soon as that is taken out.
 */
import { type NativeLibrary, nativeMembers } from './native-tokenizers.ts'
import { NPM_TOKENIZERS } from './npm-tokenizers.ts'

export interface Divergence {
  readonly name: string
  readonly reason: string
  /** Tokenizers by which a whole run must meet it, and by no others. */
  readonly tokenizers: readonly string[]
}

/** @returns the text without what makes the libraries differ, as it is where there is nothing */
type Repair = (text: string, tokenizer: string) => string

export const DIVERGENCES = {
  surrogates: {
    name: 'lone surrogates',
    reason:
      'The native library gets UTF-8, where they are U+FFFD already. The reference cuts and looks up before that, when they are no symbol as U+FFFD is (DeepSeek) and not the token that U+FFFD is (Gemma).',
    tokenizers: ['deepseek_v3', 'gemma3'],
  },
  whiteSpace: {
    name: 'white space of GPT-2',
    reason:
      "The reference has GPT-2's pattern as one of JavaScript, whose `\\s` has U+FEFF and lacks U+0085. In the native library it is Unicode's White_Space.",
    tokenizers: ['gpt2', 'claude'],
  },
  classes: {
    name: 'characters newer than Unicode 16',
    reason:
      'The patterns of the native library know the classes of Unicode 16, those of the reference what the runtime knows: Unicode 17 in Bun 1.4.5, with 4,803 characters more, and U+0295 as Lo.',
    tokenizers: NPM_TOKENIZERS.filter((name) => name !== 'gemma3'),
  },
  forms: {
    name: 'normal forms newer than Unicode 9',
    reason:
      'The normalizers of the native library are of Unicode 9: newer marks are not put in order, newer pairs not composed (NFC), newer characters not replaced (NFKC).',
    tokenizers: ['qwen3', 'qwen2_5', 'claude'],
  },
} as const satisfies Readonly<Record<string, Divergence>>

/** Those that normalize, and into what. */
const FORMS: Readonly<Record<string, 'NFC' | 'NFKC'>> = { qwen3: 'NFC', qwen2_5: 'NFC', claude: 'NFKC' }

/** Classes that patterns name, each with an old character of it that stands in for new ones. */
const CLASSES: readonly (readonly [regex: string, own: RegExp, standIn: string])[] = [
  ['\\p{Lu}', /\p{Lu}/u, 'Ж'],
  ['\\p{Ll}', /\p{Ll}/u, 'ж'],
  ['\\p{Lt}', /\p{Lt}/u, 'ǅ'],
  ['\\p{Lm}', /\p{Lm}/u, 'ʰ'],
  ['\\p{Lo}', /\p{Lo}/u, 'ع'],
  ['\\p{N}', /\p{N}/u, '٣'],
  ['\\p{M}', /\p{M}/u, '\u093f'],
  ['\\p{P}', /\p{P}/u, '¶'],
  ['\\p{S}', /\p{S}/u, '☃'],
  ['\\s', /\p{White_Space}/u, '\u3000'],
]

const CODE_POINTS = 0x110000
const BLOCK = 0x1000

/** @param library is asked for its tables, so that nothing is explained by a table that it does not have */
export function explainedDivergences(library: NativeLibrary): readonly (Divergence & { readonly repaired: Repair })[] {
  const standIns = newerCharacters(library)
  const normalizers = { NFC: library.nfcNormalizer(), NFKC: library.nfkcNormalizer() }
  const normalized: Repair = (text, tokenizer) => {
    const form = FORMS[tokenizer]
    if (form === undefined) return text
    const own = text.normalize(form)
    return normalizers[form].normalizeString(text) === own.toWellFormed() ? text : own
  }
  const { surrogates, whiteSpace, classes, forms } = DIVERGENCES
  return [
    { ...surrogates, repaired: (text) => text.toWellFormed() },
    { ...whiteSpace, repaired: (text) => text.replaceAll('\ufeff', '\u3000').replaceAll('\u0085', '\u0086') },
    { ...classes, repaired: (text) => Array.from(text, (character) => standIns.get(character) ?? character).join('') },
    { ...forms, repaired: normalized },
  ]
}

/** Those that are of other classes to the native library, each with one that is of the same class to both. */
function newerCharacters(library: NativeLibrary): ReadonlyMap<string, string> {
  const standIns = new Map<string, string>()
  const classes = CLASSES.map(([regex, own, standIn]) => ({ members: nativeMembers(library, regex), own, standIn }))
  for (let start = 0; start < CODE_POINTS; start += BLOCK) {
    const characters = Array.from({ length: BLOCK }, (_, at) => String.fromCodePoint(start + at)).filter((character) =>
      character.isWellFormed(),
    )
    if (characters.length === 0) continue
    for (const { members, own, standIn } of classes) {
      const found = members(characters)
      for (const character of characters)
        if (own.test(character) && !found.has(character)) standIns.set(character, standIn)
    }
  }
  return standIns
}
