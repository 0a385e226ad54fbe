/** What the offline extractor makes of a log, with limits as settings have them and words for tokens. */
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0

export const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }

export const fromLog = (text: string, limits = LIMITS) => extractOffline({ text, format: 'log' }, limits)
