/** What a picture says of a node in a few words, and how a long text becomes a few words. Knows no format. */

import { saysNoMore } from '../../model/named-text.ts'
import type { NodeLabel } from '../schema.ts'
import { type GraphNode, nodeId, type SessionGraph } from '../session-graph.ts'
import type { PropertyValue } from '../values.ts'

export interface Caption {
  /** What it is, such as `event 1 · error`. */
  readonly kind: string
  /** The same where its type is told beside it, such as `1 · error`. */
  readonly title: string
  readonly text: string
}

/** Of a session that holds nothing. */
export const NOTHING_IN_IT = 'Nothing is kept in this session.'

const TEXT_OF: Readonly<Record<NodeLabel, string>> = {
  Session: 'context',
  EpisodicMemory: 'content',
  SemanticMemory: 'content',
  ProceduralMemory: 'description',
  ProspectiveMemory: 'intention',
  WorkingMemory: 'content',
}

/** One line each; texts are shortened. @param unitsMax of each, in UTF-16 units */
export function captionsOf({ edges }: SessionGraph, unitsMax: number): (node: GraphNode) => Caption {
  const numbers = new Map(edges.map(({ relation, to, sequence_number }) => [`${relation} ${to}`, sequence_number]))
  return (node) => {
    const title = titleOf(node, numbers.get(`CONTAINS_EPISODIC ${nodeId(node)}`))
    const said = shortened(String(node[TEXT_OF[node.node]] ?? ''), unitsMax)
    return {
      kind: shortened(`${TYPE_WORDS[node.node]}${title}`, unitsMax),
      title: shortened(title, unitsMax),
      text: said === '' ? shortened(inPlaceOfText(node), unitsMax) : said,
    }
  }
}

/** A session's id is in its kind already. */
function inPlaceOfText(node: GraphNode): string {
  return node.node === 'Session' ? `since ${String(node.start_time)}` : nodeId(node)
}

const TYPE_WORDS: Readonly<Record<NodeLabel, string>> = {
  Session: '',
  EpisodicMemory: 'event ',
  SemanticMemory: '',
  ProceduralMemory: 'procedure · ',
  ProspectiveMemory: 'intention · ',
  WorkingMemory: 'in mind · ',
}

/** @param sequenceNumber of an event */
function titleOf(node: GraphNode, sequenceNumber: PropertyValue | undefined): string {
  switch (node.node) {
    case 'Session':
      return named(`session ${nodeId(node)}`, node.status)
    case 'EpisodicMemory':
      return named(String(sequenceNumber), node.event_type)
    case 'SemanticMemory':
      return named(
        saysNoMore(String(node.concept), String(node.content)) ? 'knowledge' : node.concept,
        `version ${String(node.version)}`,
      )
    case 'ProceduralMemory':
      return named(node.procedure_name)
    case 'ProspectiveMemory':
      return named(node.status)
    case 'WorkingMemory':
      return named(node.memory_type)
  }
}

function named(...parts: readonly (PropertyValue | undefined)[]): string {
  return parts.filter((part) => String(part ?? '').trim() !== '').join(' · ')
}

/** Of a graph of nothing but its session a sentence, else null. */
export function remarkOn({ nodes }: SessionGraph): string | null {
  return nodes.length > 1 ? null : NOTHING_IN_IT
}

/** What a reader does not see, and what would turn the reading order or steer a terminal. */
const UNSEEN = /[\s\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** In one line, ended at a word's end where one is in the second half. Never longer than `unitsMax` and an ellipsis. */
export function shortened(text: string, unitsMax: number): string {
  // Most of a long text is never looked at.
  const line = text
    .slice(0, unitsMax * 4)
    .replace(UNSEEN, ' ')
    .trim()
  if (line.length <= unitsMax && text.length <= unitsMax * 4) return line.toWellFormed()
  const start = line.slice(0, unitsMax + 1)
  const end = start.lastIndexOf(' ')
  const words = end > unitsMax / 2 ? start.slice(0, end) : start.slice(0, unitsMax).replace(HALF_CHARACTER, '')
  return `${words}…`
}

/** What belongs to the character that was cut: half a pair, or what joins and colours an emoji. */
const HALF_CHARACTER = /(?:[\ud800-\udbff]|\u200d|\ufe0f)+$/
