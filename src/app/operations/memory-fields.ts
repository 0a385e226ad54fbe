/** What operations of the memory graph are asked, and what they answer, made from the graph's own schema. */
import * as v from 'valibot'
import { IMPORTANCE_KEPT_ABOVE } from '../../graph/importance.ts'
import {
  labelOf,
  MEMORY_KINDS,
  type MemoryKind,
  NODES,
  type NodeLabel,
  type Property,
  RELATIONS,
  type RelationName,
} from '../../graph/schema.ts'
import { valuesOf } from '../value-source.ts'

const TIME = 'a date or time such as 2026-01-02T03:04:05Z'

/** What the properties of new memories mean, for help and tools. The version of a concept is counted, never given. */
const MEANINGS: Readonly<Record<string, string>> = {
  timestamp: `When it happened, ${TIME}; default: now.`,
  content: 'What is to be remembered (episodic, semantic, working).',
  event_type: 'What kind of event it was.',
  emotional_valence: 'How good or bad it was, -1 to 1.',
  importance_score: `How much it matters, 0 to 1. Above ${IMPORTANCE_KEPT_ABOVE} an event outlives its session until it is consolidated.`,
  concept: 'What the knowledge is about; remembered again, it becomes its next version.',
  category: 'What kind of knowledge it is; default: as of the former version.',
  confidence_score: 'How sure it is, 0 to 1.',
  last_updated: `When it was found out, ${TIME}; default: now.`,
  procedure_name: 'Name of the procedure.',
  description: 'What the procedure is for.',
  steps: 'One step of the procedure; give the option once for each, in order.',
  preconditions: 'What has to be so before; give the option once for each.',
  postconditions: 'How success shows; give the option once for each.',
  success_rate: 'Share of the uses that succeeded, 0 to 1, where they were counted elsewhere.',
  usage_count: 'How often it was used, where that was counted elsewhere.',
  last_used: `When it was used last, ${TIME}.`,
  intention: 'What is to be done.',
  trigger_condition: 'Words that an event must hold, all of them, for the intention to be due.',
  priority:
    'low, medium (default), high or critical of an intention; a whole number of working memory, the higher the sooner.',
  due_date: `When it is due, ${TIME}.`,
  status: 'State of the intention; default: pending.',
  scope:
    'Whose the intention is: session, which ends with it, or global; default: session with a session, else global.',
  completion_criteria: 'How it shows that it is done.',
  memory_type: 'What of the task it is; default: context.',
  created_at: `Since when it is in mind, ${TIME}; default: now.`,
  ttl_seconds: 'Seconds after which it is gone; default: memory.working_ttl_seconds.',
}

type Fields = Record<string, v.GenericSchema>

/** Properties of all kinds of memories as input fields, each once. */
export function memoryFields(): Fields {
  const fields: Fields = {}
  for (const kind of MEMORY_KINDS)
    for (const property of NODES[labelOf(kind)].properties)
      if (property.name in MEANINGS) fields[property.name] ??= described(property)
  return fields
}

function described(property: Property): v.GenericSchema {
  return v.pipe(v.nullish(inputValue(property)), v.description(MEANINGS[property.name] ?? ''))
}

function inputValue(property: Property): v.GenericSchema {
  // Of an intention a word, of working memory a number.
  return property.name === 'priority' ? v.union([v.string(), v.number()]) : givenValue(property)
}

function givenValue({ type, values }: Property): v.GenericSchema {
  switch (type) {
    case 'string':
      return values === undefined ? v.string() : v.picklist(values)
    case 'timestamp':
      return v.string()
    case 'double':
    case 'int64':
      return v.number()
    case 'bool':
      return v.boolean()
    case 'strings':
      return v.array(v.string())
  }
}

function answeredProperty(property: Property): v.GenericSchema {
  return property.isRequired === true ? givenValue(property) : v.nullable(givenValue(property))
}

/** A node as answers hold it. */
export function nodeFields(label: NodeLabel): Fields {
  const { key, properties } = NODES[label]
  return { [key]: v.string(), ...propertyFields(properties) }
}

function propertyFields(properties: readonly Property[]): Fields {
  return Object.fromEntries(properties.map((property) => [property.name, answeredProperty(property)]))
}

export function relationFields(relation: RelationName): Fields {
  return propertyFields(RELATIONS[relation].properties)
}

export const listOf = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.readonly())

/** A memory with the properties of the relation that leads to it. */
export function linkedNode(relation: RelationName) {
  return v.strictObject({ ...relationFields(relation), ...nodeFields(RELATIONS[relation].to) })
}

export function answeredMemory(kind: MemoryKind) {
  return v.strictObject({ kind: v.literal(kind), memory: v.strictObject(nodeFields(labelOf(kind))) })
}

export const countsOf = (names: readonly string[]) =>
  v.strictObject(Object.fromEntries(names.map((name) => [name, v.number()])))

export const sessionField = (about: string) => v.pipe(v.string(), v.description(about), valuesOf('session'))

export const timeField = () =>
  v.optional(v.pipe(v.string(), v.description(`As if it were then, ${TIME}; default: now.`)))
