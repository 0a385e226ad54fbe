/** What experiences can be exported as. */
export const EXPORT_FORMATS = ['skills', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
