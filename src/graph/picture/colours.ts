/** Colours of the types of memory. Dark text on a light fill is read alike on a white page and on a dark one. */
import type { NodeLabel } from '../schema.ts'

export interface Colours {
  readonly fill: string
  /** Of at least 3:1 against white and against #111, so that the shape is seen on both. */
  readonly line: string
}

export const TEXT_COLOUR = '#1c1917'
/** Of relations and their words: 4.5:1 against white, and near it against #111. */
export const EDGE_COLOUR = '#76716c'

export const COLOURS: Readonly<Record<NodeLabel, Colours>> = {
  Session: { fill: '#e7e5e4', line: '#78716c' },
  EpisodicMemory: { fill: '#dbeafe', line: '#3b82f6' },
  SemanticMemory: { fill: '#d1fae5', line: '#0d9467' },
  ProceduralMemory: { fill: '#fef3c7', line: '#b45f06' },
  ProspectiveMemory: { fill: '#ede9fe', line: '#8b5cf6' },
  WorkingMemory: { fill: '#ffe4e6', line: '#e11d48' },
}
