/** Beside the drawing: search and the list, which tell all that the drawing does, the legend, and details. */
import { around, byId, counted, edges, graph, isShown, made, nodes, state, typeOf, written } from './data.client.js'
import { cards, drawLinks, goTo, keepReachable, light, world } from './drawing.client.js'

export const [list, details, search] = ['list', 'details', 'search'].map(byId)
/** Of the list, in the order of the nodes. */
export const rows = []

/** From so many memories on the session's own lines, which lead to all of them, are shown when they are asked for. */
const CROWD = 150

/** What is searched, of each node. */
const words = nodes.map((node) =>
  [
    node.id,
    node.kind,
    ...Object.values(node.properties)
      .flat()
      .filter((value) => typeof value === 'string'),
  ]
    .join('\n')
    .toLowerCase(),
)

export function rowOf(at) {
  const { node, kind, text } = nodes[at]
  const button = made(
    'button',
    { type: 'button', className: node },
    made('b', { dir: 'auto', textContent: kind }),
    text,
  )
  button.dataset.at = at
  button.dir = 'auto'
  return made('li', {}, button)
}

/** @param from the first card that is looked at */
export function filter(from = 0) {
  const wanted = search.value.trim().toLowerCase().split(/\s+/)
  for (let at = from; at < cards.length; at++) {
    const isFound = wanted.every((word) => words[at].includes(word))
    cards[at].hidden = !isShown(at)
    cards[at].classList.toggle('dim', !isFound)
    rows[at].hidden = !isShown(at) || !isFound
  }
  const found = rows.filter(({ hidden }) => !hidden).length
  const all = `${counted(nodes.length - 1, 'memory', 'memories')}, ${counted(edges.length, 'relation', 'relations')}`
  byId('count').textContent = graph.remark ?? (found === nodes.length ? all : `${found} of ${nodes.length} found`)
}

export function openDetails(at) {
  for (const element of document.querySelectorAll('[aria-current]')) element.removeAttribute('aria-current')
  for (const element of world.querySelectorAll('.card.chosen')) element.classList.remove('chosen')
  if (!details.contains(document.activeElement)) state.opener = document.activeElement
  state.opened = at
  details.hidden = at === null
  if (at === null) return
  cards[at].classList.add('chosen')
  rows[at].firstChild.setAttribute('aria-current', 'true')
  const { node, kind, id, properties } = nodes[at]
  const close = made('button', { type: 'button', className: 'close', textContent: '×' })
  close.addEventListener('click', closeDetails)
  close.setAttribute('aria-label', 'Close details')
  const facts = [['id', id], ...Object.entries(properties)].filter(([, value]) => value !== null && value.length !== 0)
  details.className = node
  details.replaceChildren(
    made('header', {}, made('h2', { id: 'details-title', dir: 'auto', textContent: kind }), close),
    made('dl', {}, ...facts.flatMap(([name, value]) => factOf(name, value))),
    made('h2', { textContent: around[at].length === 0 ? 'No relations' : 'Relations' }),
    made('ul', {}, ...around[at].map((link) => linkItem(at, link))),
  )
  details.scrollTop = 0
  details.focus({ preventScroll: true })
}

function factOf(name, value) {
  const text = Array.isArray(value) ? value.map((item, place) => `${place + 1}. ${item}`).join('\n') : String(value)
  return [made('dt', { textContent: written(name) }), made('dd', { dir: 'auto', textContent: text })]
}

function linkItem(at, { edge, other }) {
  const said = Object.entries(edge.properties).filter(([, value]) => value !== null)
  const notes = said.map(([name, value]) => `${written(name)} ${value}`).join(', ')
  const arrow = edge.from === at ? '→' : '←'
  const name = made('small', { textContent: `${arrow} ${edge.relation}${notes === '' ? '' : ` · ${notes}`}` })
  const button = made('button', { type: 'button', className: nodes[other].node, dir: 'auto' }, name)
  button.append(`${nodes[other].kind}: ${nodes[other].text}`)
  button.addEventListener('click', () => show(other))
  return made('li', {}, button)
}

/** What is hidden is shown again with its type. */
export function show(at) {
  if (!isShown(at)) byId('types').querySelector(`.${nodes[at].node} input`).click()
  goTo(at, { isFar: true, takesFocus: false })
  openDetails(at)
}

/** Goes back to where they were opened. */
export function closeDetails() {
  const [at, opener] = [state.opened, state.opener]
  openDetails(null)
  if (at === null) return
  const isInList = opener !== null && list.contains(opener)
  goTo(at, { takesFocus: !isInList })
  if (isInList) opener.focus()
}

export function legend() {
  const count = (list) => list.length.toLocaleString('en')
  const types = graph.types
    .map(({ label, title }) => ({ name: label, title, of: nodes.filter(({ node }) => node === label) }))
    .filter(({ of }) => of.length > 0)
    .map(({ name, title, of }) => ({ name, title: `${title} ${count(of)}`, mark: { type: name, className: 'swatch' } }))
  const relations = graph.relations
    .map((name) => ({ name, of: edges.filter(({ relation }) => relation === name) }))
    .filter(({ of }) => of.length > 0)
    .map(({ name, of }) => ({
      name,
      title: `${written(name)} ${count(of)}`,
      mark: { type: typeOf(name), className: 'stroke' },
    }))
  if (nodes.length > CROWD)
    for (const { name, mark } of relations) if (mark.type === 'Session') state.hiddenRelations.add(name)
  const changed = () => {
    filter()
    drawLinks()
    light(null)
    keepReachable()
  }
  choices('types', types, state.hiddenTypes, changed)
  choices('relations', relations, state.hiddenRelations, changed)
  for (const { node, x, y, width } of graph.groups.filter((group) => group.node !== 'Session')) {
    const title = made('h2', { className: `group ${node}`, textContent: types.find(({ name }) => name === node).title })
    title.dataset.width = width
    Object.assign(title.style, { left: `${x}px`, top: `${y}px` })
    world.append(title)
  }
}

function choices(place, items, hidden, changed) {
  for (const { name, title, mark } of items) {
    const box = made('input', { type: 'checkbox', checked: !hidden.has(name) })
    box.addEventListener('change', () => {
      if (box.checked) hidden.delete(name)
      else hidden.add(name)
      changed()
    })
    byId(place).append(made('label', { className: mark.type }, box, made('i', { className: mark.className }), title))
  }
}
