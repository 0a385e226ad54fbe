/** What the page was given, where its parts are, and what it remembers between two touches. Runs in the browser alone. */
export const graph = JSON.parse(byId('data').textContent)
export const { nodes, edges, card } = graph

/** Relations of each node, with the node at their other end. */
export const around = nodes.map(() => [])
for (const edge of edges) {
  around[edge.from].push({ edge, other: edge.to })
  around[edge.to].push({ edge, other: edge.from })
}

/** Places of events among the nodes, as they came. */
export const events = nodes.flatMap(({ node }, at) => (node === 'EpisodicMemory' ? [at] : []))

/** Which of the events, from 0, by its place among the nodes. */
export const orderOf = new Map(events.map((at, order) => [at, order]))

export const state = {
  zoom: 1,
  /** The card that Tab comes back to. */
  current: 0,
  /** The node whose details are open, or null, and what they were opened from. */
  opened: null,
  opener: null,
  hiddenTypes: new Set(),
  hiddenRelations: new Set(),
}

export const isShown = (at) => !state.hiddenTypes.has(nodes[at].node)
export const isDrawn = ({ relation, from, to }) => !state.hiddenRelations.has(relation) && isShown(from) && isShown(to)

/** Type of the nodes that a relation leads from. */
export const typeOf = (relation) => nodes[edges.find((edge) => edge.relation === relation).from].node

export function byId(id) {
  return document.getElementById(id)
}

/** What memories say is given as text, here and everywhere, never as HTML. */
export function made(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  Object.assign(element, properties)
  element.append(...children)
  return element
}

export function drawn(tag, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.textContent = text
  return element
}

export function counted(count, one, many) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

export function written(name) {
  return name.replaceAll('_', ' ').toLowerCase()
}

export function moment(time) {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
