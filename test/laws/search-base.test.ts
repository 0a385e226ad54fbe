import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { VIEW_NAMES, type ViewName } from '../../src/model/experience.ts'
import { analyzeDocument, analyzeQuery } from '../../src/search/analyzer.ts'
import { inverseDocumentFrequency, lengthNorm, scoreLimit, termScore } from '../../src/search/bm25.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { experienceJson, layout } from '../fakes/searched-workspace.ts'

const word = fc.constantFrom(
  'cache',
  'build',
  'stale',
  'error',
  'fix',
  'naïve',
  'foo_bar',
  '日本語',
  'constructor',
  'the',
)
const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))
const change = fc.record({
  name: fc.oneof(
    fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    fc.integer({ min: 0, max: 29 }).map((n) => `crowd-${n}`),
  ),
  texts: fc.option(fc.record({ when: text, content: text }), { nil: null }),
  /** How the searching process goes on: as it is, or as a new one. */
  reopens: fc.boolean(),
  locked: fc.boolean(),
})

function portsOver(files: MemoryFiles, lock = new MemoryLock()) {
  return { files, lock, digest, clock: new FixedClock(), ids: new CountingIds() }
}

/** BM25 as the books have it, over all texts at once. */
function naiveScores(texts: ReadonlyMap<string, string>, query: string): [string, number][] {
  const documents = [...texts].map(([path, text]) => ({ path, ...analyzeDocument(text) }))
  const norm = lengthNorm(
    documents.length,
    documents.reduce((sum, { length }) => sum + length, 0),
  )
  const scores: [string, number][] = []
  for (const { path, terms, length } of documents) {
    let score = 0
    for (const term of analyzeQuery(query)) {
      const frequency = terms.filter((other) => other === term).length
      const having = documents.filter(({ terms }) => terms.includes(term)).length
      if (frequency > 0)
        score += termScore(scoreLimit(inverseDocumentFrequency(documents.length, having)), frequency, length, norm)
    }
    if (score > 0) scores.push([path, score])
  }
  return scores.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
}

interface Scene {
  readonly files: MemoryFiles
  readonly lock: MemoryLock
  readonly present: Map<string, { when: string; content: string }>
}

/** @param crowded many files, so that what changes leaves gaps in the base; else so few that it is written anew */
function sceneOf(crowded: boolean): Scene {
  const scene: Scene = { files: new MemoryFiles(), lock: new MemoryLock(), present: new Map() }
  scene.files.makeFolder('/w')
  scene.files.makeFolder('/w/procedures')
  for (let n = 0; crowded && n < 30; n += 1)
    put(scene, `crowd-${n}`, { when: n % 2 === 0 ? 'cache' : 'stale build', content: 'fix' })
  return scene
}

function put({ files, present }: Scene, name: string, texts: { when: string; content: string } | null): void {
  const path = `/w/procedures/${name}.json`
  if (texts === null) {
    files.remove(path)
    present.delete(name)
    return
  }
  files.write(path, experienceJson(texts.when, texts.content))
  present.set(name, texts)
}

function textsIn({ present }: Scene, view: ViewName): ReadonlyMap<string, string> {
  const textOf = ({ when, content }: { when: string; content: string }) =>
    view === 'when_to_use' ? when : `${when}\n\n${content}`
  return new Map([...present].map(([name, texts]) => [`procedures/${name}.json`, textOf(texts)]))
}

test('any changes of files, seen by any processes, give bit for bit what the books say of the files as they are', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), text, fc.boolean(), (changes, query, crowded) => {
      const scene = sceneOf(crowded)
      const { files, lock, present } = scene
      let search = new ExperienceSearch(portsOver(files, lock), layout, { besideMax: 2 })
      search.refresh()
      for (const { name, texts, reopens, locked } of changes) {
        put(scene, name, texts)
        if (reopens) search = new ExperienceSearch(portsOver(files, lock), layout, { besideMax: 2 })
        {
          // Another process that writes the base keeps this one from it, never from an answer.
          using _ = locked ? lock.acquire('/w/metadata/index/lock') : null
          search.refresh()
        }
        expect(search.count).toBe(present.size)
      }
      for (const view of VIEW_NAMES) {
        const { hits } = search.search({ query, view, limit: 200 })
        expect(hits.map(({ path, keyword }) => [path, keyword?.score])).toEqual(
          naiveScores(textsIn(scene, view), query),
        )
        // A share of what no document can reach.
        for (const { score } of search.search({ query, view, limit: 200, fusion: 'score' }).hits)
          expect(score).toBeWithin(Number.MIN_VALUE, 1)
      }
    }),
    { numRuns: 60 },
  )
}, 20_000)

test('every text finds itself with all the weight of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), (content) => {
      const terms = new Set(analyzeDocument(content).terms)
      for (const term of analyzeQuery(content)) expect(terms.has(term)).toBe(true)
      fc.pre(terms.size > 0 && /\S/.test(content))
      const scene = sceneOf(false)
      put(scene, 'a', { when: content, content })
      new ExperienceSearch(portsOver(scene.files), layout, { besideMax: 0 }).refresh()
      const search = new ExperienceSearch(portsOver(scene.files), layout)
      search.refresh()
      expect(search.search({ query: content }).hits).toMatchObject([{ path: 'procedures/a.json', fit: 1 }])
    }),
  )
}, 20_000)
