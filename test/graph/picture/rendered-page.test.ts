/** What a person sees of the page, as pixels. Nothing here hangs on fonts: colours and places are the page's own. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CARD } from '../../../src/graph/picture/layout.ts'
import { hasChromium, type Page } from '../../fakes/chromium.ts'
import { largeGraph } from '../../fakes/large-picture.ts'
import { type Box, type Colour, contrast, ground, isSameColour, Picture } from '../../fakes/png.ts'
import { BROWSER_LIMIT_MS, SessionPages } from '../../fakes/session-pages.ts'

const WINDOWS = [
  { width: 360, height: 740 },
  { width: 1400, height: 900 },
]
const LOOKS = (['light', 'dark'] as const).flatMap((scheme) => WINDOWS.map((size) => ({ scheme, ...size })))
const CONTRAST_MIN = 4.5
/** Of what is no text, such as the ring around what has the focus. */
const MARK_CONTRAST_MIN = 3
/** From a card's edge to the middle of its ring, where it is not enlarged. */
const RING_DISTANCE = 3.5

interface SeenCard extends Box {
  /** Whether a pointer in its middle would meet it. */
  readonly isOnTop: boolean
  /** As it is filled. */
  readonly fill: Colour
}

interface SeenText extends Box {
  readonly text: string
}

describe.skipIf(!hasChromium)('a picture of the page', () => {
  let pages: SessionPages
  let page: Page

  beforeAll(async () => {
    pages = await SessionPages.start()
  }, BROWSER_LIMIT_MS)
  afterAll(() => pages[Symbol.asyncDispose]())

  const pictureTest = (name: string, body: () => Promise<void>) => test(name, body, BROWSER_LIMIT_MS)
  const picture = async () => new Picture(await page.screenshot())
  const click = (selector: string) => page.run(`document.querySelector('${selector}').click()`)
  const box = (selector: string) => page.run<Box>(`${BOX_OF}(document.querySelector('${selector}'))`)
  const boxes = (selector: string) =>
    page.run<readonly Box[]>(`[...document.querySelectorAll('${selector}')].map(${BOX_OF})`)
  const cards = () => page.run<readonly SeenCard[]>(SEEN_CARDS)
  const colourOf = (name: string) =>
    page.run<Colour>(`${COLOUR_OF}(getComputedStyle(document.documentElement).getPropertyValue('--${name}'))`)

  for (const look of LOOKS)
    describe(`${look.scheme}, ${look.width} pixels wide`, () => {
      for (const [size, least, most] of [
        [7, 0.01, 0.3],
        [60, 0.1, 0.6],
        [2000, 0.4, 0.95],
      ] as const)
        pictureTest(`shows all of ${size} nodes, each in its colour at its place, covered by none`, async () => {
          page = await pages.open(largeGraph(size), look)
          const [taken, pane, seen] = [await picture(), await box('#pane'), await cards()]
          expect(seen).toHaveLength(size)
          const isShown = (card: SeenCard) =>
            isInside(card, pane) && card.isOnTop && isSameColour(ground(taken.colours(inner(card))).colour, card.fill)
          expect(seen.filter((card) => !isShown(card))).toEqual([])
          for (const title of await boxes('.group')) expect(isInside(title, pane)).toBe(true)
          const back = await colourOf('page')
          const share =
            taken.colours(pane).filter((colour) => !isSameColour(colour, back)).length / (pane.width * pane.height)
          expect(share).toBeGreaterThan(least)
          expect(share).toBeLessThan(most)
        })

      pictureTest('shows all again when that is asked for', async () => {
        page = await pages.open(largeGraph(60), look)
        const seen = async () => (await picture()).colours(await box('body'))
        const first = await seen()
        for (const _ of [1, 2, 3, 4]) await click('#more')
        expect(shareOfSame(await seen(), first)).toBeLessThan(0.9)
        await click('#fit')
        expect(shareOfSame(await seen(), first)).toBeGreaterThan(0.999)
      })

      pictureTest('has text of 4.5 times the light of its ground, or the other way round', async () => {
        page = await pages.open(largeGraph(60), look)
        await expectReadable(['h1', '#about', '#keys', '.tools', 'legend', 'fieldset label', '.group'])
        await page.run("document.getElementById('count').scrollIntoView({ block: 'center' })")
        await expectReadable(['#count', '#list li:first-child'])
        await page.run("document.querySelector('#list li:nth-child(2) button').click()")
        await expectReadable(['.card b', '.card span', '.card time', '#details h2', '#details dt', '#details dd'])
        await page.run("document.querySelector('#details li').scrollIntoView()")
        await expectReadable(['#details li', '#details small'])
      })

      pictureTest('shows the details beside the card that they are of, and the card as chosen', async () => {
        page = await pages.open(largeGraph(2000), look)
        await click('.card.SemanticMemory')
        const [taken, chosen, details] = [await picture(), await box('.card.chosen'), await box('#details')]
        expect(isInside(chosen, await box('#pane'))).toBe(true)
        expect(areApart(chosen, details)).toBe(true)
        expect(isSameColour(ground(taken.colours(inner(chosen))).colour, await colourOf('focus'))).toBe(true)
        expect(isSameColour(ground(taken.colours(details)).colour, await colourOf('panel'))).toBe(true)
      })

      pictureTest('shows by a whole ring which card the keys are at, at the edge of the drawing too', async () => {
        page = await pages.open(largeGraph(60), look)
        await page.run("document.getElementById('fit').focus()")
        await page.press('Tab')
        // So near that a ring is more than a pixel, and to the edge of the pane.
        for (const key of ['ArrowRight', 'ArrowDown', '+', '+', '+', '+', '+', '+']) await page.press(key)
        await page.press('ArrowUp', 'ArrowDown')
        expect(await ringShare(await box(':focus'))).toBeGreaterThan(0.9)
        await page.press('ArrowDown')
        expect(await ringShare(await box(':focus'))).toBeGreaterThan(0.9)
      })
    })

  pictureTest('moves with the pointer that drags it, and is whole where it comes from', async () => {
    page = await pages.open(largeGraph(2000))
    for (const _ of [1, 2, 3, 4, 5, 6]) await click('#more')
    const pane = await box('#pane')
    const [x, y] = [pane.x + pane.width / 2, pane.y + pane.height / 2]
    const mouse = (type: string, x: number, y: number, held: object) =>
      page.send('Input.dispatchMouseEvent', { type, x, y, ...held })
    await mouse('mouseMoved', x, y, {})
    await mouse('mousePressed', x, y, { button: 'left', clickCount: 1 })
    const before = await picture()
    await mouse('mouseMoved', x - 160, y - 90, { button: 'left', buttons: 1 })
    const after = await picture()
    const common = { x: pane.x, y: pane.y, width: pane.width - 190, height: pane.height - 120 }
    const moved = before.colours({ ...common, x: common.x + 160, y: common.y + 90 })
    expect(shareOfSame(after.colours(common), moved)).toBeGreaterThan(0.97)
    expect(shareOfSame(after.colours(common), before.colours(common))).toBeLessThan(0.7)
  })

  pictureTest('draws no line through the text of a card when another one is chosen', async () => {
    page = await pages.open(largeGraph(60))
    for (const _ of [1, 2, 3]) await click('#more')
    await page.run(
      "document.querySelector('.card.SemanticMemory').scrollIntoView({ block: 'center', inline: 'center' })",
    )
    const texts = async () => {
      const taken = await picture()
      const seen = await page.run<readonly SeenCard[]>(SEEN_CARDS)
      return seen.map((card) => (card.isOnTop ? taken.colours(inner(card)) : []))
    }
    const before = await texts()
    await click('.card.SemanticMemory')
    const [after, names] = [await texts(), await boxes('#names text')]
    const places = await cards()
    const changed = places.filter((card, at) => {
      const isNamed = names.some((name) => !areApart(card, name))
      return !isNamed && shareOfSame(before[at] ?? [], after[at] ?? []) < 1
    })
    expect(changed).toEqual([])
  })

  async function expectReadable(selectors: readonly string[]): Promise<void> {
    const taken = await picture()
    for (const selector of selectors) {
      const seen = await page.run<readonly SeenText[]>(`${SEEN_TEXTS}(${JSON.stringify(selector)})`)
      expect(`${selector}: ${seen.length > 0}`).toBe(`${selector}: true`)
      for (const text of seen) {
        const colours = taken.colours(text)
        const back = ground(colours).colour
        const most = colours.reduce((best, colour) => Math.max(best, contrast(colour, back)), 1)
        expect(`${selector} ${text.text}: ${most >= CONTRAST_MIN || most.toFixed(1)}`).toBe(
          `${selector} ${text.text}: true`,
        )
      }
    }
  }

  /** Of a line's length around the box, how much stands out from the page. */
  async function ringShare({ x, y, width, height }: Box): Promise<number> {
    const [taken, back] = [await picture(), await colourOf('page')]
    const out = (RING_DISTANCE * width) / CARD.width
    const sides = [y - out, y + height + out].map((edge) => ({ x, y: Math.round(edge - 0.5), width, height: 1 }))
    const found = sides
      .flatMap((side) => taken.colours(side))
      .filter((colour) => contrast(colour, back) >= MARK_CONTRAST_MIN)
    return found.length / sides.flatMap((side) => taken.colours(side)).length
  }
})

/** Without its border, and what is rounded at its corners. */
function inner({ x, y, width, height }: Box): Box {
  const [aside, above] = [Math.min(width / 4, 24), Math.min(height / 8, 3)]
  return { x: x + aside, y: y + above, width: width - 2 * aside, height: height - 2 * above }
}

/** But for what is rounded to a pixel. */
function isInside(one: Box, other: Box): boolean {
  return (
    one.x >= other.x - 1 &&
    one.y >= other.y - 1 &&
    one.x + one.width <= other.x + other.width + 1 &&
    one.y + one.height <= other.y + other.height + 1
  )
}

function areApart(one: Box, other: Box): boolean {
  const isBefore = (a: Box, b: Box) => a.x + a.width <= b.x || a.y + a.height <= b.y
  return isBefore(one, other) || isBefore(other, one)
}

function shareOfSame(some: readonly Colour[], others: readonly Colour[]): number {
  expect(some.length).toBe(others.length)
  return some.length === 0
    ? 1
    : some.filter((colour, at) => isSameColour(colour, others[at] ?? [0, 0, 0])).length / some.length
}

const BOX_OF = `((element) => {
  const { x, y, width, height } = element.getBoundingClientRect()
  return { x, y, width, height }
})`

/** A colour as a style names it, in numbers. */
const COLOUR_OF = `((colour) => {
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
  context.fillStyle = colour
  context.fillRect(0, 0, 1, 1)
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)
})`

const SEEN_CARDS = `[...document.querySelectorAll('.card')].map((card) => {
  const box = ${BOX_OF}(card)
  const met = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
  const { backgroundColor } = getComputedStyle(card)
  globalThis.fills ??= new Map()
  if (!fills.has(backgroundColor)) fills.set(backgroundColor, ${COLOUR_OF}(backgroundColor))
  return { ...box, isOnTop: card.contains(met), fill: fills.get(backgroundColor) }
})`

/** The first lines of texts in what a selector finds, as far as nothing covers them. */
const SEEN_TEXTS = `((selector) => [...document.querySelectorAll(selector)].flatMap((element) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const found = []
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const range = document.createRange()
    range.selectNodeContents(text)
    const line = range.getClientRects()[0]
    const isWhole = line !== undefined && [0.02, 0.98].every((share) =>
      text.parentElement.contains(document.elementFromPoint(line.x + line.width * share, line.y + line.height / 2)))
    if (isWhole && text.data.trim() !== '') found.push({ text: text.data.slice(0, 40), ...${BOX_OF}({ getBoundingClientRect: () => line }) })
  }
  return found
}))`
