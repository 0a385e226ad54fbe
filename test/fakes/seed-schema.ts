/** The seed's data definitions, line by line: what every table must hold. Written down from the seed, not from our schema. */

export interface SeedColumn {
  readonly name: string
  readonly type: 'STRING' | 'TIMESTAMP' | 'DOUBLE' | 'INT64' | 'BOOL' | 'STRING[]'
  readonly values?: readonly string[]
  readonly range?: readonly [number, number]
}

const column = (name: string, type: SeedColumn['type'], rule: Partial<SeedColumn> = {}): SeedColumn => ({
  name,
  type,
  ...rule,
})
const oneOf = (name: string, ...values: readonly string[]) => column(name, 'STRING', { values })
const UNIT = { range: [0, 1] } as const

/** Without the embedding, which every memory has beside these. */
export const SEED_NODES: Readonly<Record<string, readonly SeedColumn[]>> = {
  Session: [
    column('session_id', 'STRING'),
    column('start_time', 'TIMESTAMP'),
    column('end_time', 'TIMESTAMP'),
    column('user_id', 'STRING'),
    column('context', 'STRING'),
    oneOf('status', 'active', 'completed', 'archived'),
  ],
  EpisodicMemory: [
    column('memory_id', 'STRING'),
    column('timestamp', 'TIMESTAMP'),
    column('content', 'STRING'),
    oneOf('event_type', 'task_completion', 'decision', 'error', 'learning'),
    column('emotional_valence', 'DOUBLE', { range: [-1, 1] }),
    column('importance_score', 'DOUBLE', UNIT),
  ],
  SemanticMemory: [
    column('memory_id', 'STRING'),
    column('concept', 'STRING'),
    column('content', 'STRING'),
    oneOf('category', 'architecture', 'patterns', 'user_preferences', 'domain_knowledge'),
    column('confidence_score', 'DOUBLE', UNIT),
    column('last_updated', 'TIMESTAMP'),
    column('version', 'INT64'),
  ],
  ProceduralMemory: [
    column('memory_id', 'STRING'),
    column('procedure_name', 'STRING'),
    column('description', 'STRING'),
    column('steps', 'STRING[]'),
    column('preconditions', 'STRING[]'),
    column('postconditions', 'STRING[]'),
    column('success_rate', 'DOUBLE', UNIT),
    column('usage_count', 'INT64'),
    column('last_used', 'TIMESTAMP'),
  ],
  ProspectiveMemory: [
    column('memory_id', 'STRING'),
    column('intention', 'STRING'),
    column('trigger_condition', 'STRING'),
    oneOf('priority', 'low', 'medium', 'high', 'critical'),
    column('due_date', 'TIMESTAMP'),
    oneOf('status', 'pending', 'triggered', 'completed', 'expired'),
    oneOf('scope', 'session', 'global'),
    column('completion_criteria', 'STRING'),
  ],
  WorkingMemory: [
    column('memory_id', 'STRING'),
    column('content', 'STRING'),
    oneOf('memory_type', 'goal', 'subgoal', 'context', 'constraint'),
    column('priority', 'INT64'),
    column('created_at', 'TIMESTAMP'),
    column('ttl_seconds', 'INT64'),
  ],
}

export interface SeedRelation {
  readonly from: string
  readonly to: string
  readonly columns: readonly SeedColumn[]
}

const relation = (from: string, to: string, ...columns: readonly SeedColumn[]): SeedRelation => ({ from, to, columns })

export const SEED_RELATIONS: Readonly<Record<string, SeedRelation>> = {
  CONTAINS_EPISODIC: relation('Session', 'EpisodicMemory', column('sequence_number', 'INT64')),
  CONTAINS_WORKING: relation('Session', 'WorkingMemory', column('activation_level', 'DOUBLE', UNIT)),
  CONTRIBUTES_TO_SEMANTIC: relation(
    'Session',
    'SemanticMemory',
    oneOf('contribution_type', 'created', 'updated', 'validated', 'refined'),
    column('timestamp', 'TIMESTAMP'),
    column('delta', 'STRING'),
  ),
  USES_PROCEDURE: relation(
    'Session',
    'ProceduralMemory',
    column('timestamp', 'TIMESTAMP'),
    column('success', 'BOOL'),
    column('notes', 'STRING'),
  ),
  CREATES_INTENTION: relation('Session', 'ProspectiveMemory', column('timestamp', 'TIMESTAMP')),
  DERIVES_FROM: relation(
    'SemanticMemory',
    'EpisodicMemory',
    oneOf('extraction_method', 'pattern_recognition', 'user_feedback', 'inference'),
    column('confidence', 'DOUBLE', UNIT),
  ),
  REFERENCES: relation(
    'ProceduralMemory',
    'SemanticMemory',
    oneOf('reference_type', 'prerequisite', 'related_concept', 'example'),
    column('context', 'STRING'),
  ),
  TRIGGERS: relation(
    'ProspectiveMemory',
    'WorkingMemory',
    column('trigger_time', 'TIMESTAMP'),
    column('condition_met', 'BOOL'),
  ),
  ACTIVATES: relation(
    'WorkingMemory',
    'SemanticMemory',
    column('activation_strength', 'DOUBLE', UNIT),
    column('timestamp', 'TIMESTAMP'),
  ),
  RECALLS: relation(
    'EpisodicMemory',
    'EpisodicMemory',
    column('similarity_score', 'DOUBLE'),
    oneOf('recall_reason', 'temporal_proximity', 'semantic_similarity', 'causal_link'),
  ),
  BUILDS_ON: relation(
    'ProceduralMemory',
    'ProceduralMemory',
    oneOf('relationship_type', 'extends', 'specializes', 'composes'),
  ),
}
