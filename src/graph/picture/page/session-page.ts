/**
 * A session's graph as one page: offline, without a request, and with nothing in it that a memory could make act. What
 * memories say stands in a block of data alone; the script puts it on the page as text.
 */
import { NODE_LABELS, NODES, RELATION_NAMES, RELATIONS } from '../../schema.ts'
import { nodeId, type SessionGraph } from '../../session-graph.ts'
import { captionsOf, remarkOn, shortened } from '../caption.ts'
import { withoutActing } from '../json.ts'
import { CARD, layoutOf, placesOf } from '../layout.ts'
import data from './data.client.js' with { type: 'text' }
import drawing from './drawing.client.js' with { type: 'text' }
import drawingStyle from './drawing.css' with { type: 'text' }
import frameStyle from './frame.css' with { type: 'text' }
import mediaStyle from './media.css' with { type: 'text' }
import page from './page.client.js' with { type: 'text' }
import panel from './panel.client.js' with { type: 'text' }
import panelStyle from './panel.css' with { type: 'text' }

/** UTF-16 units on a card; the whole is among its details. */
const TEXT_UNITS_MAX = 140

/** Modules, so that tools know who uses what; a page that asks for nothing has them in one piece. */
const SCRIPT = [data, drawing, panel, page].map(withoutModule).join('')
const STYLE = [frameStyle, drawingStyle, panelStyle, mediaStyle].join('')

const TITLES: Readonly<Record<(typeof NODE_LABELS)[number], string>> = {
  Session: 'Session',
  EpisodicMemory: 'Events',
  SemanticMemory: 'Knowledge',
  ProceduralMemory: 'Procedures',
  ProspectiveMemory: 'Intentions',
  WorkingMemory: 'In mind',
}

/** Text that ends with a line end. */
export async function sessionPage(graph: SessionGraph): Promise<string> {
  const policy = [
    "default-src 'none'",
    `script-src '${await sourceHash(SCRIPT)}'`,
    `style-src '${await sourceHash(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const shown = withoutActing(JSON.stringify(pageData(graph)))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Session graph</title>
<style>${STYLE}</style>
</head>
<body>
${BODY}
<script type="application/json" id="data">${shown}</script>
<script type="module">${SCRIPT}</script>
</body>
</html>
`
}

const BODY = `<a class="skip" href="#search">Skip to the list</a>
<header>
<h1 id="title" dir="auto">Session</h1>
<p id="about" dir="auto"></p>
<div class="tools" role="group" aria-label="Drawing">
<button type="button" id="less" aria-label="Zoom out" title="Zoom out (-)">&minus;</button>
<output id="scale" aria-label="Zoom">100 %</output>
<button type="button" id="more" aria-label="Zoom in" title="Zoom in (+)">+</button>
<button type="button" id="fit" title="Show all (0)">Show all</button>
</div>
</header>
<main>
<section id="pane" aria-label="Drawing" aria-describedby="keys">
<div id="space"><div id="world"><svg id="links" aria-hidden="true"></svg><svg id="lit" aria-hidden="true"></svg><svg id="names" aria-hidden="true"></svg></div></div>
</section>
<aside aria-label="Memories">
<section id="details" role="dialog" aria-labelledby="details-title" tabindex="-1" hidden></section>
<section id="browse">
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Words of a memory">
<fieldset><legend>Types</legend><div id="types"></div></fieldset>
<fieldset><legend>Relations</legend><div id="relations"></div></fieldset>
<p id="count" role="status"></p>
<ol id="list"></ol>
</section>
</aside>
</main>
<p id="keys">Tab goes to the drawing, arrow keys go along the relations, Enter opens details, Escape closes them, + &minus; 0 zoom.</p>
<noscript><p>The drawing is made by a script inside this page; without scripts there is nothing to see.</p></noscript>`

/** What the script reads. Ends of edges are places among the nodes. */
function pageData(graph: SessionGraph) {
  const { width, height, places, groups } = layoutOf(graph)
  const captionOf = captionsOf(graph, TEXT_UNITS_MAX)
  const placeOf = placesOf(graph.nodes)
  const remark = remarkOn(graph)
  return {
    session: shortened(graph.session_id, TEXT_UNITS_MAX),
    remark,
    card: CARD,
    width,
    height,
    types: NODE_LABELS.map((label) => ({ label, title: TITLES[label] })),
    relations: RELATION_NAMES,
    groups,
    nodes: graph.nodes.map(({ node, ...properties }, at) => ({
      node,
      id: nodeId({ node, ...properties }),
      ...captionOf({ node, ...properties }),
      ...(remark === null ? {} : { text: remark }),
      ...places[at],
      time: properties.timestamp ?? null,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== NODES[node].key)),
    })),
    edges: graph.edges.map(({ relation, from, to, ...properties }) => ({
      relation,
      from: placeOf(RELATIONS[relation].from, from),
      to: placeOf(RELATIONS[relation].to, to),
      properties,
    })),
  }
}

/** Without what ties it to its neighbours: imports, and `export` at the beginning of a line. */
function withoutModule(source: string): string {
  return source.replace(/^import\b[^']*'[^']*'\n/gm, '').replace(/^export /gm, '')
}

/** As a Content-Security-Policy names an inline text. Both are the program's own, so nothing foreign is ever allowed. */
async function sourceHash(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return `sha256-${btoa(String.fromCharCode(...bytes))}`
}
