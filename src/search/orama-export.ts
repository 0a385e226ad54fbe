/**
 * A view as a database of Orama's own making, for other programs: its stock tokenizer, index and scores, not ours. No
 * search of this program reads it. Vectors are left out: they say nothing without the embedder that made them.
 */
import { type AnyOrama, components, create, insert } from '@orama/orama'
import { persist } from '@orama/plugin-data-persistence'
import { invariant, MemoryError } from '../model/memory-error.ts'

/** Full text is searched in `text` alone; by path and version one can filter. */
const EXPORT_SCHEMA = { path: 'enum', version: 'enum', text: 'string' } as const
/** Documents after which a caller may look whether it is still to go on. */
const PAUSE_STEP = 64
/**
 * In UTF-16 units. Orama spreads a word over the arguments of a call, and nests words that begin alike as deep as the
 * longest is long: a program on V8 restores about a thousand levels with the stack it has unless told otherwise.
 */
const WORD_UNITS_MAX = 500

const WORD = /[\p{L}\p{M}\p{N}]+/gu
/** What Orama's English tokenizer keeps: all other characters part words. */
const KNOWN_LETTER = /[a-zàèéìòóù0-9]/i

export interface ViewText {
  readonly path: string
  readonly version: string
  readonly text: string
}

export interface ExportedView {
  /** What `restore('json', …)` of `@orama/plugin-data-persistence` takes. */
  readonly json: string
  /** Words that are too long for Orama or in letters that its tokenizer does not know: in the documents, never found. */
  readonly wordsLeftOut: number
}

/** The same texts in the same order give the same JSON. Throws `file_too_large`, and what `pause` throws. */
export async function exportedView(texts: readonly ViewText[], pause: () => Promise<void>): Promise<ExportedView> {
  const { tokenizer, leftOutCount } = boundedTokenizer()
  let unknownCount = 0
  // A table for sorting would hold every text a second time.
  const database = create({ schema: EXPORT_SCHEMA, sort: { enabled: false }, components: { tokenizer } })
  for (const [at, { path, version, text }] of texts.entries()) {
    if (at % PAUSE_STEP === 0) await pause()
    // Left to itself Orama draws an id by chance.
    await insert(database, { id: path, path, version, text })
    for (const [word] of text.matchAll(WORD)) if (!KNOWN_LETTER.test(word)) unknownCount += 1
  }
  await pause()
  const json = await persisted(database, texts.length)
  return { json, wordsLeftOut: leftOutCount() + unknownCount }
}

/** Orama's own, but for words that nobody types and that its stack does not hold. */
function boundedTokenizer() {
  const stock = components.tokenizer.createTokenizer()
  const tokenizer = components.tokenizer.createTokenizer()
  let leftOut = 0
  tokenizer.normalizeToken = (property, word, withCache) => {
    if (word.length <= WORD_UNITS_MAX) return stock.normalizeToken(property, word, withCache)
    leftOut += 1
    return ''
  }
  return { tokenizer, leftOutCount: () => leftOut }
}

async function persisted(database: AnyOrama, textCount: number): Promise<string> {
  try {
    const json = await persist(database, 'json')
    invariant(typeof json === 'string', 'Orama persists JSON as a string')
    return json
  } catch (cause) {
    // An engine throws it for more than a string can hold.
    if (!(cause instanceof RangeError)) throw cause
    throw new MemoryError(
      'file_too_large',
      `the ${textCount} texts of the view are more than one JSON text can hold; export when_to_use, which is smaller`,
      { cause },
    )
  }
}
