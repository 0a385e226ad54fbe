/**
 * Counts tokens of byte-level BPE in the plainest way, as ground truth: pieces by the pattern itself, merges one by one.
 * Takes a tokenizer.json of the kinds that the kernel takes; asks neither the kernel nor any library.
 */
import { BYTE_LETTERS } from '../../src/adapters/byte-level-bpe.ts'

export interface PlainTokenizerJson {
  readonly added_tokens: readonly { readonly content: string }[]
  readonly normalizer: { readonly type: 'NFC' } | null
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>
    readonly merges: readonly (readonly [left: string, right: string])[]
    readonly ignore_merges?: boolean
  }
}

/** The pattern of a `ByteLevel` that is told of no other. */
const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu

const encoder = new TextEncoder()

/** @param regex of the pre-tokenizer as it stands in the file, null for that of GPT-2 */
export function plainTokenCounter(json: PlainTokenizerJson, regex: string | null): (text: string) => number {
  const { vocab, merges, ignore_merges } = json.model
  const pattern = regex === null ? GPT2 : javaScriptPattern(regex)
  const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]))
  const added = json.added_tokens.map(({ content }) => content)
  const countPiece = (piece: string) => {
    const letters = Array.from(encoder.encode(piece), (byte) => BYTE_LETTERS[byte] ?? '')
    return ignore_merges === true && Object.hasOwn(vocab, letters.join('')) ? 1 : symbolsLeft(letters, ranks)
  }
  const countSection = (section: string) => {
    const normalized = json.normalizer === null ? section : section.normalize('NFC')
    if (added.includes(normalized)) return 1
    return (normalized.match(pattern) ?? []).reduce((sum, piece) => sum + countPiece(piece), 0)
  }
  return (text) => {
    let tokens = 0
    let start = 0
    for (let at = 0; at < text.length; ) {
      const token = longestAt(text, at, added)
      if (token === null) at += 1
      else {
        tokens += countSection(text.slice(start, at)) + 1
        at += token.length
        start = at
      }
    }
    return tokens + countSection(text.slice(start))
  }
}

/** Of all neighbours the pair of the lowest rank becomes one, the first of them, until none has a rank. */
export function symbolsLeft(symbols: readonly string[], ranks: ReadonlyMap<string, number>): number {
  const left = [...symbols]
  for (;;) {
    let best = Number.POSITIVE_INFINITY
    let place = -1
    for (let at = 0; at + 1 < left.length; at += 1) {
      const rank = ranks.get(`${left[at]} ${left[at + 1]}`) ?? Number.POSITIVE_INFINITY
      if (rank < best) [best, place] = [rank, at]
    }
    if (place === -1) return left.length
    left.splice(place, 2, `${left[place]}${left[place + 1]}`)
  }
}

function longestAt(text: string, at: number, tokens: readonly string[]): string | null {
  const found = tokens.filter((token) => token !== '' && text.startsWith(token, at))
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null
}

/** In files `\s` is Unicode's white space, and of the letters only those of ASCII have another case. */
function javaScriptPattern(regex: string): RegExp {
  const source = regex
    .replaceAll('\\s', '\\p{White_Space}')
    .replaceAll('\\S', '\\P{White_Space}')
    .replace(/\(\?i:([^)]*)\)/g, (_, choices: string) => `(?:${choices.replace(/[a-z]/g, bothCases)})`)
  return new RegExp(source, 'gu')
}

function bothCases(letter: string): string {
  return `[${letter}${letter.toUpperCase()}]`
}
