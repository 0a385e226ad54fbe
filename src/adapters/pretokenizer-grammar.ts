/** The patterns by which byte-level tokenizers cut texts into pieces, of which a scanner is known to do the same. */
import { type Fields, fieldsOf } from '../model/json-values.ts'
import { invariant } from '../model/memory-error.ts'

/** `cl100k`: contractions first, then words after one other character. `o200k`: words by their case. `gpt2`: the first one. */
export type GrammarKind = 'cl100k' | 'o200k' | 'gpt2'

export interface Grammar {
  readonly kind: GrammarKind
  /** Numbers in one piece, at most; 0 for any number. */
  readonly digitsMax: number
  /** Whether marks belong to words as letters do. */
  readonly hasMarks: boolean
  /** Whether contractions belong to the word before them. */
  readonly hasSuffix: boolean
  /** Whether `/` may follow punctuation and line ends. */
  readonly hasSlashTail: boolean
}

const CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
const SPACE = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+'
const CAPITALS = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]'
const SMALL = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]'
const BEFORE = '[^\\r\\n\\p{L}\\p{N}]?'

const PLAIN = { hasMarks: false, hasSuffix: false, hasSlashTail: false }
const GPT2: Grammar = { kind: 'gpt2', digitsMax: 0, ...PLAIN }

/** Those that files write out. */
const WRITTEN_OUT = [1, 3].flatMap((digitsMax): readonly Grammar[] => [
  { kind: 'cl100k', digitsMax, ...PLAIN },
  { kind: 'cl100k', digitsMax, ...PLAIN, hasMarks: true },
  { kind: 'o200k', digitsMax, ...PLAIN, hasSlashTail: true },
  { kind: 'o200k', digitsMax, ...PLAIN, hasSlashTail: true, hasSuffix: true },
])
/** Files are compared with them letter by letter. */
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(WRITTEN_OUT.map((grammar) => [patternOf(grammar), grammar]))

/** As files write it. @param grammar not of `gpt2`, which they name `ByteLevel` */
export function patternOf({ kind, digitsMax, hasMarks, hasSuffix }: Grammar): string {
  invariant(kind !== 'gpt2', 'files do not write out the pattern of GPT-2')
  const number = digitsMax === 1 ? '\\p{N}' : `\\p{N}{1,${digitsMax}}`
  if (kind === 'o200k') {
    const suffix = hasSuffix ? `${CONTRACTION}?` : ''
    const words = `${BEFORE}${CAPITALS}*${SMALL}+${suffix}|${BEFORE}${CAPITALS}+${SMALL}*${suffix}`
    return `${words}|${number}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACE}`
  }
  const [letter, letters] = hasMarks ? ['[\\p{L}\\p{M}]', '\\p{L}\\p{M}'] : ['\\p{L}', '\\p{L}']
  return `${CONTRACTION}|${BEFORE}${letter}+|${number}| ?[^\\s${letters}\\p{N}]+[\\r\\n]*|${SPACE}`
}

/** @param preTokenizer of a tokenizer.json. Null for one that cuts in another way, or whose ByteLevel puts text in. */
export function grammarOf(preTokenizer: unknown): Grammar | null {
  const { type, pretokenizers } = fieldsOf(preTokenizer)
  if (type === 'ByteLevel') return isByteLevel(preTokenizer, { hasPattern: true }) ? GPT2 : null
  if (type !== 'Sequence' || !Array.isArray(pretokenizers) || pretokenizers.length !== 2) return null
  const [split, byteLevel] = pretokenizers as readonly unknown[]
  return isByteLevel(byteLevel, { hasPattern: false }) ? splitGrammar(fieldsOf(split)) : null
}

function splitGrammar({ type, pattern, behavior, invert }: Fields): Grammar | null {
  // Each pattern matches every character, so that to keep the matches and to split by them is the same.
  const keepsAll = (behavior === 'Isolated' && invert === false) || (behavior === 'Removed' && invert === true)
  const { Regex: regex } = fieldsOf(pattern)
  return type === 'Split' && keepsAll && typeof regex === 'string' ? (GRAMMARS.get(regex) ?? null) : null
}

/** @param options whether it cuts by the pattern of GPT-2 itself */
function isByteLevel(value: unknown, options: { readonly hasPattern: boolean }): boolean {
  const { type, add_prefix_space, use_regex } = fieldsOf(value)
  return type === 'ByteLevel' && add_prefix_space !== true && (use_regex ?? true) === options.hasPattern
}
