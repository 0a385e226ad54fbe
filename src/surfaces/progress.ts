/** Signs of life on stderr while long work runs. */
import type { ImportProgress } from '../importer/import-surroundings.ts'

export function progressLine(step: ImportProgress): string {
  const of = step.segmentCount === null ? '' : ` of ${step.segmentCount}`
  return [
    `import ${step.requestId}: segment ${step.segmentNumber}${of} done`,
    `${step.tokens.toLocaleString('en')} tokens`,
    `${step.requests} model calls`,
    `${step.experiences} writes`,
  ].join(', ')
}
