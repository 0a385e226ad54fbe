/**
 * The SQL that makes the memory graph, as numbered steps: step n leads from `user_version` n to n + 1 and is never
 * changed once a release had it. What it must come to is declared in `schema.ts`.
 *
 * Names are the seed's. Times are ISO 8601 in UTC with milliseconds, so that their order as texts is that of time;
 * booleans are 0 and 1, lists JSON arrays of strings. An embedding is float32, little-endian, with its model and its
 * dimension beside it; all three are null without an embedder. A relation's ends are `from_id` and `to_id`.
 */

const timestamp = (name: string) =>
  `"${name}" TEXT CHECK ("${name}" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z')`
const within = (name: string, least: number, most: number) => `CHECK ("${name}" BETWEEN ${least} AND ${most})`
const oneOf = (name: string, ...values: readonly string[]) =>
  `"${name}" TEXT CHECK ("${name}" IN (${values.map((value) => `'${value}'`).join(', ')}))`
const strings = (name: string) =>
  `"${name}" TEXT NOT NULL CHECK (json_valid("${name}") AND json_type("${name}") = 'array')`

const EMBEDDING = `
  embedding BLOB,
  embedding_model TEXT,
  embedding_dimension INTEGER,
  CHECK ((embedding IS NULL) = (embedding_model IS NULL)),
  CHECK ((embedding IS NULL) = (embedding_dimension IS NULL)),
  CHECK (embedding IS NULL OR length(embedding) = 4 * embedding_dimension)`

const ends = (from: string, to: string) => `
  from_id TEXT NOT NULL REFERENCES "${from}" ON UPDATE CASCADE ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES "${to}" ON UPDATE CASCADE ON DELETE CASCADE`

const FIRST = `
CREATE TABLE "Session" (
  session_id TEXT PRIMARY KEY NOT NULL,
  ${timestamp('start_time')} NOT NULL,
  ${timestamp('end_time')},
  user_id TEXT,
  context TEXT,
  ${oneOf('status', 'active', 'completed', 'archived')} NOT NULL
) STRICT;
CREATE INDEX session_by_start ON "Session" (start_time, session_id);

CREATE TABLE "EpisodicMemory" (
  memory_id TEXT PRIMARY KEY NOT NULL,
  ${timestamp('timestamp')} NOT NULL,
  content TEXT NOT NULL,
  ${oneOf('event_type', 'task_completion', 'decision', 'error', 'learning')},
  emotional_valence REAL ${within('emotional_valence', -1, 1)},
  importance_score REAL ${within('importance_score', 0, 1)},${EMBEDDING}
) STRICT;
CREATE INDEX episodic_by_importance ON "EpisodicMemory" (importance_score DESC, "timestamp");

CREATE TABLE "SemanticMemory" (
  memory_id TEXT PRIMARY KEY NOT NULL,
  concept TEXT NOT NULL,
  content TEXT NOT NULL,
  ${oneOf('category', 'architecture', 'patterns', 'user_preferences', 'domain_knowledge')},
  confidence_score REAL ${within('confidence_score', 0, 1)},
  ${timestamp('last_updated')} NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),${EMBEDDING},
  UNIQUE (concept, version)
) STRICT;

CREATE TABLE "ProceduralMemory" (
  memory_id TEXT PRIMARY KEY NOT NULL,
  procedure_name TEXT NOT NULL,
  description TEXT,
  ${strings('steps')},
  ${strings('preconditions')},
  ${strings('postconditions')},
  success_rate REAL ${within('success_rate', 0, 1)},
  usage_count INTEGER NOT NULL CHECK (usage_count >= 0),
  ${timestamp('last_used')},${EMBEDDING}
) STRICT;
CREATE INDEX procedural_by_name ON "ProceduralMemory" (procedure_name);
CREATE INDEX procedural_by_use ON "ProceduralMemory" (usage_count DESC, success_rate);

CREATE TABLE "ProspectiveMemory" (
  memory_id TEXT PRIMARY KEY NOT NULL,
  intention TEXT NOT NULL,
  trigger_condition TEXT,
  ${oneOf('priority', 'low', 'medium', 'high', 'critical')} NOT NULL,
  ${timestamp('due_date')},
  ${oneOf('status', 'pending', 'triggered', 'completed', 'expired')} NOT NULL,
  ${oneOf('scope', 'session', 'global')} NOT NULL,
  completion_criteria TEXT,${EMBEDDING}
) STRICT;
CREATE INDEX prospective_by_due ON "ProspectiveMemory" (status, scope, due_date);

CREATE TABLE "WorkingMemory" (
  memory_id TEXT PRIMARY KEY NOT NULL,
  content TEXT NOT NULL,
  ${oneOf('memory_type', 'goal', 'subgoal', 'context', 'constraint')} NOT NULL,
  priority INTEGER NOT NULL,
  ${timestamp('created_at')} NOT NULL,
  ttl_seconds INTEGER NOT NULL CHECK (ttl_seconds >= 0),${EMBEDDING}
) STRICT;
CREATE INDEX working_by_content ON "WorkingMemory" (content);

CREATE TABLE "CONTAINS_EPISODIC" (${ends('Session', 'EpisodicMemory')},
  sequence_number INTEGER NOT NULL CHECK (sequence_number >= 1),
  PRIMARY KEY (from_id, sequence_number),
  UNIQUE (to_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "CONTAINS_WORKING" (${ends('Session', 'WorkingMemory')},
  activation_level REAL NOT NULL ${within('activation_level', 0, 1)},
  PRIMARY KEY (from_id, to_id),
  UNIQUE (to_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "CONTRIBUTES_TO_SEMANTIC" (
  id INTEGER PRIMARY KEY,${ends('Session', 'SemanticMemory')},
  ${oneOf('contribution_type', 'created', 'updated', 'validated', 'refined')} NOT NULL,
  ${timestamp('timestamp')} NOT NULL,
  delta TEXT
) STRICT;
CREATE INDEX contributes_from ON "CONTRIBUTES_TO_SEMANTIC" (from_id, "timestamp");
CREATE INDEX contributes_to ON "CONTRIBUTES_TO_SEMANTIC" (to_id);

CREATE TABLE "USES_PROCEDURE" (
  id INTEGER PRIMARY KEY,${ends('Session', 'ProceduralMemory')},
  ${timestamp('timestamp')} NOT NULL,
  success INTEGER NOT NULL CHECK (success IN (0, 1)),
  notes TEXT
) STRICT;
CREATE INDEX uses_from ON "USES_PROCEDURE" (from_id, "timestamp");
CREATE INDEX uses_to ON "USES_PROCEDURE" (to_id, "timestamp");

CREATE TABLE "CREATES_INTENTION" (${ends('Session', 'ProspectiveMemory')},
  ${timestamp('timestamp')} NOT NULL,
  PRIMARY KEY (from_id, to_id),
  UNIQUE (to_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "DERIVES_FROM" (${ends('SemanticMemory', 'EpisodicMemory')},
  ${oneOf('extraction_method', 'pattern_recognition', 'user_feedback', 'inference')},
  confidence REAL ${within('confidence', 0, 1)},
  PRIMARY KEY (from_id, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX derives_to ON "DERIVES_FROM" (to_id, from_id);

CREATE TABLE "REFERENCES" (${ends('ProceduralMemory', 'SemanticMemory')},
  ${oneOf('reference_type', 'prerequisite', 'related_concept', 'example')},
  context TEXT,
  PRIMARY KEY (from_id, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX references_to ON "REFERENCES" (to_id, from_id);

CREATE TABLE "TRIGGERS" (
  id INTEGER PRIMARY KEY,${ends('ProspectiveMemory', 'WorkingMemory')},
  ${timestamp('trigger_time')} NOT NULL,
  condition_met INTEGER NOT NULL CHECK (condition_met IN (0, 1))
) STRICT;
CREATE INDEX triggers_from ON "TRIGGERS" (from_id, trigger_time);
CREATE INDEX triggers_to ON "TRIGGERS" (to_id);

CREATE TABLE "ACTIVATES" (${ends('WorkingMemory', 'SemanticMemory')},
  activation_strength REAL ${within('activation_strength', 0, 1)},
  ${timestamp('timestamp')} NOT NULL,
  PRIMARY KEY (from_id, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX activates_to ON "ACTIVATES" (to_id, from_id);

CREATE TABLE "RECALLS" (${ends('EpisodicMemory', 'EpisodicMemory')},
  similarity_score REAL ${within('similarity_score', -1, 1)},
  ${oneOf('recall_reason', 'temporal_proximity', 'semantic_similarity', 'causal_link')},
  PRIMARY KEY (from_id, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX recalls_to ON "RECALLS" (to_id, from_id);

CREATE TABLE "BUILDS_ON" (${ends('ProceduralMemory', 'ProceduralMemory')},
  ${oneOf('relationship_type', 'extends', 'specializes', 'composes')},
  PRIMARY KEY (from_id, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX builds_on_to ON "BUILDS_ON" (to_id, from_id);

-- Which experience file a procedure is read from: the file's version when it was, null while the file is gone.
CREATE TABLE procedure_file (
  memory_id TEXT PRIMARY KEY NOT NULL REFERENCES "ProceduralMemory" ON UPDATE CASCADE ON DELETE CASCADE,
  version TEXT
) STRICT, WITHOUT ROWID;

-- Events in which somebody found nothing worth knowing, and when.
CREATE TABLE consolidation_skip (
  memory_id TEXT PRIMARY KEY NOT NULL REFERENCES "EpisodicMemory" ON UPDATE CASCADE ON DELETE CASCADE,
  ${timestamp('passed_over')} NOT NULL
) STRICT, WITHOUT ROWID;

-- What recall looks through: a document a memory, a new number whenever its text is another. Of concepts the current
-- version. A session's own memories name it; the others are everybody's.
CREATE TABLE memory_document (
  document INTEGER PRIMARY KEY AUTOINCREMENT,
  label TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  session_id TEXT,
  UNIQUE (label, memory_id)
) STRICT;
CREATE INDEX memory_document_by_session ON memory_document (session_id, document);
`

export const MIGRATIONS: readonly string[] = [FIRST]
