/**
 * What is wrong with a static embedding model: which file, what, and what to do. Never quotes the file: settings that
 * someone else wrote may name one that is none of their business.
 */
import { MemoryError } from '../model/memory-error.ts'

/** For who runs the program. */
export const NEXT_STEP = 'set EMBEDDING_MODEL_NAME to the folder of a Model2Vec model, or EMBEDDING_BACKEND=none'

/** @param fault continues the path, as in "… holds no tensor" */
export function modelFault(path: string, fault: string, cause?: unknown): MemoryError {
  const message = `static embedding model: ${path} ${fault}; ${NEXT_STEP}`
  return new MemoryError('embedder_unavailable', message, { path, cause })
}
