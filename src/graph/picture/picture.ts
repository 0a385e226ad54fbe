/** A session's graph as text, in whichever format. */
import type { SessionGraph } from '../session-graph.ts'
import { dotPicture } from './dot.ts'
import { jsonPicture } from './json.ts'
import { MERMAID_EDGES_MAX, MERMAID_UNITS_MAX, mermaidPicture } from './mermaid.ts'

export type PictureFormat = 'mermaid' | 'dot' | 'json' | 'html'

export interface Picture {
  /** Ends with a line end. */
  readonly text: string
  /** What whoever draws it should know; null where there is nothing. */
  readonly notice: string | null
}

export async function pictureOf(graph: SessionGraph, format: PictureFormat): Promise<Picture> {
  switch (format) {
    case 'mermaid': {
      const text = mermaidPicture(graph)
      return { text, notice: mermaidNotice(graph.edges.length, text.length) }
    }
    case 'dot':
      return { text: dotPicture(graph), notice: null }
    case 'json':
      return { text: jsonPicture(graph), notice: null }
    case 'html': {
      const { sessionPage } = await import('./page/session-page.ts')
      return { text: await sessionPage(graph), notice: null }
    }
  }
}

function mermaidNotice(edges: number, units: number): string | null {
  if (edges <= MERMAID_EDGES_MAX && units <= MERMAID_UNITS_MAX) return null
  return `the picture has ${edges} relations and ${units} characters, and Mermaid draws ${MERMAID_EDGES_MAX} and ${MERMAID_UNITS_MAX} unless maxEdges and maxTextSize say otherwise; --format html has no such limit`
}
