/** The kinds of text that a log can be. */

export const TRAJECTORY_FORMATS = ['text', 'markdown', 'log', 'json', 'jsonl'] as const
export type TrajectoryFormat = (typeof TRAJECTORY_FORMATS)[number]

/** What to do with JSON that is none. */
export const ON_MALFORMED = ['fail', 'text'] as const
export type OnMalformed = (typeof ON_MALFORMED)[number]

/** Who extracts: a model, or evidence alone. */
export const EXTRACTORS = ['llm', 'offline'] as const
export type Extractor = (typeof EXTRACTORS)[number]
