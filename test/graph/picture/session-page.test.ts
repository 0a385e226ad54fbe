import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sessionPage } from '../../../src/graph/picture/page/session-page.ts'
import type { SessionGraph } from '../../../src/graph/session-graph.ts'
import { hasChromium, type Page, type PageLook } from '../../fakes/chromium.ts'
import { largeGraph } from '../../fakes/large-picture.ts'
import { HOSTILE_TEXTS, hostileGraph, sessionNode } from '../../fakes/nasty-picture.ts'
import { BROWSER_LIMIT_MS, SessionPages } from '../../fakes/session-pages.ts'

describe('the page as text', () => {
  test('holds what memories say in its block of data alone, without a sign that begins HTML', async () => {
    const page = await sessionPage(hostileGraph())
    const [, data = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? []
    const around = page.replace(data, '')
    expect(data).not.toContain('<')
    expect(data.length).toBeGreaterThan(100_000)
    expect(around).toBe((await sessionPage(largeGraph(12))).replace(/(?<=id="data">).*?(?=<\/script>)/s, ''))
    for (const steering of ['\u2028', '\u2029', '\u202e', '\ufeff']) expect(page).not.toContain(steering)
  })

  test('loses nothing of what memories say', async () => {
    const page = await sessionPage(hostileGraph())
    const [, data = ''] = /id="data">(.*?)<\/script>/s.exec(page) ?? []
    const { nodes } = JSON.parse(data) as { nodes: readonly { properties: { content?: string } }[] }
    expect(nodes.slice(1, HOSTILE_TEXTS.length + 1).map(({ properties }) => properties.content)).toEqual([
      ...HOSTILE_TEXTS,
    ])
  })

  test('allows its own script and style by their digests, and nothing else', async () => {
    const page = await sessionPage(largeGraph(12))
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('base64')
    const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(page) ?? []
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? []
    expect(policy).toBe(
      `default-src 'none'; script-src 'sha256-${digest(script)}'; style-src 'sha256-${digest(style)}'; base-uri 'none'; form-action 'none'`,
    )
  })

  test('is the same bytes for the same graph', async () => {
    expect(await sessionPage(largeGraph(60))).toBe(await sessionPage(largeGraph(60)))
  })
})

if (!hasChromium) console.warn('Chromium is not installed: what the page does in a browser is not tested here')

describe.skipIf(!hasChromium)('the page in a browser', () => {
  let pages: SessionPages
  let page: Page

  beforeAll(async () => {
    pages = await SessionPages.start()
  }, BROWSER_LIMIT_MS)
  afterAll(() => pages[Symbol.asyncDispose]())

  const open = async (graph: SessionGraph, look?: PageLook) => {
    page = await pages.open(graph, look)
  }
  const focused = () =>
    page.run<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id")
  const shown = (selector: string) =>
    page.run<number>(`[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).length`)
  const click = (selector: string) => page.run(`document.querySelector('${selector}').click()`)

  const browserTest = (name: string, body: () => Promise<void>) => test(name, body, BROWSER_LIMIT_MS)

  browserTest('asks for nothing, and has nothing to complain of', async () => {
    await open(largeGraph(60))
    expect(page.requests).toEqual([])
    expect(page.complaints).toEqual([])
    expect(await page.run('document.title')).toBe('Session fix-4711')
  })

  browserTest('has a card and a line of the list for each memory, a thousand as well', async () => {
    await open(largeGraph(1000))
    expect(await page.run("document.querySelectorAll('.card').length")).toBe(1000)
    expect(await page.run("document.querySelectorAll('#list li').length")).toBe(1000)
    expect(await page.run("document.getElementById('count').textContent")).toMatch(/^999 memories, [\d,]+ relations$/)
  })

  browserTest('lets nothing act that a memory says, in drawing, list and details', async () => {
    await open(hostileGraph())
    for (const at of HOSTILE_TEXTS.keys()) await click(`.card[data-at="${at + 1}"]`)
    expect(await page.run('globalThis.__hit ?? null')).toBeNull()
    expect(await page.run("document.querySelectorAll('img, b b, iframe, a:not(.skip), script').length")).toBe(2)
    expect([...page.requests, ...page.complaints]).toEqual([])
  })

  browserTest('tells all of a memory as it was said', async () => {
    const text = '  two\n\n<b>lines</b> &amp; "quotes"  '
    await open(hostileGraph([text]))
    await click('.card.EpisodicMemory')
    expect(await page.run("[...document.querySelectorAll('#details dd')].map((one) => one.textContent)")).toContain(
      text,
    )
  })

  browserTest('is used by keys: Tab to the drawing, arrows along relations, Enter and Escape', async () => {
    await open(largeGraph(12))
    await page.run("document.getElementById('fit').focus()")
    await page.press('Tab')
    expect(await focused()).toStartWith('session fix-4711')
    await page.press('ArrowRight')
    expect(await focused()).toStartWith('event')
    await page.press('ArrowUp', 'ArrowUp', 'ArrowUp')
    expect(await focused()).toStartWith('event 1')
    await page.press('ArrowDown')
    expect(await focused()).toStartWith('event 2')
    await page.press('ArrowRight')
    expect(await focused()).toStartWith('build cache · version 1')
    expect(await page.run('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.press('Enter')
    expect(await focused()).toBe('details')
    expect(await shown('#details li')).toBe(5)
    await page.press('Escape')
    expect(await shown('#details')).toBe(0)
    expect(await focused()).toStartWith('build cache · version 1')
  })

  browserTest('shows where the keys are from afar too, and what that card is linked with', async () => {
    await open(largeGraph(1000))
    await page.run("document.querySelector('.card.SemanticMemory').focus()")
    const colours = await page.run<readonly string[]>(
      "[...document.querySelectorAll('.card.SemanticMemory')].slice(0, 2).map((one) => getComputedStyle(one).backgroundColor)",
    )
    expect(colours[0]).not.toBe(colours[1] ?? '')
    expect(await shown('.card.near')).toBeGreaterThan(2)
    expect(await page.run<number>("document.querySelectorAll('#lit path').length")).toBeGreaterThan(2)
  })

  browserTest('goes near what is chosen in the list', async () => {
    await open(largeGraph(1000))
    await click('#list li:nth-child(600) button')
    const box = (id: string) => `document.querySelector('${id}').getBoundingClientRect()`
    const isInside = `(({ left, right, top, bottom }, pane) =>
      left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom)`
    expect(await page.run<boolean>(`${isInside}(${box('.card.chosen')}, ${box('#pane')})`)).toBe(true)
    expect(await page.run("document.getElementById('scale').textContent")).toBe('80 %')
  })

  browserTest('keeps what a session is about in one line, however long that is', async () => {
    await open(hostileGraph())
    expect(await page.run<number>("document.getElementById('pane').clientHeight")).toBeGreaterThan(600)
  })

  browserTest('keeps the card under the pointer there while the wheel zooms, and when it stands still', async () => {
    await open(largeGraph(1000))
    await page.run(
      'globalThis.wheel = (deltaY) => document.getElementById("pane").dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, cancelable: true, deltaY, clientX: 420, clientY: 430 }))',
    )
    const under = () => page.run<string>('document.elementFromPoint(420, 430).closest("button, #pane").dataset.at')
    const before = await under()
    expect(before).toMatch(/^\d+$/)
    for (const turn of [-60, -60, -60, -60]) await page.run(`wheel(${turn})`)
    expect(await under()).toBe(before)
    await page.run(`new Promise((resolve) => {
      const look = () => (document.getElementById('world').style.willChange === 'auto' ? resolve() : setTimeout(look, 5))
      look()
    })`)
    expect(await under()).toBe(before)
  })

  browserTest('is panned by moving what is drawn, not by drawing it anew', async () => {
    await open(largeGraph(300))
    for (const _ of [1, 2, 3]) await click('#more')
    const layers = await page.layers(() => click('#more'))
    const [width, height, visible] = await page.run<readonly [number, number, number]>(
      '[pane.scrollWidth, pane.scrollHeight, pane.clientWidth]',
    )
    expect(width).toBeGreaterThan(visible)
    expect(layers).toContainEqual(expect.objectContaining({ width, height, drawsContent: true }))
  })

  browserTest('is printed on sheets: the drawing on one, then all that is in the list', async () => {
    await open(largeGraph(60))
    await page.send('Emulation.setEmulatedMedia', { media: 'print' })
    await page.run("window.dispatchEvent(new Event('beforeprint'))")
    const { width, height } = await page.run<{ width: number; height: number }>(
      "document.getElementById('world').getBoundingClientRect().toJSON()",
    )
    expect(width <= 960 && height <= 620).toBe(true)
    expect(await shown('#list li')).toBe(60)
    expect(await shown('.tools, fieldset, #search')).toBe(0)
  })

  browserTest('goes back to the line of the list that details were opened from', async () => {
    await open(largeGraph(60))
    await page.run("document.querySelector('#list li:nth-child(50) button').focus()")
    await page.press('Enter')
    expect(await focused()).toBe('details')
    await page.press('Escape')
    expect(await page.run('document.activeElement.dataset.at')).toBe('49')
    expect(await page.run("document.getElementById('list').contains(document.activeElement)")).toBe(true)
  })

  browserTest('finds words of memories, and says how many', async () => {
    await open(largeGraph(60))
    await page.run("document.getElementById('search').focus()")
    await page.send('Input.insertText', { text: 'Registry OWNER' })
    expect(await page.run("document.getElementById('count').textContent")).toBe('3 of 60 found')
    expect(await shown('#list li')).toBe(3)
    expect(await page.run("document.querySelectorAll('.card.dim').length")).toBe(57)
  })

  browserTest('hides types and relations that are not wanted', async () => {
    await open(largeGraph(60))
    const links = await page.run<number>("document.querySelectorAll('#links path').length")
    await click('#relations .SemanticMemory input')
    expect(await page.run<number>("document.querySelectorAll('#links path').length")).toBe(links - 20)
    await click('#types .EpisodicMemory input')
    expect(await shown('.card.EpisodicMemory')).toBe(0)
    expect(await shown('.card')).toBe(22)
  })

  browserTest('is reached by Tab whatever is hidden', async () => {
    await open(largeGraph(60))
    await click('#types .Session input')
    await page.run("document.getElementById('fit').focus()")
    await page.press('Tab')
    expect(await focused()).toStartWith('event 1 · error')
  })

  browserTest('shows a type again of which a memory is chosen', async () => {
    await open(largeGraph(60))
    await click('#types .EpisodicMemory input')
    await click('.card.SemanticMemory')
    await click('#details li .EpisodicMemory')
    expect(await shown('.card.EpisodicMemory.chosen')).toBe(1)
    expect(await page.run("document.querySelector('#types .EpisodicMemory input').checked")).toBe(true)
    await page.press('Escape')
    expect(await focused()).toStartWith('event ')
  })

  browserTest('has a name for each part that is used', async () => {
    await open(largeGraph(12))
    await click('.card.SemanticMemory')
    const { nodes } = (await page.send('Accessibility.getFullAXTree')) as {
      nodes: readonly { ignored: boolean; role?: { value: string }; name?: { value: string } }[]
    }
    const used = nodes.filter(({ role }) => /^(button|checkbox|searchbox|dialog|region|group)$/.test(role?.value ?? ''))
    expect(used.length).toBeGreaterThan(20)
    for (const { role, name } of used) expect(`${role?.value}: ${name?.value}`).toMatch(/^\w+: ./)
  })

  browserTest('says of a session that holds nothing just that', async () => {
    await open({ session_id: 's', nodes: [sessionNode('s')], edges: [] })
    expect(await shown('.card')).toBe(1)
    expect(await page.run("document.getElementById('count').textContent")).toBe('Nothing is kept in this session.')
    expect(page.complaints).toEqual([])
  })

  for (const scheme of ['light', 'dark'] as const)
    browserTest(
      `can be read in ${scheme}: text has 4.5 times the light of its ground, or the other way round`,
      async () => {
        await open(largeGraph(60), { scheme })
        const ratios = await page.run<readonly number[]>(CONTRASTS)
        expect(ratios.length).toBeGreaterThan(12)
        for (const ratio of ratios) expect(ratio).toBeGreaterThanOrEqual(4.5)
      },
    )
})

/** Contrast as WCAG counts it, of each kind of text on the page with what it stands on. */
const CONTRASTS = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const ground = (one) => {
    const { backgroundColor } = getComputedStyle(one)
    return /, 0\\)$/.test(backgroundColor) ? ground(one.parentElement) : backgroundColor
  }
  const ratio = (one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x)
    return (a + 0.05) / (b + 0.05)
  }
  const kinds = ['h1', '#about', '#keys', '#count', 'legend', 'label', '.group', '.card b', '.card span', '.card time', '#list b']
  return kinds.flatMap((kind) => [...document.querySelectorAll(kind)]).map(ratio)
})()`
