import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import { ExperienceSearch } from '../../src/search/experience-search.ts'
import { KeywordView, type SearchView } from '../../src/search/view.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'

const FOLDER = '/w/procedures'

const experienceJson = (when: string, content = 'Nothing') =>
  JSON.stringify({ description: 'D', 'when-to-use': when, content, sources: [] })

let files: MemoryFiles
let search: ExperienceSearch

const write = (name: string, when: string, content?: string) =>
  files.write(`${FOLDER}/${name}.json`, experienceJson(when, content))

const options = () => ({ files, digest, clock: new FixedClock(), folder: FOLDER, name: 'procedures' })

function pathsFor(query: string, view?: 'when_to_use' | 'when_to_use_content'): readonly string[] {
  return search.search({ query, view }).hits.map(({ path }) => path)
}

const versionOf = (path: string) => search.entry(path)?.version ?? 'none'

beforeEach(() => {
  files = new MemoryFiles()
  write('red', 'when red appears', 'paint it over')
  write('blue', 'when blue appears', 'leave it alone')
  search = new ExperienceSearch(options())
  search.refresh()
})

describe('a search', () => {
  test('finds by when-to-use alone in the one view, and by the content too in the other', () => {
    expect(pathsFor('paint')).toEqual([])
    expect(pathsFor('paint', 'when_to_use_content')).toEqual(['procedures/red.json'])
    expect(pathsFor('red')).toEqual(['procedures/red.json'])
  })

  test('answers with path, version, ranks and fit, scored (1-w)/(60+rank) without vectors', () => {
    const { hits, ...rest } = search.search({ query: 'red', vectorWeight: 0.7 })
    expect(hits).toEqual([
      {
        path: 'procedures/red.json',
        version: digest.sha256(new TextEncoder().encode(experienceJson('when red appears', 'paint it over'))),
        score: (1 - 0.7) / 61,
        fit: 1,
        vector: null,
        keyword: { rank: 1, score: expect.any(Number) },
      },
    ])
    expect(rest).toEqual({
      view: 'when_to_use',
      mode: 'keyword',
      fusion: 'rrf',
      indexComplete: true,
      leftOut: [],
      invalid: [],
    })
  })

  test('fused by score answers the share of the most that BM25 could give', () => {
    const [hit] = search.search({ query: 'red', fusion: 'score' }).hits
    // N = 2, df 1, length 3 of 3 on average: score = idf * 2.2 / 2.2, upper = idf * 2.2.
    expect(hit?.score).toBeCloseTo(1 / 2.2, 12)
  })

  test('gives no more hits than the limit, 5 unless told', () => {
    for (let n = 0; n < 9; n += 1) write(`many-${n}`, 'many of them')
    search.refresh()
    expect(pathsFor('many')).toHaveLength(5)
    expect(search.search({ query: 'many', limit: 7 }).hits).toHaveLength(7)
  })

  test('drops what fits less than asked', () => {
    expect(search.search({ query: 'red whale', minFit: 0 }).hits).toHaveLength(1)
    expect(search.search({ query: 'red whale', minFit: 0.9 }).hits).toEqual([])
    expect(search.search({ query: 'red appears', minFit: 1 }).hits).toHaveLength(1)
  })

  test('finds nothing for a query of punctuation alone', () => {
    expect(search.search({ query: '?!' }).hits).toEqual([])
  })

  test('lists the invalid files', () => {
    files.write(`${FOLDER}/bad.json`, '[]')
    search.refresh()
    expect(search.search({ query: 'red' }).invalid).toMatchObject([{ path: 'procedures/bad.json' }])
  })
})

describe('a search is refused as invalid_argument', () => {
  test.each([
    ['for an empty query', { query: '' }, 'empty'],
    ['for a blank query', { query: ' \n' }, 'empty'],
    ['for a limit of 0', { query: 'red', limit: 0 }, 'limit is 0'],
    ['for a limit of 201', { query: 'red', limit: 201 }, 'limit is 201'],
    ['for a limit of 1.5', { query: 'red', limit: 1.5 }, 'limit is 1.5'],
    ['for a limit of Number.NaN', { query: 'red', limit: Number.NaN }, 'limit is NaN'],
    ['for a vectorWeight of -0.1', { query: 'red', vectorWeight: -0.1 }, 'weight is -0.1'],
    ['for a vectorWeight of 1.1', { query: 'red', vectorWeight: 1.1 }, 'weight is 1.1'],
    ['for a vectorWeight of Number.NaN', { query: 'red', vectorWeight: Number.NaN }, 'weight is NaN'],
    ['for a minFit of 2', { query: 'red', minFit: 2 }, 'fit is 2'],
  ])('%s', (_what, request, message) => {
    expect(() => search.search(request)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
    )
  })
})

describe('after a refresh', () => {
  test('a hand edit is found by its new words and not by its old ones', () => {
    write('red', 'when green appears')
    search.refresh()
    expect(pathsFor('red')).toEqual([])
    expect(pathsFor('green')).toEqual(['procedures/red.json'])
    expect(search.search({ query: 'green' }).hits[0]?.version).toBe(versionOf('procedures/red.json'))
  })

  test('a removed file and one that became invalid are in neither view', () => {
    files.remove(`${FOLDER}/red.json`)
    files.write(`${FOLDER}/blue.json`, '{}')
    search.refresh()
    expect(pathsFor('red blue appears')).toEqual([])
    expect(pathsFor('paint leave', 'when_to_use_content')).toEqual([])
  })
})

describe('an excluded version', () => {
  test('is in neither view, is reported, and does not count in the scores of the others', () => {
    search.refresh(new Map([['procedures/red.json', versionOf('procedures/red.json')]]))
    expect(pathsFor('red appears')).toEqual(['procedures/blue.json'])
    expect(pathsFor('paint', 'when_to_use_content')).toEqual([])
    const answer = search.search({ query: 'appears' })
    expect(answer.indexComplete).toBe(false)
    expect(answer.leftOut).toEqual([
      { path: 'procedures/red.json', version: versionOf('procedures/red.json'), error: null },
    ])
    const alone = new KeywordView('when_to_use')
    alone.set('procedures/blue.json', 'when blue appears')
    expect(answer.hits[0]?.keyword?.score).toBe(alone.rank('appears', 1)[0]?.score ?? 0)
  })

  test('comes back when the exclusion is lifted', () => {
    search.refresh(new Map([['procedures/red.json', versionOf('procedures/red.json')]]))
    search.refresh()
    expect(pathsFor('red')).toEqual(['procedures/red.json'])
    expect(search.leftOut).toEqual([])
  })

  test('does not hold for the file once it was corrected by hand', () => {
    const excluded = new Map([['procedures/red.json', versionOf('procedures/red.json')]])
    search.refresh(excluded)
    write('red', 'when crimson appears')
    search.refresh(excluded)
    expect(pathsFor('crimson')).toEqual(['procedures/red.json'])
    expect(search.search({ query: 'crimson' }).indexComplete).toBe(true)
  })
})

describe('an experience that one view refuses', () => {
  class FussyView extends KeywordView {
    static refuses = true

    override set(path: string, text: string): void {
      if (FussyView.refuses && this.name === 'when_to_use_content' && text.includes('red'))
        throw new MemoryError('io_failed', 'no room')
      super.set(path, text)
    }
  }

  beforeEach(() => {
    FussyView.refuses = true
    search = new ExperienceSearch({ ...options(), openView: (name): SearchView => new FussyView(name) })
    search.refresh()
  })

  test('is in neither view and is reported with the reason, while the others are found', () => {
    expect(pathsFor('red')).toEqual([])
    expect(pathsFor('blue')).toEqual(['procedures/blue.json'])
    expect(search.leftOut).toEqual([
      { path: 'procedures/red.json', version: versionOf('procedures/red.json'), error: 'no room' },
    ])
    expect(search.search({ query: 'blue' }).indexComplete).toBe(false)
  })

  test('is found as soon as the view takes it', () => {
    FussyView.refuses = false
    search.refresh()
    expect(pathsFor('red')).toEqual(['procedures/red.json'])
    expect(search.leftOut).toEqual([])
  })
})
