/**
 * What the memory graph holds: six tables of nodes and eleven of relations, with their properties, as the seed names
 * them. One declaration: checks of values, fields and answers of operations, the sheets for Cypher and exports follow from
 * it; the SQL that makes the tables is held against it by a test. By what words a memory is found is told in `documents.ts`.
 */

/** The seed's STRING, TIMESTAMP, DOUBLE, INT64, BOOL and STRING[]. */
export type PropertyType = 'string' | 'timestamp' | 'double' | 'int64' | 'bool' | 'strings'

export interface Property {
  readonly name: string
  readonly type: PropertyType
  /** Of a string: all that it may be. */
  readonly values?: readonly string[]
  /** Of a number: both ends belong to it. */
  readonly range?: readonly [least: number, most: number]
  /** Never null. */
  readonly isRequired?: true
}

export const NODE_LABELS = [
  'Session',
  'EpisodicMemory',
  'SemanticMemory',
  'ProceduralMemory',
  'ProspectiveMemory',
  'WorkingMemory',
] as const
export type NodeLabel = (typeof NODE_LABELS)[number]

export const MEMORY_KINDS = ['episodic', 'semantic', 'procedural', 'prospective', 'working'] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]

export interface NodeTable {
  /** Null for sessions, which are no memory. */
  readonly kind: MemoryKind | null
  readonly key: 'session_id' | 'memory_id'
  /** Without the key, and without the embedding, which every memory has. In the seed's order. */
  readonly properties: readonly Property[]
}

const UNIT = [0, 1] as const
/** Others are counted on from what is given. */
export const COUNT_MAX = 2 ** 52
const COUNT = [0, COUNT_MAX] as const
const VERSION = [1, COUNT_MAX] as const

export const SESSION_STATUSES = ['active', 'completed', 'archived'] as const
export const INTENTION_STATUSES = ['pending', 'triggered', 'completed', 'expired'] as const
export const PRIORITIES = ['low', 'medium', 'high', 'critical'] as const
/** What kind of knowledge a concept is. */
export const CATEGORIES = ['architecture', 'patterns', 'user_preferences', 'domain_knowledge'] as const
/** What part a session has in a version of a concept. */
export const CONTRIBUTION_TYPES = ['created', 'updated', 'validated', 'refined'] as const
/** How knowledge came of an event. */
export const EXTRACTION_METHODS = ['pattern_recognition', 'user_feedback', 'inference'] as const
export type ExtractionMethod = (typeof EXTRACTION_METHODS)[number]

export const NODES: Readonly<Record<NodeLabel, NodeTable>> = {
  Session: {
    kind: null,
    key: 'session_id',
    properties: [
      { name: 'start_time', type: 'timestamp', isRequired: true },
      { name: 'end_time', type: 'timestamp' },
      { name: 'user_id', type: 'string' },
      { name: 'context', type: 'string' },
      { name: 'status', type: 'string', values: SESSION_STATUSES, isRequired: true },
    ],
  },
  EpisodicMemory: {
    kind: 'episodic',
    key: 'memory_id',
    properties: [
      { name: 'timestamp', type: 'timestamp', isRequired: true },
      { name: 'content', type: 'string', isRequired: true },
      { name: 'event_type', type: 'string', values: ['task_completion', 'decision', 'error', 'learning'] },
      { name: 'emotional_valence', type: 'double', range: [-1, 1] },
      { name: 'importance_score', type: 'double', range: UNIT },
    ],
  },
  SemanticMemory: {
    kind: 'semantic',
    key: 'memory_id',
    properties: [
      { name: 'concept', type: 'string', isRequired: true },
      { name: 'content', type: 'string', isRequired: true },
      {
        name: 'category',
        type: 'string',
        values: CATEGORIES,
      },
      { name: 'confidence_score', type: 'double', range: UNIT },
      { name: 'last_updated', type: 'timestamp', isRequired: true },
      { name: 'version', type: 'int64', range: VERSION, isRequired: true },
    ],
  },
  ProceduralMemory: {
    kind: 'procedural',
    key: 'memory_id',
    properties: [
      { name: 'procedure_name', type: 'string', isRequired: true },
      { name: 'description', type: 'string' },
      { name: 'steps', type: 'strings', isRequired: true },
      { name: 'preconditions', type: 'strings', isRequired: true },
      { name: 'postconditions', type: 'strings', isRequired: true },
      { name: 'success_rate', type: 'double', range: UNIT },
      { name: 'usage_count', type: 'int64', range: COUNT, isRequired: true },
      { name: 'last_used', type: 'timestamp' },
    ],
  },
  ProspectiveMemory: {
    kind: 'prospective',
    key: 'memory_id',
    properties: [
      { name: 'intention', type: 'string', isRequired: true },
      { name: 'trigger_condition', type: 'string' },
      { name: 'priority', type: 'string', values: PRIORITIES, isRequired: true },
      { name: 'due_date', type: 'timestamp' },
      { name: 'status', type: 'string', values: INTENTION_STATUSES, isRequired: true },
      { name: 'scope', type: 'string', values: ['session', 'global'], isRequired: true },
      { name: 'completion_criteria', type: 'string' },
    ],
  },
  WorkingMemory: {
    kind: 'working',
    key: 'memory_id',
    properties: [
      { name: 'content', type: 'string', isRequired: true },
      { name: 'memory_type', type: 'string', values: ['goal', 'subgoal', 'context', 'constraint'], isRequired: true },
      { name: 'priority', type: 'int64', range: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], isRequired: true },
      { name: 'created_at', type: 'timestamp', isRequired: true },
      { name: 'ttl_seconds', type: 'int64', range: COUNT, isRequired: true },
    ],
  },
}

export const RELATION_NAMES = [
  'CONTAINS_EPISODIC',
  'CONTAINS_WORKING',
  'CONTRIBUTES_TO_SEMANTIC',
  'USES_PROCEDURE',
  'CREATES_INTENTION',
  'DERIVES_FROM',
  'REFERENCES',
  'TRIGGERS',
  'ACTIVATES',
  'RECALLS',
  'BUILDS_ON',
] as const
export type RelationName = (typeof RELATION_NAMES)[number]

export interface RelationTable {
  readonly from: NodeLabel
  readonly to: NodeLabel
  /** `one`: between two nodes there is one at most, and linking them again updates it; `each`: every one is kept. */
  readonly kept: 'one' | 'each'
  /** Whether a node can be at its end once only: what lies in one session lies in no other. */
  readonly isExclusive?: true
  readonly properties: readonly Property[]
}

const at = (name: string): Property => ({ name, type: 'timestamp', isRequired: true })

export const RELATIONS: Readonly<Record<RelationName, RelationTable>> = {
  CONTAINS_EPISODIC: {
    from: 'Session',
    to: 'EpisodicMemory',
    kept: 'one',
    isExclusive: true,
    properties: [{ name: 'sequence_number', type: 'int64', range: VERSION, isRequired: true }],
  },
  CONTAINS_WORKING: {
    from: 'Session',
    to: 'WorkingMemory',
    kept: 'one',
    isExclusive: true,
    properties: [{ name: 'activation_level', type: 'double', range: UNIT, isRequired: true }],
  },
  CONTRIBUTES_TO_SEMANTIC: {
    from: 'Session',
    to: 'SemanticMemory',
    kept: 'each',
    properties: [
      {
        name: 'contribution_type',
        type: 'string',
        values: CONTRIBUTION_TYPES,
        isRequired: true,
      },
      at('timestamp'),
      { name: 'delta', type: 'string' },
    ],
  },
  USES_PROCEDURE: {
    from: 'Session',
    to: 'ProceduralMemory',
    kept: 'each',
    properties: [
      at('timestamp'),
      { name: 'success', type: 'bool', isRequired: true },
      { name: 'notes', type: 'string' },
    ],
  },
  CREATES_INTENTION: {
    from: 'Session',
    to: 'ProspectiveMemory',
    kept: 'one',
    isExclusive: true,
    properties: [at('timestamp')],
  },
  DERIVES_FROM: {
    from: 'SemanticMemory',
    to: 'EpisodicMemory',
    kept: 'one',
    properties: [
      { name: 'extraction_method', type: 'string', values: EXTRACTION_METHODS },
      { name: 'confidence', type: 'double', range: UNIT },
    ],
  },
  REFERENCES: {
    from: 'ProceduralMemory',
    to: 'SemanticMemory',
    kept: 'one',
    properties: [
      { name: 'reference_type', type: 'string', values: ['prerequisite', 'related_concept', 'example'] },
      { name: 'context', type: 'string' },
    ],
  },
  TRIGGERS: {
    from: 'ProspectiveMemory',
    to: 'WorkingMemory',
    kept: 'each',
    properties: [at('trigger_time'), { name: 'condition_met', type: 'bool', isRequired: true }],
  },
  ACTIVATES: {
    from: 'WorkingMemory',
    to: 'SemanticMemory',
    kept: 'one',
    properties: [{ name: 'activation_strength', type: 'double', range: UNIT }, at('timestamp')],
  },
  RECALLS: {
    from: 'EpisodicMemory',
    to: 'EpisodicMemory',
    kept: 'one',
    properties: [
      // A cosine.
      { name: 'similarity_score', type: 'double', range: [-1, 1] },
      {
        name: 'recall_reason',
        type: 'string',
        values: ['temporal_proximity', 'semantic_similarity', 'causal_link'],
      },
    ],
  },
  BUILDS_ON: {
    from: 'ProceduralMemory',
    to: 'ProceduralMemory',
    kept: 'one',
    properties: [{ name: 'relationship_type', type: 'string', values: ['extends', 'specializes', 'composes'] }],
  },
}

export function labelOf(kind: MemoryKind): NodeLabel {
  switch (kind) {
    case 'episodic':
      return 'EpisodicMemory'
    case 'semantic':
      return 'SemanticMemory'
    case 'procedural':
      return 'ProceduralMemory'
    case 'prospective':
      return 'ProspectiveMemory'
    case 'working':
      return 'WorkingMemory'
  }
}
