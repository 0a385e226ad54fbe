import { describe, expect, test } from 'bun:test'
import { mermaidPicture } from '../../../src/graph/picture/mermaid.ts'
import { pictureOf } from '../../../src/graph/picture/picture.ts'
import { eventNode, HOSTILE_TEXTS, holds, hostileGraph, sessionNode } from '../../fakes/nasty-picture.ts'

/** Every line that a picture may have: what stands between quotes is plain letters, and characters by their number. */
const PLAIN = String.raw`(?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Join_Control} .,()'/?=·…-]|#\d+;)*`
const LABEL = `"${PLAIN}(?:<br/>${PLAIN})*"`
const LINES = [
  /^flowchart LR$/,
  new RegExp(
    `^  [a-z]+\\d*(?:\\(\\[${LABEL}\\]\\)|\\[${LABEL}\\]|\\(${LABEL}\\)|\\[\\[${LABEL}\\]\\]|\\{\\{${LABEL}\\}\\}|\\[/${LABEL}/\\]):::[A-Z][A-Za-z]+$`,
    'u',
  ),
  /^ {2}[a-z]+\d* -->\|[A-Z_]+\| [a-z]+\d*$/,
  /^ {2}classDef [A-Z][A-Za-z]+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}$/,
]

const event = (text: string) =>
  mermaidPicture({ session_id: 's', nodes: [sessionNode('s'), eventNode('e', text)], edges: [holds('s', 'e', 1)] })
    .split('\n')
    .find((line) => line.startsWith('  episodic1['))

describe('a picture for Mermaid', () => {
  test.each(HOSTILE_TEXTS.map((text) => [text.slice(0, 60), text]))(
    'keeps to its lines whatever is said: %j',
    (_, text) => {
      const lines = mermaidPicture(hostileGraph([text]))
        .trimEnd()
        .split('\n')
      for (const line of lines) expect(LINES.some((form) => form.test(line))).toBe(true)
      // The heading, a session, event and concept, two relations, three classes.
      expect(lines).toHaveLength(9)
    },
  )

  test('tells in words what a node is and says', () => {
    expect(event('the cache\nis stale')).toBe('  episodic1["event 1 · error<br/>the cache is stale"]:::EpisodicMemory')
  })

  test.each([
    ['goes stale', 'build cache · version 1<br/>goes stale'],
    ['Build cache: goes stale', 'build cache · version 1<br/>Build cache#58; goes stale'],
    ['Build cache.', 'knowledge · version 1<br/>Build cache.'],
  ])('names knowledge by its concept unless it says it: %s', (content, told) => {
    const knowledge = { node: 'SemanticMemory', memory_id: 'k', concept: 'build cache', content, version: 1 } as const
    const picture = mermaidPicture({ session_id: 's', nodes: [sessionNode('s'), knowledge], edges: [] })
    expect(picture).toContain(`"${told}"`)
  })

  test('says of a session without words about it since when it is, and its id once', () => {
    const [, session] = mermaidPicture({ session_id: 's', nodes: [sessionNode('s')], edges: [] }).split('\n')
    expect(session).toContain('["session s · active<br/>since 2026-01-02T03#58;04#58;05.000Z<br/>Nothing')
  })

  test('writes what Mermaid reads as its own by number', () => {
    expect(event('"a" <b> #35; %%{ ßﬂ')).toContain('<br/>#34;a#34; #60;b#62; #35;35#59; #37;#37;#123; #223;#64258;"')
  })

  test.each(['1. one', '12) twelve', '- one', 'www.example.invalid'])(
    'leaves no list and no address for Markdown in %j',
    (text) => {
      expect(event(text)).toMatch(/<br\/>(?:\d+#4[16];|#45;|www#46;)/)
    },
  )

  test.each([
    ['C:\\new \\N', 'C#58;#92;#8203;new #92;#8203;N'],
    ['$$x$$', '#36;#8203;#36;x#36;#8203;#36;'],
    ['ﬂ°°60¶ß', '#64258;#8203;#176;#176;60#182;#8203;#223;'],
  ])('keeps apart what is read as a line break, as mathematics, or as an entity later: %j', (text, label) => {
    expect(event(text)).toContain(`<br/>${label}"`)
  })

  test('shortens a long text at the end of a word', () => {
    expect(event('word '.repeat(30))).toContain(`<br/>${'word '.repeat(12).trim()}…"`)
  })

  test('shortens a text without blanks between two characters', () => {
    expect(event(`a${'😀'.repeat(100)}`)).toContain(`<br/>a${'😀'.repeat(29)}…"`)
  })

  test('comes with a word about the bounds of Mermaid where it is beyond them', async () => {
    const ids = Array.from({ length: 501 }, (_, at) => `e${at}`)
    const graph = {
      session_id: 's',
      nodes: [sessionNode('s'), ...ids.map((id) => eventNode(id, 'x'))],
      edges: ids.map((id, at) => holds('s', id, at + 1)),
    }
    expect((await pictureOf(graph, 'mermaid')).notice).toContain('501 relations')
    expect((await pictureOf(hostileGraph(['x']), 'mermaid')).notice).toBeNull()
  })
})
