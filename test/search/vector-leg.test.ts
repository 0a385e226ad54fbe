import { describe, expect, test } from 'bun:test'
import { VIEW_NAMES, type ViewName } from '../../src/model/experience.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { Embedder, Embedding, EmbedOptions } from '../../src/ports.ts'
import type { IndexedTexts } from '../../src/search/owed-texts.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { textKey } from '../../src/search/text-key.ts'
import { VectorLeg } from '../../src/search/vector-leg.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FakeEmbedder } from '../fakes/fake-embedder.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { keysOfTexts } from '../fakes/text-keys.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)
const folder = '/w/metadata/index'

function workspace() {
  const files = new MemoryFiles()
  files.makeFolder('/w')
  const ports = { files, lock: new MemoryLock(), digest, clock: new FixedClock(), ids: new CountingIds() }
  const open = (embedder: Embedder, batchSize = 4) =>
    new VectorLeg(ports, layout, { embedder, kernel: plainKernel, batchSize })
  /** Changes one byte of each pack, counted from its end. */
  const damage = (fromEnd: number) => {
    for (const name of (files.names(folder) ?? []).filter((name) => name.endsWith('.knw'))) {
      const bytes = files.read(`${folder}/${name}`) ?? new Uint8Array()
      bytes[bytes.length - fromEnd] = (bytes[bytes.length - fromEnd] ?? 0) ^ 1
      files.write(`${folder}/${name}`, bytes)
    }
  }
  return { files, ports, open, damage }
}

/** Both views have the text of the file; the view of contents has `content of` before it. */
function textIn(view: ViewName, text: string): string {
  return view === 'when_to_use' ? text : `content of ${text}`
}

/** Files by slot; null for one that does not count. `changed` files are no longer what was indexed. */
function indexed(texts: readonly (string | null)[], changed: ReadonlySet<number> = new Set()): IndexedTexts {
  return {
    pathOf: (slot) => `p/${slot}`,
    textKeys: (view) => keysOfTexts(texts.map((text) => (text === null ? null : textIn(view, text)))),
    textOf: (view, slot) => (changed.has(slot) ? null : textIn(view, texts[slot] ?? '')),
  }
}

/** As a process does at each refresh. */
function show(leg: VectorLeg, shown: IndexedTexts): void {
  leg.takeIn()
  leg.show(shown)
}

/** Those of the shorter view that are refused, with the reason. */
function refusals(leg: VectorLeg, texts: readonly string[]): readonly (string | null)[] {
  return texts.map((text) => leg.refusalOf(textKey(digest, text)))
}

const texts = ['red fox', 'blue whale', 'green tree', 'red fox']

function slotsFound(leg: VectorLeg, vector: Float32Array | null, limit = 10): number[] {
  return vector === null ? [] : leg.nearest('when_to_use', vector, limit).map(({ slot }) => slot)
}

describe('a search', () => {
  test('asks for its query, and for one batch of what is owed, each text once', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed(texts))
    const { vector, notice } = await leg.prepare('when_to_use', 'a red fox')
    expect(embedder.calls.map(({ texts }) => texts)).toEqual([
      ['a red fox'],
      ['red fox', 'blue whale', 'green tree', 'content of red fox'],
    ])
    expect(notice).toBeNull()
    expect(slotsFound(leg, vector, 2)).toEqual([0, 3])
  })

  test('asks for its query alone when nothing is owed, in this process and the next', async () => {
    const { open } = workspace()
    const first = open(new FakeEmbedder())
    show(first, indexed(texts))
    await first.prepare('when_to_use', 'a red fox')
    for (const leg of [first, null]) {
      const embedder = new FakeEmbedder()
      const searching = leg ?? open(embedder)
      show(searching, indexed(texts))
      const { vector } = await searching.prepare('when_to_use', 'fox')
      expect(slotsFound(searching, vector, 2)).toEqual([0, 3])
      if (leg === null) expect(embedder.texts).toEqual(['fox'])
    }
  })

  test('says how many are left for reindex when one batch was not enough', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder, 1)
    const three = texts.slice(0, 3)
    show(leg, indexed(three))
    const notices: (string | null)[] = []
    for (let times = 0; times < 3; times += 1) notices.push((await leg.prepare('when_to_use', 'x')).notice)
    expect(notices).toEqual([
      '2 experiences have no vector yet and rank by keywords alone; knowhow reindex supplies what is missing',
      '1 experience has no vector yet and ranks by keywords alone; knowhow reindex supplies what is missing',
      null,
    ])
    expect(embedder.texts.filter((text) => text !== 'x')).toEqual(three)
  })

  test('asks nothing where there is nothing to find, and says so', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed([null, null]))
    expect(await leg.prepare('when_to_use', 'x')).toEqual({
      vector: null,
      notice: 'ranked by keywords alone: no experience in this index has a vector',
    })
    expect(embedder.calls).toEqual([])
  })

  test('waits ten seconds in all: what the query took is taken from the batch', async () => {
    const { open, ports } = workspace()
    const embedder = new FakeEmbedder()
    const slow: Embedder = {
      key: embedder.key,
      embed: (asked, options) => {
        ports.clock.advance(3_000)
        return embedder.embed(asked, options)
      },
    }
    const leg = open(slow)
    show(leg, indexed(texts))
    await leg.prepare('when_to_use', 'x')
    expect(embedder.calls.map(({ timeLimitMs, isUrgent }) => [timeLimitMs, isUrgent])).toEqual([
      [10_000, true],
      [7_000, true],
    ])
  })

  test('does not ask for what another search is asking for at the same time', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed(texts))
    await Promise.all(['x', 'y'].map((query) => leg.prepare('when_to_use', query)))
    expect([...embedder.texts].filter((text) => text === 'red fox')).toHaveLength(1)
  })

  test('puts vectors and refusals to the texts they are for, whatever is shown meanwhile', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    embedder.refusal = (text) => (text === 'blue whale' ? 'too blue' : null)
    const leg = open(embedder)
    show(leg, indexed(['red fox', 'blue whale']))
    embedder.outage = (asked) => {
      if (asked.includes('red fox')) show(leg, indexed(['green tree', null, 'red fox', 'blue whale']))
      return null
    }
    const { vector } = await leg.prepare('when_to_use', 'fox')
    expect(slotsFound(leg, vector)).toEqual([2])
    expect(refusals(leg, ['green tree', 'blue whale'])).toEqual([null, 'too blue'])
  })

  test('skips files that have changed since, and asks for those behind them', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder, 1)
    show(leg, indexed(['red fox', 'blue whale'], new Set([0])))
    await leg.prepare('when_to_use', 'x')
    expect(embedder.texts).toEqual(['x', 'blue whale'])
  })

  test('refuses an index that does not exist', async () => {
    const leg = workspace().open(new FakeEmbedder())
    show(leg, indexed(texts))
    await expect(leg.prepare('nothing' as ViewName, 'x')).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('an embedder that cannot be reached', () => {
  test('costs a search its vectors and says why', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    embedder.outage = () => 'the server is down'
    const leg = open(embedder)
    show(leg, indexed(texts))
    expect(await leg.prepare('when_to_use', 'x')).toEqual({
      vector: null,
      notice: 'ranked by keywords alone: the server is down',
    })
    embedder.outage = () => null
    expect((await leg.prepare('when_to_use', 'x')).vector).not.toBeNull()
  })

  test('for the batch alone leaves the search the vectors that are there', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed(['red fox']))
    await leg.prepare('when_to_use', 'x')
    embedder.outage = (asked) => (asked.includes('blue whale') ? 'too slow' : null)
    show(leg, indexed(['red fox', 'blue whale']))
    const { vector, notice } = await leg.prepare('when_to_use', 'red')
    expect(slotsFound(leg, vector)).toEqual([0])
    expect(notice).toBe(
      '1 experience has no vector yet and ranks by keywords alone (too slow); knowhow reindex supplies what is missing',
    )
  })

  test('for want of time leaves the batch for later', async () => {
    const { open, ports } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed(texts))
    embedder.outage = () => {
      ports.clock.advance(10_000)
      return null
    }
    const { vector, notice } = await leg.prepare('when_to_use', 'x')
    expect([vector, embedder.texts]).toEqual([null, ['x']])
    expect(notice).toContain('(the time for embedding was up)')
  })

  test('that is interrupted ends the search, and any other error is thrown', async () => {
    const { open } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    const stopped = leg.prepare('when_to_use', 'x', AbortSignal.abort())
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' })
    const broken: Embedder = { key: new FakeEmbedder().key, embed: () => Promise.reject(new TypeError('a bug')) }
    const other = open(broken)
    show(other, indexed(texts))
    await expect(other.prepare('when_to_use', 'x')).rejects.toThrow(TypeError)
  })
})

describe('a text that the embedder refuses', () => {
  function refusing() {
    const embedder = new FakeEmbedder()
    embedder.refusal = (text) => (text.includes('fox') ? 'no foxes' : null)
    return embedder
  }

  test('is remembered by its key, and not asked for again by a search of any process', async () => {
    const { open } = workspace()
    const embedder = refusing()
    const leg = open(embedder, 3)
    show(leg, indexed(texts))
    const { notice } = await leg.prepare('when_to_use', 'x')
    const next = open(embedder, 3)
    for (const each of [leg, next]) {
      show(each, indexed(texts))
      expect(refusals(each, texts)).toEqual(['no foxes', null, null, 'no foxes'])
      expect(each.facts.when_to_use).toEqual({ documents: 2, present: 2, owed: 0 })
      await each.prepare('when_to_use', 'x')
    }
    expect(notice).toBeNull()
    expect(embedder.texts.filter((text) => text === 'red fox')).toHaveLength(1)
    show(leg, indexed(['red wolf', ...texts.slice(1)]))
    await leg.prepare('when_to_use', 'x')
    expect(embedder.texts.slice(-2)).toEqual(['red wolf', 'content of red wolf'])
  })

  test('does not keep a batch from those behind it', async () => {
    const { open } = workspace()
    const embedder = refusing()
    const leg = open(embedder, 1)
    show(leg, indexed(['a fox', 'blue whale']))
    await leg.prepare('when_to_use', 'x')
    const { vector } = await leg.prepare('when_to_use', 'x')
    expect(embedder.texts).toEqual(['x', 'a fox', 'x', 'blue whale'])
    expect(slotsFound(leg, vector)).toEqual([1])
  })

  test('and that is the query leaves the search to keywords', async () => {
    const { open } = workspace()
    const leg = open(refusing())
    show(leg, indexed(['blue whale']))
    expect(await leg.prepare('when_to_use', 'fox')).toEqual({
      vector: null,
      notice: 'ranked by keywords alone: the embedder refused the query (no foxes)',
    })
  })

  test('does not stop reindex, which embeds all others', async () => {
    const { open } = workspace()
    const leg = open(refusing(), 1)
    show(leg, indexed(['fox 1', 'fox 2', 'blue whale', 'green tree']))
    expect(await leg.supply.all()).toMatchObject({ embedded: 4, reused: 0 })
    expect(refusals(leg, ['fox 1', 'fox 2', 'blue whale'])).toEqual(['no foxes', 'no foxes', null])
  })
})

describe('reindex', () => {
  test('embeds what both views owe, batch by batch, each text once, and keeps what is there', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder, 2)
    show(leg, indexed(texts))
    expect(await leg.supply.all()).toMatchObject({ embedded: 6, reused: 0, isStored: true })
    expect(embedder.calls.map(({ texts }) => texts.length)).toEqual([2, 2, 2])
    const other = open(embedder)
    show(other, indexed([...texts, 'new']))
    expect(await other.supply.all()).toMatchObject({ embedded: 2, reused: 6, isStored: true })
    const { notice } = await other.prepare('when_to_use', 'x')
    expect(notice).toBeNull()
  })

  test('embeds a text that both views have once, and keeps one file for both', async () => {
    const { open, files } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed(['red fox', 'content of red fox']))
    expect(await leg.supply.all()).toMatchObject({ embedded: 3, reused: 0, isStored: true })
    expect(embedder.texts).toEqual(['red fox', 'content of red fox', 'content of content of red fox'])
    expect((files.names(folder) ?? []).filter((name) => name.endsWith('.knw'))).toHaveLength(1)
    const both = { documents: 2, present: 2, owed: 0 }
    expect(leg.facts).toMatchObject({ packs: 1, when_to_use: both, when_to_use_content: both })
  })

  test('takes off the packs of an earlier version, which nobody reads any more', async () => {
    const { open, files } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    await leg.supply.all()
    files.write(`${folder}/vectors-0123456789abcdef-when_to_use-00000001-0a1.knw`, 'x')
    await leg.supply.all()
    expect((files.names(folder) ?? []).filter((name) => name.startsWith('vectors-'))).toHaveLength(1)
  })

  test('drops the vectors of texts that are no more', async () => {
    const { open } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(['red fox', 'blue whale']))
    await leg.supply.all()
    show(leg, indexed(['red fox']))
    await leg.supply.all()
    const embedder = new FakeEmbedder()
    const other = open(embedder)
    show(other, indexed(['red fox', 'blue whale']))
    await other.supply.all()
    expect(embedder.texts.slice(1)).toEqual(['blue whale', 'content of blue whale'])
  })

  test('keeps the batches that came before an outage', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder, 1)
    show(leg, indexed(texts))
    embedder.outage = () => (embedder.calls.length > 2 ? 'the server is down' : null)
    await expect(leg.supply.all()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    const after = new FakeEmbedder()
    const other = open(after, 1)
    show(other, indexed(texts))
    await other.supply.all()
    expect(after.texts.filter((text) => !text.startsWith('content'))).toEqual(['text', 'green tree'])
  })

  test('one long text that fails costs none of many others its vector', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const long = 'long '.repeat(10_000)
    embedder.outage = (asked) => (asked.some((text) => text.includes(long)) ? 'it takes too long' : null)
    const leg = open(embedder, 512)
    const many = indexed([long, ...Array.from({ length: 1_500 }, (_, n) => `short ${n}`)])
    const keys = {
      when_to_use: many.textKeys('when_to_use'),
      when_to_use_content: many.textKeys('when_to_use_content'),
    }
    show(leg, { ...many, textKeys: (view) => keys[view] })
    await expect(leg.supply.all()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    for (const view of VIEW_NAMES) expect(leg.facts[view]).toMatchObject({ present: 1_500, owed: 1 })
  })

  test('keeps the batches that came before an interrupt', async () => {
    const { open } = workspace()
    const controller = new AbortController()
    const embedder = new FakeEmbedder()
    embedder.outage = () => {
      if (embedder.calls.length === 2) controller.abort()
      return null
    }
    const leg = open(embedder, 1)
    show(leg, indexed(texts))
    await expect(leg.supply.all({ signal: controller.signal })).rejects.toMatchObject({ code: 'interrupted' })
    const other = open(new FakeEmbedder(), 1)
    show(other, indexed(texts))
    expect(await other.supply.all()).toMatchObject({ embedded: 4, reused: 2 })
  })

  test('tells how far it is at its begin, at its end, and every two seconds between', async () => {
    const { open, ports } = workspace()
    const embedder = new FakeEmbedder()
    embedder.outage = () => {
      ports.clock.advance(900)
      return null
    }
    const leg = open(embedder, 1)
    show(leg, indexed(texts))
    const told: number[] = []
    await leg.supply.all({
      onProgress: ({ textsDone, textsOwed }) => {
        expect(textsOwed).toBe(6)
        told.push(textsDone)
      },
    })
    expect(told).toEqual([0, 3, 6])
    await leg.supply.all({ onProgress: () => told.push(-1) })
    expect(told).toHaveLength(3)
  })

  test('takes vectors and no time limit of a search', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, indexed(texts))
    await leg.supply.all()
    const patient = { timeLimitMs: undefined, isUrgent: undefined }
    expect(embedder.calls).toMatchObject([patient, patient])
  })

  test('needs no embedder when nothing is owed', async () => {
    const { open } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    await leg.supply.all()
    const down = new FakeEmbedder()
    down.outage = () => 'the server is down'
    const other = open(down)
    show(other, indexed(texts))
    expect(await other.supply.all()).toMatchObject({ embedded: 0, reused: 6, isStored: true })
    expect(down.calls).toMatchObject([{ isUrgent: true }])
  })

  test('says when its vectors end with the process', async () => {
    const { open, ports } = workspace()
    using _ = ports.lock.acquire(`${folder}/lock`)
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    expect(await leg.supply.all()).toMatchObject({ embedded: 6, reused: 0, isStored: false })
    expect((await leg.prepare('when_to_use', 'x')).notice).toBeNull()
  })

  test.each([
    ['a pack', 1, { embedded: 6, reused: 0 }],
    // The last row is the green tree's content; with its 64 numbers it ends before a footer of under 100 bytes.
    ['one vector', 150, { embedded: 1, reused: 5 }],
  ])('makes anew what is damaged in %s', async (_, fromEnd, expected) => {
    const { open, damage } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    await leg.supply.all()
    damage(fromEnd)
    const other = open(new FakeEmbedder())
    show(other, indexed(texts))
    expect(await other.supply.all()).toMatchObject({ ...expected, isStored: true })
  })

  test('waits for an embedder that is down only once', async () => {
    const { open } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    await leg.supply.all()
    const down = new FakeEmbedder()
    down.outage = () => 'the server is down'
    const other = open(down)
    show(other, indexed([...texts, 'new']))
    await expect(other.supply.all()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    expect(down.calls).toHaveLength(1)
  })

  test('notices another width although the embedder refuses a plain word', async () => {
    const { open } = workspace()
    const leg = open(new FakeEmbedder())
    show(leg, indexed(texts))
    await leg.supply.all()
    const embedder = new FakeEmbedder({ width: 16 })
    embedder.refusal = (text) => (text === 'text' ? 'too plain' : null)
    const other = open(embedder)
    show(other, indexed([...texts, 'new']))
    await other.supply.all()
    show(other, indexed([...texts, 'new']))
    expect(await other.prepare('when_to_use_content', 'x')).toMatchObject({ notice: null })
  })

  test('ends although a document says that its text is another', async () => {
    const { open } = workspace()
    const embedder = new FakeEmbedder()
    const leg = open(embedder)
    show(leg, { ...indexed(['red fox']), textOf: () => 'not the fox' })
    expect(await leg.supply.all()).toMatchObject({ embedded: 0 })
    expect(embedder.texts).toEqual([])
  })
})

describe('after a change of embedder', () => {
  test('searches rank by keywords alone, and say so, until reindex is through', async () => {
    const { open } = workspace()
    const before = open(new FakeEmbedder())
    show(before, indexed(texts))
    await before.supply.all()

    const embedder = new FakeEmbedder({ key: { model: 'other' }, width: 32 })
    const changed = { vector: null, notice: 'ranked by keywords alone until knowhow reindex: the embedder was changed' }
    const leg = open(embedder, 1)
    show(leg, indexed(texts))
    expect(await leg.prepare('when_to_use', 'fox')).toEqual(changed)
    expect(embedder.calls).toEqual([])

    embedder.outage = () => (embedder.calls.length > 1 ? 'down' : null)
    await expect(leg.supply.all()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    show(leg, indexed(texts))
    expect(await leg.prepare('when_to_use', 'fox')).toEqual(changed)

    embedder.outage = () => null
    expect(await leg.supply.all()).toMatchObject({ embedded: 5, reused: 1 })
    show(leg, indexed(texts))
    const { vector, notice } = await leg.prepare('when_to_use', 'fox')
    expect([notice, slotsFound(leg, vector, 2)]).toEqual([null, [0, 3]])
  })
})

describe('when a server silently gives other dimensions', () => {
  test('searches rank by keywords alone, and say so, until reindex has made all anew', async () => {
    const { open } = workspace()
    const before = open(new FakeEmbedder())
    show(before, indexed(texts))
    await before.supply.all()

    const embedder = new FakeEmbedder({ width: 16 })
    const leg = open(embedder)
    show(leg, indexed([...texts, 'new']))
    expect(await leg.prepare('when_to_use', 'fox')).toEqual({
      vector: null,
      notice: 'ranked by keywords alone until knowhow reindex: the embedder now gives 16 dimensions instead of 64',
    })
    expect(embedder.texts).toEqual(['fox'])
    show(leg, indexed(texts))
    expect(await leg.supply.all()).toMatchObject({ embedded: 6, reused: 0 })
    show(leg, indexed(texts))
    const { vector, notice } = await leg.prepare('when_to_use', 'fox')
    expect([notice, slotsFound(leg, vector, 2)]).toEqual([null, [0, 3]])
  })

  test('what an interrupted reindex has made is there for the next', async () => {
    const { open } = workspace()
    const before = open(new FakeEmbedder())
    show(before, indexed(texts))
    await before.supply.all()
    const embedder = new FakeEmbedder({ width: 16 })
    embedder.outage = () => (embedder.calls.length > 2 ? 'down' : null)
    const leg = open(embedder, 1)
    show(leg, indexed(texts))
    await expect(leg.supply.all()).rejects.toMatchObject({ code: 'embedder_unavailable' })
    const other = open(new FakeEmbedder({ width: 16 }), 1)
    show(other, indexed(texts))
    expect((await other.prepare('when_to_use', 'fox')).notice).toContain('16 dimensions instead of 64')
    expect(await other.supply.all()).toMatchObject({ embedded: 5, reused: 1 })
  })
})

test('whatever an embedder answers with, a wrong count of outcomes is a bug and no refusal', async () => {
  const { open } = workspace()
  const short: Embedder = {
    key: new FakeEmbedder().key,
    embed: async (_texts: readonly string[], _options?: EmbedOptions): Promise<readonly Embedding[]> => [],
  }
  const leg = open(short)
  show(leg, indexed(texts))
  await expect(leg.prepare('when_to_use', 'x')).rejects.not.toBeInstanceOf(MemoryError)
})
