/** Puts the parts in place, and takes keys, pointer and wheel. */
import { around, byId, events, graph, isShown, moment, nodes, orderOf, state } from './data.client.js'
import {
  cardOf,
  cards,
  drawLinks,
  fitPaper,
  goTo,
  light,
  links,
  lit,
  names,
  pane,
  showAll,
  world,
  zoomAhead,
  zoomTo,
} from './drawing.client.js'
import { closeDetails, filter, legend, list, openDetails, rowOf, rows, search, show } from './panel.client.js'

/** By one press. */
const ZOOM_STEP = 1.25
/** Cards made before the browser draws again. */
const SLICE = 150
const WHEEL_REST_MS = 150

/** CSS pixels. */
const WHEEL_SLIP = 8

/** Null while the wheel stands still. */
let wheel = null

function begin() {
  const { text, properties } = nodes[0]
  const { status, context, start_time, end_time } = properties
  const about = context === null ? null : text
  document.title = `Session ${graph.session}`
  byId('title').textContent = document.title
  const times = end_time === null ? `since ${moment(start_time)}` : `${moment(start_time)} to ${moment(end_time)}`
  byId('about').textContent = [about, `${status}, ${times}`, graph.remark].filter((part) => part !== null).join(' · ')
  for (const svg of [links, lit, names]) {
    svg.setAttribute('width', graph.width)
    svg.setAttribute('height', graph.height)
  }
  Object.assign(world.style, { width: `${graph.width}px`, height: `${graph.height}px` })
  byId('more').addEventListener('click', () => zoomTo(state.zoom * ZOOM_STEP))
  byId('less').addEventListener('click', () => zoomTo(state.zoom / ZOOM_STEP))
  byId('fit').addEventListener('click', showAll)
  search.addEventListener('input', () => filter())
  legend()
  drawLinks()
  fill()
  showAll()
  takeKeys()
  takePointer()
  window.addEventListener('resize', () => zoomTo(state.zoom))
  window.addEventListener('beforeprint', fitPaper)
  window.addEventListener('afterprint', () => zoomTo(state.zoom))
}

/** Slice by slice, so that the page answers from the first on. */
function fill(from = 0) {
  const to = Math.min(nodes.length, from + SLICE)
  for (let at = from; at < to; at++) {
    cards.push(cardOf(at))
    rows.push(rowOf(at))
  }
  world.append(...cards.slice(from))
  list.append(...rows.slice(from))
  filter(from)
  if (to < nodes.length) requestAnimationFrame(() => fill(to))
  else document.documentElement.dataset.ready = ''
}

function takeKeys() {
  const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }
  world.addEventListener('keydown', (event) => {
    const arrow = arrows[event.key]
    if (arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = neighbourTowards(state.current, ...arrow)
    if (next !== null && cards[next] !== undefined) goTo(next)
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && state.opened !== null) closeDetails()
    else if (event.key === 'Escape' && pane.contains(event.target)) light(null)
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+' || event.key === '=') zoomTo(state.zoom * ZOOM_STEP)
    else if (event.key === '-') zoomTo(state.zoom / ZOOM_STEP)
    else if (event.key === '0') showAll()
  })
}

/** Along a relation or the time of events, or else to whatever is next in that direction. */
function neighbourTowards(at, dx, dy) {
  const along = orderOf.get(at) ?? -1
  const related = [
    ...around[at].map(({ other }) => other),
    ...(along < 0 ? [] : [events[along - 1], events[along + 1]]),
  ]
  const scored = (candidates, slant) =>
    candidates
      .filter((other) => other !== undefined && other !== at && isShown(other))
      .map((other) => {
        const [x, y] = [nodes[other].x - nodes[at].x, nodes[other].y - nodes[at].y]
        const [ahead, beside] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)]
        return { other, ahead, beside, cost: ahead + 2 * beside }
      })
      .filter(({ ahead, beside }) => ahead > 0 && beside <= slant * ahead)
      .sort((a, b) => a.cost - b.cost)[0]
  return scored(related, 3)?.other ?? scored([...nodes.keys()], 3)?.other ?? null
}

function takePointer() {
  const at = (event) => event.target.closest('[data-at]')?.dataset.at
  let drag = null
  let isDragged = false
  pane.addEventListener('pointerdown', (event) => {
    isDragged = false
    // Touch pans by itself.
    if (event.pointerType === 'mouse' && event.button === 0)
      drag = { x: event.clientX, y: event.clientY, left: pane.scrollLeft, top: pane.scrollTop }
  })
  window.addEventListener('pointermove', (event) => {
    if (drag === null) return
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y]
    isDragged ||= Math.hypot(x, y) > 4
    if (!isDragged) return
    pane.classList.add('panning')
    pane.scrollTo({ left: drag.left - x, top: drag.top - y, behavior: 'instant' })
  })
  window.addEventListener('pointerup', () => {
    drag = null
    pane.classList.remove('panning')
  })
  world.addEventListener('click', (event) => {
    if (isDragged || at(event) === undefined) return
    goTo(Number(at(event)), { takesFocus: false })
    openDetails(Number(at(event)))
  })
  world.addEventListener('pointerover', (event) => {
    if (drag === null && at(event) !== undefined) light(Number(at(event)))
  })
  world.addEventListener('pointerleave', () => {
    if (drag === null) light(state.opened)
  })
  world.addEventListener('focusin', (event) => light(Number(at(event))))
  list.addEventListener('click', (event) => {
    if (at(event) !== undefined) show(Number(at(event)))
  })
  pane.addEventListener('wheel', takeWheel, { passive: false })
}

/** While the wheel turns the browser enlarges what it has drawn; it draws anew when the wheel stands still. */
function takeWheel(event) {
  if (!event.ctrlKey && !event.metaKey) return
  event.preventDefault()
  const box = pane.getBoundingClientRect()
  const point = { x: event.clientX - box.left, y: event.clientY - box.top }
  // From another point it begins with what the former one came to.
  if (wheel !== null && Math.hypot(wheel.point.x - point.x, wheel.point.y - point.y) > WHEEL_SLIP) restWheel()
  clearTimeout(wheel?.rest)
  wheel = {
    point: wheel?.point ?? point,
    zoom: zoomAhead((wheel?.zoom ?? state.zoom) * Math.exp(-event.deltaY / 300), wheel?.point ?? point),
    rest: setTimeout(restWheel, WHEEL_REST_MS),
  }
}

function restWheel() {
  const { zoom, point, rest } = wheel
  clearTimeout(rest)
  wheel = null
  zoomTo(zoom, point)
}

begin()
