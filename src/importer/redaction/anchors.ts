/** Finds any of many literal texts in few passes. Knows nothing of what begins with them. */

export interface Anchors {
  /** Wherever they stand. */
  readonly anywhere: readonly string[]
  /** After no letter or digit, or after an escape. */
  readonly atWordStart: readonly string[]
}

/** As source: what may stand right in front of a word although it ends like one. Escapes of JSON, colours of a terminal, percent-encoding. */
export const ESCAPE = String.raw`\\(?:[nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|\[[0-9;]{0,12}m|%[0-9A-F]{2}`

/** Global expressions whose first group is the anchor, the longest where one begins another. Each is a pass of its own. */
export function anchorExpressions({ anywhere, atWordStart }: Anchors): readonly RegExp[] {
  const words = alternatives(atWordStart)
  // Three fast passes: as one expression they take twice as long, for no position can be ruled out by what is before it.
  return [`(${alternatives(anywhere)})`, `(?<![A-Za-z0-9])(${words})`, `(?:${ESCAPE})(${words})`].map(
    (source) => new RegExp(source, 'g'),
  )
}

/** Common beginnings written once, which halves the time of a pass. */
function alternatives(words: readonly string[]): string {
  const rests = new Map<string, string[]>()
  for (const word of new Set(words)) {
    const rest = rests.get(word.charAt(0)) ?? []
    rest.push(word.slice(1))
    rests.set(word.charAt(0), rest)
  }
  // The end of a word is the empty beginning; it comes last, so that longer words come first.
  const grouped = [...rests].filter(([first]) => first !== '').map(([first, rest]) => escaped(first) + group(rest))
  return rests.has('') ? [...grouped, ''].join('|') : grouped.join('|')
}

function group(rests: readonly string[]): string {
  const [only] = rests
  return rests.length === 1 && only !== undefined ? escaped(only) : `(?:${alternatives(rests)})`
}

function escaped(literal: string): string {
  return literal.replace(/[\\./?]/g, '\\$&')
}
