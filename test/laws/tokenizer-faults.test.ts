/** Whatever is changed in a tokenizer.json, it is refused, or left to the library, or counted as the library counts. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { byteLevelBpe } from '../../src/adapters/byte-level-bpe.ts'
import { InconsistentTokenizer, tokenizerFault } from '../../src/adapters/tokenizer-faults.ts'
import { openWasmTokenCounter } from '../../src/adapters/wasm-token-counter.ts'
import { libraryCount, preTokenizer, smallTokenizer, type TokenizerJson } from '../fakes/tokenizer-json.ts'

const RUNS = 1_500
/** A second or two alone, several times that beside other work. */
const TIMEOUT_MS = 60_000
const TEXTS = [
  'abc abcabc bca',
  '!! !',
  '<x>',
  'e\u0301<x>',
  "I'll 12 x\n\n y",
  '\ud800 \ufffd',
  'undefined null a',
  '',
]

const TEMPLATE = [{ SpecialToken: { id: 'a', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }]
const SMALL = smallTokenizer([
  ['a', 'b'],
  ['ab', 'c'],
])
const FLAGS = { fuse_unk: false, byte_fallback: false, ignore_merges: false, dropout: null, end_of_word_suffix: '' }
const WHOLE = {
  ...SMALL,
  pre_tokenizer: preTokenizer('qwen3'),
  normalizer: { type: 'NFC' },
  added_tokens: [{ id: 900, content: '<x>', lstrip: false, rstrip: false, single_word: false, normalized: false }],
  post_processor: { type: 'TemplateProcessing', single: TEMPLATE, pair: TEMPLATE },
  model: { ...SMALL.model, ...FLAGS, continuing_subword_prefix: '' },
}
const VALUES = [
  ...[null, true, false, 0, 1, -1, 1.5, '', 'a', '!', 'NFC', 'BPE', 'Sequence', 'ByteLevel', '\ud800'],
  ...[
    [],
    {},
    ['a', 'b'],
    [['a', 'b']],
    ['a b'],
    { type: 'NFC' },
    { type: 'ByteLevel' },
    { a: 1 },
    TEMPLATE,
    SMALL.model,
  ],
]

/** Where something stands, but for the ids of the vocabulary, which are many. */
function placesIn(value: unknown, place: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [place]
  const inner = Object.entries(value).filter(([name]) => place.at(-1) !== 'vocab' || name === 'a')
  return [place, ...inner.flatMap(([name, one]) => placesIn(one, [...place, name]))]
}

function changed(value: unknown, [name, ...rest]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? changed(one, rest, to) : one))
  const fields = (value ?? {}) as TokenizerJson
  return typeof value === 'object' ? { ...fields, [name]: changed(fields[name], rest, to) } : value
}

const PLACES = placesIn(WHOLE).slice(1)
const anyChange = fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom<unknown>(...VALUES))

/** Null where the kernel is not asked. */
function kernelCount(json: unknown): ((text: string) => number) | null {
  if (tokenizerFault(json) !== null) return null
  try {
    const bpe = byteLevelBpe(json)
    const counter = 'unfit' in bpe ? null : openWasmTokenCounter(bpe)
    return counter === null ? null : (text) => counter.count(text)
  } catch (cause) {
    if (cause instanceof InconsistentTokenizer) return null
    throw cause
  }
}

test(
  'a description changed anywhere never counts wrongly',
  () => {
    let counted = 0
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 2 }), (changes) => {
        const json = changes.reduce<unknown>((one, [place, to]) => changed(one, place, to), WHOLE)
        const count = kernelCount(json)
        if (count === null) return
        counted += 1
        // Of what becomes of tokens nothing is asked, while the library insists on knowing it.
        expect(TEXTS.map(count)).toEqual(TEXTS.map(libraryCount({ ...(json as TokenizerJson), decoder: null })))
      }),
      { numRuns: RUNS },
    )
    expect(counted).toBeGreaterThan(RUNS / 10)
  },
  TIMEOUT_MS,
)
