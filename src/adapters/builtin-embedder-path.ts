/**
 * Where the vectors of words lie that the program brings with it. In a compiled program another text stands in place of
 * this file: a path that the runtime reads out of the program's own file, or null when it was built without them.
 */
import { fileURLToPath } from 'node:url'

export const builtinEmbedderPath: string | null = fileURLToPath(
  new URL('./assets/builtin-embedder.bin', import.meta.url),
)
