import { describe, expect, test } from 'bun:test'
import { dotPicture } from '../../../src/graph/picture/dot.ts'
import { eventNode, HOSTILE_TEXTS, holds, hostileGraph, sessionNode } from '../../fakes/nasty-picture.ts'

/** Every line that a picture may have: within quotes no quote and no backslash but escaped, and no ampersand but of an entity. */
const TEXT = String.raw`"(?:[^"\\&\p{Cc}]|\\\\|\\"|\\n|&amp;)*"`
const LINES = [
  new RegExp(`^digraph ${TEXT} \\{$`, 'u'),
  /^ {2}(?:graph|node|edge) \[[-\w="#, ]*\];$/,
  new RegExp(
    `^  [a-z]+\\d* \\[label=${TEXT}, tooltip=${TEXT}, shape=[a-z]+, fillcolor="#[0-9a-f]{6}", color="#[0-9a-f]{6}"\\];$`,
    'u',
  ),
  /^ {2}[a-z]+\d* -> [a-z]+\d* \[label="[A-Z_]+"(?:, constraint=false)?\];$/,
  /^\}$/,
]
const graphviz = Bun.which('dot')

const event = (text: string) =>
  dotPicture({ session_id: 's', nodes: [sessionNode('s'), eventNode('e', text)], edges: [holds('s', 'e', 1)] })
    .split('\n')
    .find((line) => line.startsWith('  episodic1 ['))

describe('a picture for Graphviz', () => {
  test.each(HOSTILE_TEXTS.map((text) => [text.slice(0, 60), text]))(
    'keeps to its lines whatever is said: %j',
    (_, text) => {
      const lines = dotPicture(hostileGraph([text]))
        .trimEnd()
        .split('\n')
      for (const line of lines) expect(LINES.some((form) => form.test(line))).toBe(true)
      // Heading and defaults, session, event and concept, two relations, the end.
      expect(lines).toHaveLength(10)
    },
  )

  test('takes no escape and no entity from what is said', () => {
    expect(event('"\\N" &quot;')).toContain('label="event 1 · error\\n\\"\\\\N\\" &amp;quot;"')
  })

  test('shows more of a long text under the pointer', () => {
    expect(event('word '.repeat(50))).toContain(`tooltip="${'word '.repeat(50).trim()}"`)
  })

  test.skipIf(graphviz === null)('is drawn by Graphviz without a warning, text for text', async () => {
    const texts = HOSTILE_TEXTS.filter((text) => text.length < 60 && text.trim() !== '')
    const process = Bun.spawn(['dot', '-Tplain'], {
      stdin: new TextEncoder().encode(dotPicture(hostileGraph(texts))),
      stderr: 'pipe',
    })
    const [plain, warnings] = await Promise.all([
      new Response(process.stdout).text(),
      new Response(process.stderr).text(),
    ])
    expect({ exit: await process.exited, warnings }).toEqual({ exit: 0, warnings: '' })
    expect(plain.match(/^node /gm)).toHaveLength(2 * texts.length + 1)
    expect(plain.match(/^edge /gm)?.length).toBeGreaterThanOrEqual(2 * texts.length)
  })
})

if (graphviz === null) console.warn('Graphviz is not installed: that it draws the pictures is not tested here')
