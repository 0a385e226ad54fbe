/**
 * A view as a database of Orama's own making, for other programs: its stock tokenizer, index and scores, not ours. No
 * search of this program reads it. Vectors are left out: they say nothing without the embedder that made them.
 */
import { create, insert } from '@orama/orama'
import { persist } from '@orama/plugin-data-persistence'
import { invariant, MemoryError } from '../model/memory-error.ts'

/** Full text is searched in `text` alone; by path and version one can filter. */
const EXPORT_SCHEMA = { path: 'enum', version: 'enum', text: 'string' } as const
/** Documents after which a caller may look whether it is still to go on. */
const PAUSE_STEP = 64

export interface ViewText {
  readonly path: string
  readonly version: string
  readonly text: string
}

/**
 * JSON that `restore('json', …)` of `@orama/plugin-data-persistence` takes. The same texts in the same order give the
 * same JSON. Throws `file_too_large`, and what `pause` throws.
 */
export async function exportedView(texts: readonly ViewText[], pause: () => Promise<void>): Promise<string> {
  // A table for sorting would hold every text a second time.
  const database = create({ schema: EXPORT_SCHEMA, sort: { enabled: false } })
  for (const [at, { path, version, text }] of texts.entries()) {
    if (at % PAUSE_STEP === 0) await pause()
    // Left to itself Orama draws an id by chance.
    await withinOrama(
      async () => insert(database, { id: path, path, version, text }),
      `${path} holds a word that is too long for Orama; break it into several and run it again`,
    )
  }
  await pause()
  const json = await withinOrama(
    async () => persist(database, 'json'),
    `the ${texts.length} texts of the view are more than one JSON text can hold; export when_to_use, which is smaller`,
  )
  invariant(typeof json === 'string', 'Orama persists JSON as a string')
  return json
}

/** An engine throws RangeError for more than a string or its stack can hold. */
async function withinOrama<T>(work: () => Promise<T>, fault: string): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof RangeError) throw new MemoryError('file_too_large', fault, { cause })
    throw cause
  }
}
