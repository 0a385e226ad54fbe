/** Signs of life on stderr while long work runs. */
import type { ImportProgress } from '../importer/import-surroundings.ts'
import { counted } from '../model/counted.ts'
import type { EmbeddingProgress } from '../search/supply-progress.ts'

export function progressLine(step: ImportProgress | EmbeddingProgress): string {
  if ('textsOwed' in step) return embeddingLine(step)
  const of = step.segmentCount === null ? '' : ` of ${step.segmentCount}`
  const segment = `import ${step.requestId}: segment ${step.segmentNumber}${of}`
  const tokens = `${step.tokens.toLocaleString('en')} tokens`
  // Without a model there are no calls to count, and nothing is written until the whole log is read.
  if (step.requests === 0) return `${segment} read, ${tokens}`
  return `${segment} done, ${tokens}, ${counted(step.requests, 'model call')}, ${counted(step.experiences, 'write')}`
}

function embeddingLine({ textsDone, textsOwed }: EmbeddingProgress): string {
  return `embedding: ${textsDone.toLocaleString('en')} of ${textsOwed.toLocaleString('en')} texts`
}
