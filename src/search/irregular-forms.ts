/**
 * Forms of English words that stemming does not bring to their word: `built`, `indices`, and regular ones it gets wrong
 * (`tried`, `added`, `statuses`). Knows nothing of stems.
 */
import { WordLengths } from './word-lengths.ts'

/**
 * Each word with its forms, as people write them about software, machines and everyday work.
 *
 * Left out is what would find the wrong thing as often as the right one:
 * - what is as often another word, or a noun, whose own plural it would be parted from: bases, bent, bit, bore, bound,
 *   fell, ground, hid, lay, leaves, led, left, lit, lives, rose, sat, saw, shot, spoke, thought, wound;
 * - `won`, for it is what is read of `won't`;
 * - forms of stop words (`done`), which tell texts apart better than their words do;
 * - plurals that stand for themselves: data, media.
 */
const VERBS =
  'add added adding, alias aliased aliases aliasing, arise arisen arose, become became, begin began begun, bias ' +
  'biased biases biasing, bite bitten, bleed bled, blow blew blown, break broke broken, bring brought, build built, ' +
  'burn burnt, buy bought, catch caught, choose chose chosen, come came, creep crept, deal dealt, dereference ' +
  'dereferenced dereferencing, die died dies dying, diff diffed diffing, dig dug, draw drawn drew, drive driven ' +
  'drove, dry dried dries, eat ate eaten, embed embedded embedding embeddings, exceed exceeded exceeding, ' +
  'experience experienced experiencing, fall fallen, feed fed, feel felt, fight fought, find found, fly flew flies ' +
  'flown, focus focused focuses focusing, forbid forbade forbidden, foresee foresaw foreseen, forget forgot ' +
  'forgotten, free freed, freeze froze frozen, get got gotten, give gave given, glue glued gluing, go goes gone ' +
  'went, grow grew grown, hang hung, hear heard, hide hidden, hold held, interfere interfered interfering, keep ' +
  'kept, know knew known, lay laid, learn learnt, lie lied lies lying, lose lost, make made, mean meant, meet met, ' +
  'mimic mimicked mimicking, mislead misled, mistake mistaken mistook, misunderstand misunderstood, overcome ' +
  'overcame, override overridden overrode, overrun overran, oversee oversaw overseen, overwrite overwritten ' +
  'overwrote, panic panicked panicking, pay paid, proceed proceeded proceeding, prove proven, queue queued queuing, ' +
  'rebuild rebuilt, redo redid redone, redraw redrawn redrew, reference referenced referencing, rerun reran, resend ' +
  'resent, rethrow rethrew rethrown, rewind rewound, rewrite rewritten rewrote, ride ridden rode, rise risen, run ' +
  'ran, say said, see seen, seek sought, sell sold, send sent, shake shaken shook, show shown, shrink shrank ' +
  'shrunk, sink sank sunk, sleep slept, slide slid, speak spoken, speed sped, spell spelt, spend spent, spin spun, ' +
  'spy spied spies, stand stood, steal stole stolen, stick stuck, strike struck, succeed succeeded succeeding, ' +
  'sweep swept, take taken took, teach taught, tear tore torn, tell told, throw threw thrown, tie tied ties tying, ' +
  'try tried tries, undergo undergone underwent, understand understood, undertake undertaken undertook, undo undid ' +
  'undone, unwind unwound, wake woke woken, wear wore worn, withdraw withdrawn withdrew, withhold withheld, ' +
  'withstand withstood, write written wrote'

const NOUNS =
  'analysis analyses, appendix appendices, atlas atlases, automaton automata, axis axes, bonus bonuses, bus buses, ' +
  'canvas canvases, child children, corpus corpora, crisis crises, criterion criteria, diagnosis diagnoses, foot ' +
  'feet, gas gases, half halves, hypothesis hypotheses, index indices, lens lenses, man men, matrix matrices, ' +
  'maximum maxima, minimum minima, mouse mice, optimum optima, parenthesis parentheses, person people, phenomenon ' +
  'phenomena, quiz quizzes, radius radii, schema schemata, shelf shelves, sky skies, spectrum spectra, status ' +
  'statuses, synopsis synopses, thesis theses, tooth teeth, vertex vertices, virus viruses, woman women'

/** By form. */
export const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  `${VERBS}, ${NOUNS}`.split(', ').flatMap((entry) => {
    const [word = '', ...forms] = entry.split(' ')
    return forms.map((form) => [form, word] as const)
  }),
)
const lengths = new WordLengths(IRREGULAR_FORMS.keys())

/**
 * Puts the word in the place of its form.
 * @param letters the first `length` are a word in lower case; changed in place, with room for more
 * @returns the length of what now stands there
 */
export function regularInPlace(letters: Uint16Array, length: number): number {
  if (!lengths.mayHold(letters, 0, length)) return length
  const word = IRREGULAR_FORMS.get(String.fromCharCode(...letters.subarray(0, length)))
  if (word === undefined) return length
  for (let at = 0; at < word.length; at += 1) letters[at] = word.charCodeAt(at)
  return word.length
}
