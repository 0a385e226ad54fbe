/**
 * Texts that counters of tokens get wrong, the same on every machine and in every run. Nothing here comes from files or
 * from tables of the runtime, so that counts of them can be kept.
 */
import { randomNumbers } from './random-vectors.ts'

export const NASTY_KINDS = [
  'parts',
  'code points',
  'scripts',
  'contractions',
  'white space',
  'digits',
  'runs',
  'added tokens',
  'lines',
  'triples',
  'quadruples',
] as const
export type NastyKind = (typeof NASTY_KINDS)[number]

/** A whole number from 0 on, below `end`. */
type Below = (end: number) => number

/** What rules of patterns, normalizers and UTF-8 turn on. */
const PARTS = [
  ...`'|'s|'S|'ll|'RE|'Ve|’s| |  |/|//|-|--|.|_|==|,|(|)|{"|":|<|>|\\|@|#`.split('|'),
  ...'a|B|word|Hello|AB|Ab|aB|iPhone|naïve|über|ß|ẞ|ı|İ|ſ|ǅ|ʰ|ª|ﬁ|ﬆ|Å|é|dž|дж|Ω|ς'.split('|'),
  ...'1|23|4567|٣|०|①|Ⅷ|½|²|𝟘|文|字|々|ア|が|한|각|ไทย|ก็|नमस्ते|עִבְרִית|مرحبا'.split('|'),
  ...'🙂|👍🏽|👩‍👩‍👧|🏳️‍🌈|🇩🇪|█|─|→|€|☃︎|〜|、|。'.split('|'),
  ...['\n', '\n\n', '\r', '\r\n', '\t', '\v', '\f', '\0', '\x1b[31m', '\x7f', '\u0085', '\u00a0', '\u00ad'],
  ...['\u1680', '\u180e', '\u2003', '\u2028', '\u202f', '\u3000', '\u200b', '\u200d', '\u2060', '\ufeff', '\ufffd'],
  ...['e\u0301', '\u0301', '\u0338', '\u0345', '\u0327\u0301', '\u0301\u0327', '\u093f', '\u1161', '\u11a8', '\u20dd'],
  ...['\ud800', '\udc00', '\udbff', '\udfff', '\u{10ffff}', '\u{e0001}', '\ue000', '\ufdd0', '\u{1f1e6}'],
  ...['<|im_start|>', '<|endoftext|>', '<|im_', '<think>', '</think>', '|>', '[INST]', '<s>', '<unk>', '<0x0A>', '▁'],
]

/** One of each class, for all texts of three. */
const TRIPLE_ALPHABET = [
  ...[
    "'",
    's',
    'T',
    'l',
    'a',
    'Z',
    'é',
    'ſ',
    'ǅ',
    'ʰ',
    '文',
    'の',
    '1',
    '٣',
    '½',
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '/',
    '-',
  ],
  ...[
    '.',
    '"',
    '<',
    '_',
    '\u0085',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '\u200d',
    '\u0301',
    '\u093f',
    '\u1161',
    '한',
    '🙂',
    '\ud83d',
  ],
  ...['\ude42', '▁', '\u212b'],
]
const QUADRUPLE_ALPHABET = [
  "'",
  's',
  'T',
  'é',
  '文',
  '1',
  ' ',
  '\n',
  '\r',
  '/',
  '.',
  '\u0085',
  '\ufeff',
  '\u0301',
  '🙂',
  '\ud800',
]

const SCRIPTS: readonly (readonly [first: number, last: number])[] = [
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0xc0, 0x17f],
  [0x180, 0x24f],
  [0x250, 0x2ff],
  [0x300, 0x36f],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x531, 0x587],
  [0x591, 0x5f4],
  [0x600, 0x6ff],
  [0x900, 0x97f],
  [0x980, 0x9fe],
  [0xb80, 0xbfa],
  [0xe01, 0xe5b],
  [0xf00, 0xfda],
  [0x1000, 0x109f],
  [0x10a0, 0x10ff],
  [0x1100, 0x11ff],
  [0x1200, 0x139f],
  [0x13a0, 0x13fd],
  [0x1780, 0x17f9],
  [0x1e00, 0x1fff],
  [0x2000, 0x206f],
  [0x2070, 0x20ff],
  [0x2100, 0x22ff],
  [0x2460, 0x27bf],
  [0x3001, 0x30ff],
  [0x3105, 0x33ff],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4c6],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfb00, 0xfdff],
  [0xff01, 0xffee],
  [0x10400, 0x1044f],
  [0x1d400, 0x1d7ff],
  [0x1f300, 0x1faff],
  [0x20000, 0x2a6df],
]

const CONTRACTIONS = ['s', 't', 're', 've', 'm', 'll', 'd', 'ſ', 'x', 'l', 'r', 'v', 'st', 'ss']
const WHITE_SPACE = [
  ' ',
  '\n',
  '\r',
  '\t',
  '\r\n',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u3000',
  '\v',
  '\f',
  '\ufeff',
  '\u200b',
]
const ZEROS = [0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xe50, 0xf20, 0xff10, 0x104a0, 0x1d7ce]
const OTHER_NUMBERS = ['½', '²', 'Ⅷ', '①', '㊿', '万', '৴', '௲']
/** Where caches, windows and the wide loads of a counter end. */
const LENGTHS = [2, 7, 8, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65, 127, 128, 129, 255, 256, 257, 600]
const RUN_PARTS = [
  'a',
  'A',
  'aB',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '-',
  '=',
  '/',
  '7',
  '文',
  'é',
  'e\u0301',
  '\u0301',
  '🙂',
  '\0',
  "'s",
  '. ',
  '─',
]
const WORDS =
  'the error exit code found worker processed batch returns undefined value of retry request timeout file path line not'.split(
    ' ',
  )

/**
 * @param texts at most; of what is enumerated they are spread evenly over the whole, all of it where there is room
 * @param added tokens that kind "added tokens" is about
 */
export function nastyTexts(kind: NastyKind, texts: number, added: readonly string[] = []): readonly string[] {
  const random = randomNumbers(NASTY_KINDS.indexOf(kind) + 1)
  const below: Below = (end) => Math.floor(random() * end)
  const many = (text: () => string) => Array.from({ length: texts }, text)
  switch (kind) {
    case 'parts':
      return many(() => joined(below, PARTS, 1 + below(14)))
    case 'code points':
      return many(() => repeated(1 + below(12), () => String.fromCodePoint(below(below(2) === 0 ? 0x3000 : 0x110000))))
    case 'scripts':
      return many(() => words(below))
    case 'contractions':
      return spread(contractions(), texts)
    case 'white space':
      return many(() =>
        repeated(
          2 + below(3),
          () => `${joined(below, WHITE_SPACE, below(6))}${oneOf(below, ['a', 'Zoë', '1', '.', '文', ''])}`,
        ),
      )
    case 'digits':
      return many(() =>
        repeated(1 + below(4), () => `${digits(below)}${oneOf(below, ['', ' ', ',', '.', 'a', '-', '年'])}`),
      )
    case 'runs':
      return spread(runs(), texts)
    case 'added tokens':
      return added.length === 0 ? [] : many(() => amongAdded(below, added))
    case 'lines':
      return many(() => repeated(1 + below(5), () => line(below)))
    case 'triples':
      return spread(product(TRIPLE_ALPHABET, 3), texts)
    case 'quadruples':
      return spread(product(QUADRUPLE_ALPHABET, 4), texts)
    default:
      return kind satisfies never
  }
}

function oneOf<T>(below: Below, all: readonly [T, ...T[]] | readonly T[]): T {
  return all[below(all.length)] as T
}

function repeated(times: number, text: () => string): string {
  return Array.from({ length: times }, text).join('')
}

function joined(below: Below, parts: readonly string[], count: number): string {
  return repeated(count, () => oneOf(below, parts))
}

/** `count` of them, or all where there are no more. */
function spread(texts: Iterable<string>, count: number): readonly string[] {
  const all = [...texts]
  if (all.length <= count) return all
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)] ?? '')
}

function* product(alphabet: readonly string[], length: number): Generator<string> {
  if (length === 0) yield ''
  else for (const rest of product(alphabet, length - 1)) for (const one of alphabet) yield one + rest
}

/** Of a few scripts, some of their characters unassigned. */
function words(below: Below): string {
  return repeated(1 + below(6), () => {
    const [first, last] = oneOf(below, SCRIPTS)
    const word = repeated(1 + below(7), () => String.fromCodePoint(first + below(last - first + 1)))
    return `${word}${oneOf(below, ['', ' ', '\n', '-', '\u0301', "'s "])}`
  })
}

/** Every way to write them, after and before what changes their meaning. */
function* contractions(): Generator<string> {
  for (const contraction of CONTRACTIONS)
    for (const written of casesOf(contraction))
      for (const apostrophe of ["'", '’', "''", " '"])
        for (const before of ['', 'a', 'I', 'É', '1', '文', ' ', '\n', '.', '\u0301'])
          for (const after of ['', 'x', 'X', '1', ' ', "'", 'ſ', '\u0301'])
            yield `${before}${apostrophe}${written}${after}`
}

function casesOf(word: string): readonly string[] {
  const [first = '', ...rest] = word
  if (first === '') return ['']
  const ends = casesOf(rest.join(''))
  return [...new Set([first, first.toUpperCase()])].flatMap((start) => ends.map((end) => start + end))
}

function digits(below: Below): string {
  const zero = oneOf(below, ZEROS)
  if (below(6) === 0) return joined(below, OTHER_NUMBERS, 1 + below(3))
  return repeated(1 + below(8), () => String.fromCodePoint(zero + below(10)))
}

function* runs(): Generator<string> {
  for (const part of RUN_PARTS)
    for (const length of LENGTHS)
      for (const end of ['', 'x', ' y', '\n'])
        yield `${part.repeat(Math.ceil(length / part.length)).slice(0, length)}${end}`
}

/** Whole ones, their beginnings and ends, and changed ones, among other things. */
function amongAdded(below: Below, added: readonly string[]): string {
  return repeated(1 + below(6), () => {
    const token = oneOf(below, added)
    const cut = below(token.length + 1)
    switch (below(6)) {
      case 0:
      case 1:
        return token
      case 2:
        return token.slice(0, cut)
      case 3:
        return token.slice(cut)
      case 4:
        return `${token.slice(0, cut)}${oneOf(below, PARTS)}${token.slice(cut)}`
      default:
        return oneOf(below, PARTS)
    }
  })
}

/** Of logs, code, JSONL and prose. */
function line(below: Below): string {
  const word = () => oneOf(below, WORDS)
  const number = () => below(10 ** (1 + below(6)))
  switch (below(6)) {
    case 0:
      return `2026-11-${10 + below(20)}T${10 + below(14)}:${10 + below(50)}:00.${number()}Z INFO [${word()}-${number()}] ${word()} ${word()}=${number()}\n`
    case 1:
      return `${'  '.repeat(below(6))}const ${word()}${number()} = await this.${word()}(${word()}, { ${word()}: ${number()} }) // ${word()}'s ${word()}\r\n`
    case 2:
      return `${JSON.stringify({ id: `call_${number().toString(16)}`, role: word(), content: `${word()}\n\t"${word()}" \\${number()}` })}\n`
    case 3:
      return `${repeated(8, () => `${word()}${oneOf(below, [' ', ', ', ' — ', '. ', '’s ', '  '])}`)}\n\n`
    case 4:
      return `| ${word()} | ${number()} |${'-'.repeat(below(40))}|\t${word().toUpperCase()}_${word().toUpperCase()}\n`
    default:
      return `${repeated(12, () => String.fromCodePoint(0x4e00 + below(0x3000)))}，${repeated(5, () => String.fromCodePoint(0xac00 + below(0x2b00)))} 👍🏽。\n`
  }
}
