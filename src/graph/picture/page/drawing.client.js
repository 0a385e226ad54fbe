/**
 * The drawing: cards and links, nearer and farther. They are elements: the browser pans them without a line of this, reads
 * them out, finds and prints them.
 */
import {
  around,
  byId,
  card,
  counted,
  drawn,
  edges,
  events,
  graph,
  isDrawn,
  isShown,
  made,
  moment,
  nodes,
  orderOf,
  state,
  written,
} from './data.client.js'

export const [pane, space, world] = ['pane', 'space', 'world'].map(byId)
/** Sheets as large as the drawing: all links; those of one card; and what these are called, which no card may hide. */
export const [links, lit, names] = ['links', 'lit', 'names'].map(byId)
/** Of the nodes, in their order; those that are made already. */
export const cards = []

const ZOOM = { least: 0.05, most: 2.5, readable: 0.8, far: 0.34 }
/** Of a sheet of A4 or Letter, across and without its margins, in CSS pixels. */
const PAPER = { width: 960, height: 620 }
/** Relations of one memory that are named in the drawing. */
const NAMED_MAX = 24
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** One element a link: what is out of sight costs nothing then, which one long path for all of them would. */
export function drawLinks() {
  const time = state.hiddenTypes.has('EpisodicMemory') ? '' : timeLine()
  const shown = edges.filter(isDrawn)
  links.replaceChildren(drawn('path', { class: 'time EpisodicMemory', d: time }), ...shown.map(linkOf))
}

function linkOf(edge) {
  const type = nodes[edge.from].node
  return drawn('path', { class: type === 'Session' ? 'Session own' : type, d: pathOf(curveOf(edge)) })
}

/** From event to event as they came: down a column, then over to the top of the next. */
function timeLine() {
  return events
    .slice(1)
    .map((at, place) => {
      const [a, b] = [nodes[events[place]], nodes[at]]
      const [x1, y1, x2] = [a.x + card.width / 2, a.y + card.height, b.x + card.width / 2]
      const aside = a.x + card.width + 14
      return a.x === b.x ? `M${x1} ${y1}V${b.y}` : `M${x1} ${y1}v12H${aside}V${b.y - 10}H${x2}v10`
    })
    .join('')
}

/** Cubic from one card's side to the other's, as eight numbers; `side` is where it comes in: 1 from the left, -1 from the right. */
function curveOf({ from, to }) {
  const [a, b] = [nodes[from], nodes[to]]
  const [ay, by] = [a.y + card.height / 2, b.y + card.height / 2]
  if (Math.abs(b.x - a.x) < card.width) {
    // In one column it leads around what stands between.
    const [x, out] = [a.x + card.width, Math.min(56, 18 + Math.abs(by - ay) / 12)]
    return { points: [x, ay + 8, x + out, ay + 8, x + out, by - 8, x, by - 8], side: -1 }
  }
  const side = b.x > a.x ? 1 : -1
  const [x1, x2] = side > 0 ? [a.x + card.width, b.x] : [a.x, b.x + card.width]
  const bend = Math.max(36, Math.abs(x2 - x1) * 0.42) * side
  return { points: [x1, ay, x1 + bend, ay, x2 - bend, by, x2, by], side }
}

/** With a point at its end. */
function pathOf({ points, side }) {
  const [x1, y1, x2, y2, x3, y3, x4, y4] = points.map(Math.round)
  return `M${x1} ${y1}C${x2} ${y2} ${x3} ${y3} ${x4} ${y4}m${-8 * side} -4l${8 * side} 4l${-8 * side} 4`
}

/** Shows what a card is linked with, also by the session's own lines where they are hidden. @param at null for none */
export function light(at) {
  const linked = at === null || !isShown(at) ? [] : around[at].filter(({ other }) => isShown(other))
  const shown = linked.filter(({ edge }) => isDrawn(edge) || nodes[edge.from].node === 'Session')
  const named = shown.length > NAMED_MAX ? [] : shown
  world.classList.toggle('chosen', shown.length > 0)
  lit.replaceChildren(...shown.map(({ edge }) => linkOf(edge)))
  names.replaceChildren(...named.map(({ edge }) => nameOn(curveOf(edge), edge.relation)))
  const near = new Set(shown.map(({ other }) => other))
  for (const [place, element] of cards.entries()) element.classList.toggle('near', near.has(place))
}

/** In the middle of a curve. */
function nameOn({ points: [x1, y1, x2, y2, x3, y3, x4, y4] }, relation) {
  const [x, y] = [(x1 + 3 * x2 + 3 * x3 + x4) / 8, (y1 + 3 * y2 + 3 * y3 + y4) / 8 + 4]
  return drawn('text', { x, y }, written(relation))
}

export function cardOf(at) {
  const { node, kind, title, text, x, y } = nodes[at]
  const element = made('button', { type: 'button', className: `card ${node}`, tabIndex: at === state.current ? 0 : -1 })
  element.setAttribute('aria-label', `${kind}: ${text}. ${counted(around[at].length, 'relation', 'relations')}`)
  element.dataset.at = at
  element.append(
    ...timeOn(at),
    made('b', { dir: 'auto', textContent: title }),
    made('span', { dir: 'auto', textContent: text }),
  )
  Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${card.width}px`, height: `${card.height}px` })
  return element
}

/** The time of an event, with the day where a column or another day begins. */
function timeOn(at) {
  const { time, node, x } = nodes[at]
  if (node !== 'EpisodicMemory' || time === null) return []
  const before = nodes[events[(orderOf.get(at) ?? 0) - 1]]
  const [day, hour] = [time.slice(0, 10), time.slice(11, 16)]
  const isNew = before === undefined || before.x !== x || before.time.slice(0, 10) !== day
  const said = isNew ? `${Number(day.slice(8))} ${MONTHS[day.slice(5, 7) - 1]} ${hour}` : hour
  return [made('time', { dateTime: time, title: moment(time), textContent: said })]
}

/** @param x,y point of the pane that stays where it is; the middle when not given */
export function zoomTo(wanted, { x = pane.clientWidth / 2, y = pane.clientHeight / 2 } = {}) {
  const before = { zoom: state.zoom, ...offset() }
  const [left, top] = [pane.scrollLeft + x - before.x, pane.scrollTop + y - before.y]
  state.zoom = zoomWithin(wanted)
  world.classList.toggle('far', state.zoom < ZOOM.far)
  Object.assign(space.style, { width: `${graph.width * state.zoom}px`, height: `${graph.height * state.zoom}px` })
  // Only now is it known whether there are scroll bars, which take their part of the pane.
  const after = offset()
  const share = state.zoom / before.zoom
  placeWorld(after, state.zoom)
  world.style.willChange = 'auto'
  keepReadable()
  pane.scrollTo({ left: left * share + after.x - x, top: top * share + after.y - y, behavior: 'instant' })
}

/**
 * Enlarges what is drawn already, which costs nothing; `zoomTo` has to follow.
 * @returns the zoom as it is shown
 */
export function zoomAhead(wanted, { x, y }) {
  const zoom = zoomWithin(wanted)
  const [from, share] = [offset(), zoom / state.zoom]
  const [left, top] = [pane.scrollLeft + x, pane.scrollTop + y]
  world.style.willChange = 'transform'
  placeWorld({ x: left - (left - from.x) * share, y: top - (top - from.y) * share }, zoom)
  return zoom
}

/** As far out as it takes to see all, however much there is. */
function zoomWithin(wanted) {
  return Math.min(ZOOM.most, Math.max(Math.min(ZOOM.least, wholeZoom()), wanted))
}

/** At which all is seen. Nothing is scrolled then, so that scroll bars which are there now do not count. */
function wholeZoom() {
  return Math.min(1, (pane.offsetWidth - 2) / graph.width, (pane.offsetHeight - 2) / graph.height)
}

function placeWorld({ x, y }, zoom) {
  world.style.transform = `translate(${x}px, ${y}px) scale(${zoom})`
  byId('scale').textContent = `${Math.round(zoom * 100)} %`
}

/** Titles and the lines of one card are seen at any distance, titles no wider than what they name. */
function keepReadable() {
  for (const title of world.querySelectorAll('.group')) {
    const scale = Math.min(1 / state.zoom, 4.5, title.dataset.width / title.offsetWidth)
    title.style.transform = `translateY(-100%) scale(${scale})`
  }
  lit.style.strokeWidth = Math.max(2.4, 1.2 / state.zoom)
}

/** What is smaller than the pane stands in its middle. */
function offset() {
  const free = (size, all) => Math.max(0, Math.round((size - all * state.zoom) / 2))
  return { x: free(pane.clientWidth, graph.width), y: free(pane.clientHeight, graph.height) }
}

export function showAll() {
  zoomTo(wholeZoom())
}

/** On one sheet across, whatever is shown on the screen. */
export function fitPaper() {
  const scale = Math.min(1, PAPER.width / graph.width, PAPER.height / graph.height)
  world.classList.toggle('far', scale < ZOOM.far)
  world.style.transform = `scale(${scale})`
  Object.assign(space.style, { width: `${graph.width * scale}px`, height: `${graph.height * scale}px` })
}

/** @param isFar whether it comes from elsewhere: then it is brought to the middle, and near enough to be read */
export function goTo(at, { isFar = false, takesFocus = true } = {}) {
  makeCurrent(at)
  if (isFar && state.zoom < ZOOM.readable) zoomTo(ZOOM.readable)
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
  const place = isFar ? 'center' : 'nearest'
  cards[at].scrollIntoView({ block: place, inline: place, behavior })
  if (takesFocus) cards[at].focus({ preventScroll: true })
  light(at)
}

function makeCurrent(at) {
  cards[state.current].tabIndex = -1
  state.current = at
  cards[at].tabIndex = 0
}

/** Tab comes to a card that is shown, if there is one. */
export function keepReachable() {
  const first = isShown(state.current) ? -1 : cards.findIndex((_, at) => isShown(at))
  if (first >= 0) makeCurrent(first)
}
