/**
 * Counts by @huggingface/tokenizers, put right where it does not do what the file says: it gets JSON that it takes as it is
 * meant, cuts texts by every behaviour that the format has, and has its model look at one piece at a time.
 */
import { type Fields, fieldsOf, isGiven, itemsOf } from '../model/json-values.ts'
import { MemoryError } from '../model/memory-error.ts'
import { charsmapNormalizer } from './charsmap.ts'
import { BYTE_NAMES, mayMeetUnknown } from './library-faults.ts'
import { libraryJson, type SplitBehavior } from './library-json.ts'
import { modelKind } from './tokenizer-faults.ts'

/** What is used of the library, most of whose own types are lost to a compiler that wants the names of files whole. */
interface Library {
  readonly Tokenizer: new (json: Fields, config: Fields) => LibraryTokenizer
  readonly SequenceNormalizer: new () => LibraryNormalizer & { readonly normalizers: readonly unknown[] }
  readonly PrecompiledNormalizer: new () => LibraryNormalizer
  readonly SequencePreTokenizer: new () => LibrarySequence
  readonly SplitPreTokenizer: new () => LibrarySplit
}
interface LibraryTokenizer {
  readonly normalizer: LibraryNormalizer | null
  readonly added_tokens: readonly LibraryAddedToken[]
  /** By what is looked for. */
  readonly added_tokens_map: Map<string, LibraryAddedToken>
  splitter_normalized: object
  readonly pre_tokenizer: unknown
  readonly model: LibraryModel
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: readonly number[] }
}
interface LibraryAddedToken {
  readonly content: string
  readonly normalized: boolean
}
interface LibraryNormalizer {
  readonly config: unknown
  normalize: (text: string) => string
}
interface LibrarySequence {
  readonly tokenizers: readonly unknown[]
}
interface LibrarySplit {
  readonly config: unknown
  readonly pattern: RegExp | null
  pre_tokenize_text: (text: string) => readonly string[]
}
interface LibraryModel {
  readonly tokens_to_ids: Map<string, number>
  /** What it encodes, with unknown tokens made one. */
  _call: (pieces: readonly string[]) => readonly string[]
}
interface LibraryUnigram extends LibraryModel {
  /** By the ids of tokens. */
  readonly scores: number[]
  /** Of a character that no token begins with alone. */
  readonly unk_score: number
  readonly trie: { common_prefix_search(characters: readonly string[], start: number): Iterable<string> }
}

type Count = (text: string) => number

/** @param json of a tokenizer.json without fault. Throws what the library throws. */
export async function openLibrary(json: Fields): Promise<Count> {
  const library = await loadLibrary()
  const tokenizer = new library.Tokenizer(libraryJson(json), {})
  mendCharsmaps(tokenizer.normalizer, library)
  mendAddedTokens(tokenizer)
  mendSplits(tokenizer.pre_tokenizer, library)
  mendModel(tokenizer, json)
  return (text) => {
    try {
      return tokenizer.encode(text, { add_special_tokens: false }).ids.length
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw tooLong(text, cause)
    }
  }
}

/** The part that the library refuses; null when it is none of those that can be tried alone. */
export async function refusedPart(json: Fields): Promise<string | null> {
  const { Tokenizer: One } = await loadLibrary()
  const model = { type: 'WordLevel', vocab: { '?': 0 }, unk_token: '?' }
  const alone = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, model }
  const prepared = libraryJson(json)
  const refuses = (name: string): boolean => {
    try {
      new One({ ...alone, [name]: prepared[name] ?? null }, {}).encode('a', { add_special_tokens: false })
      return false
    } catch {
      // What it says may repeat what the file holds.
      return true
    }
  }
  return ['normalizer', 'pre_tokenizer', 'post_processor'].find(refuses) ?? null
}

async function loadLibrary(): Promise<Library> {
  return (await import('@huggingface/tokenizers')) as unknown as Library
}

function tooLong(text: string, cause: RangeError): MemoryError {
  const what = `a text of ${text.length} UTF-16 units is more than the library that counts by this tokenizer can hold`
  const next = 'divide the file at blank lines, or use a tokenizer of byte-level BPE such as builtin:qwen3'
  return new MemoryError('tokenizer_unavailable', `${what}; ${next}`, { cause })
}

/** The library normalizes by a rule of its own, whatever the charsmap says. */
function mendCharsmaps(normalizer: unknown, { SequenceNormalizer, PrecompiledNormalizer }: Library): void {
  if (!(normalizer instanceof SequenceNormalizer)) return
  for (const part of normalizer.normalizers) {
    if (!(part instanceof PrecompiledNormalizer)) continue
    const normalize = charsmapNormalizer(String(fieldsOf(part.config).precompiled_charsmap))
    if (normalize !== null) part.normalize = normalize
  }
}

/** The library has normalized them before its charsmaps were mended, and takes a rest of text for one as it was before, too. */
function mendAddedTokens(tokenizer: LibraryTokenizer): void {
  const { normalizer, added_tokens, added_tokens_map: tokens } = tokenizer
  if (normalizer === null) return
  tokens.clear()
  for (const token of added_tokens) if (!token.normalized) tokens.set(token.content, token)
  const late = added_tokens.filter(({ normalized }) => normalized)
  const contents = late.map((token) => {
    const content = normalizer.normalize(token.content)
    tokens.set(content, token)
    return content
  })
  const Splitter = tokenizer.splitter_normalized.constructor as new (contents: readonly string[]) => object
  tokenizer.splitter_normalized = new Splitter(contents)
}

function mendSplits(preTokenizer: unknown, { SequencePreTokenizer, SplitPreTokenizer }: Library): void {
  if (!(preTokenizer instanceof SequencePreTokenizer)) return
  for (const part of preTokenizer.tokenizers) {
    if (!(part instanceof SplitPreTokenizer) || part.pattern === null) continue
    const { pattern } = part
    const { behavior, invert } = fieldsOf(part.config)
    const joined = { behavior: behavior as SplitBehavior, isInverted: invert === true }
    part.pre_tokenize_text = (text) => piecesOf(spansOf(text, pattern), joined)
  }
}

interface Span {
  readonly text: string
  readonly isMatch: boolean
}

function spansOf(text: string, pattern: RegExp): readonly Span[] {
  const spans: Span[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(pattern)) {
    // None right behind another, as the format finds them.
    if (match === '' && index === end && spans.at(-1)?.isMatch === true) continue
    if (index > end) spans.push({ text: text.slice(end, index), isMatch: false })
    spans.push({ text: match, isMatch: true })
    end = index + match.length
  }
  if (end < text.length) spans.push({ text: text.slice(end), isMatch: false })
  return spans
}

/** As the format joins them: of several matches in a row only the first is merged. */
function piecesOf(
  spans: readonly Span[],
  { behavior, isInverted }: { readonly behavior: SplitBehavior; readonly isInverted: boolean },
): string[] {
  const pieces: string[] = []
  const isBackward = behavior === 'MergedWithNext'
  let wasMatch = false
  for (const { text, isMatch } of isBackward ? spans.toReversed() : spans) {
    const isCut = isMatch !== isInverted
    const isMerged =
      behavior === 'Contiguous' ? isCut === wasMatch : behavior.startsWith('Merged') && isCut && !wasMatch
    const last = isMerged ? pieces.pop() : undefined
    if (behavior !== 'Removed' || !isCut) pieces.push(isBackward ? text + (last ?? '') : (last ?? '') + text)
    wasMatch = isCut
  }
  return (isBackward ? pieces.toReversed() : pieces).filter((piece) => piece !== '')
}

/**
 * By itself the library makes one of unknown tokens across pieces, and hands all tokens of a long piece of a Unigram to
 * one call, which has no room for them.
 */
function mendModel({ model }: LibraryTokenizer, json: Fields): void {
  const fields = fieldsOf(json.model)
  const kind = modelKind(fields)
  const tokens: readonly unknown[] = Array.isArray(fields.vocab)
    ? fields.vocab.map((entry) => itemsOf(entry)[0])
    : Object.keys(fieldsOf(fields.vocab))
  const places = new Map(tokens.map((token, place) => [token, place]))
  // The model has no tokens but its own, and a Unigram looks their scores up by their places.
  for (const { content } of itemsOf(json.added_tokens).map(fieldsOf)) {
    const place = places.get(content)
    if (place === undefined) model.tokens_to_ids.delete(String(content))
    else if (kind === 'Unigram') model.tokens_to_ids.set(String(content), place)
  }
  if (kind === 'Unigram') {
    const tokensOf = unigramTokens(model as LibraryUnigram, fields)
    model._call = (pieces) => pieces.flatMap(tokensOf)
    return
  }
  const encoded = model._call.bind(model)
  const known = kind === 'BPE' && !isGiven(fields.unk_token) && mayMeetUnknown(json) ? places : null
  model._call = (pieces) => pieces.flatMap((piece) => encoded([known === null ? piece : knownPart(piece, known)]))
}

/** The library scores the token for what is unknown as it does what is unknown, and knows no bytes. */
function unigramTokens(model: LibraryUnigram, { vocab, unk_id, byte_fallback }: Fields) {
  const { tokens_to_ids: ids } = model
  const unknown = itemsOf(itemsOf(vocab)[Number(unk_id)])
  if (isGiven(unk_id)) model.scores[Number(unk_id)] = Number(unknown[1])
  const isUnknown = (token: string): boolean => !ids.has(token) || token === unknown[0]
  return (piece: string): readonly string[] => {
    const tokens: string[] = []
    let run = ''
    for (const token of [...bestTokens(model, Array.from(piece)), null]) {
      if (token !== null && isUnknown(token)) {
        run += token
        continue
      }
      if (run !== '') for (const one of byte_fallback === true ? tokensOrBytes(run, ids) : [run]) tokens.push(one)
      run = ''
      if (token !== null) tokens.push(token)
    }
    return tokens
  }
}

/** Those of the highest sum of scores, of several the ones that begin first; the library needs 700 bytes a character for them. */
function bestTokens(model: LibraryUnigram, characters: readonly string[]): readonly string[] {
  const best = new Float64Array(characters.length + 1).fill(Number.NEGATIVE_INFINITY)
  /** By where a token ends. */
  const starts = new Uint32Array(characters.length + 1)
  best[0] = 0
  for (const start of characters.keys()) {
    const take = (length: number, score: number): void => {
      const sum = (best[start] ?? 0) + score
      if (sum <= (best[start + length] ?? 0)) return
      best[start + length] = sum
      starts[start + length] = start
    }
    let isKnown = false
    for (const token of model.trie.common_prefix_search(characters, start)) {
      const length = Array.from(token).length
      isKnown ||= length === 1
      take(length, model.scores[model.tokens_to_ids.get(token) ?? -1] ?? model.unk_score)
    }
    if (!isKnown) take(1, model.unk_score)
  }
  const tokens: string[] = []
  for (let end = characters.length; end > 0; end = starts[end] ?? 0)
    tokens.push(characters.slice(starts[end], end).join(''))
  return tokens.reverse()
}

/** What no token stands for is left out before tokens are merged, so that what is around it may merge. */
function knownPart(piece: string, vocabulary: ReadonlyMap<unknown, number>): string {
  return Array.from(piece)
    .filter((character) => vocabulary.has(character))
    .join('')
}

/** @param token that is not in the vocabulary where it is a run of what is unknown */
function tokensOrBytes(token: string, ids: ReadonlyMap<string, number>): readonly string[] {
  if (ids.has(token)) return [token]
  const bytes = Array.from(new TextEncoder().encode(token), (byte) => BYTE_NAMES[byte] ?? '')
  return bytes.every((name) => ids.has(name)) ? bytes : [token]
}
