/** The kinds of text that a log can be. */

export const TRAJECTORY_FORMATS = ['text', 'markdown', 'log', 'json', 'jsonl'] as const
export type TrajectoryFormat = (typeof TRAJECTORY_FORMATS)[number]
