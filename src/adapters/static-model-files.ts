/** Finds and reads the three files of a static embedding model: in a folder, or inside the program. Never goes online. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryError } from '../model/memory-error.ts'
import { BUILTIN_MODEL } from '../model/static-model.ts'
import { builtinModelFiles } from './builtin-static-model.ts'
import { errnoOf } from './file-fault.ts'
import { TOKENIZER_FILE_BYTES_MAX } from './hugging-face-tokenizer.ts'
import { readWhole } from './open-file.ts'
import { modelFault } from './static-model-fault.ts'

/** Twice the largest that the makers of Model2Vec offer. */
const SAFETENSORS_BYTES_MAX = 2 ** 30
const CONFIG_BYTES_MAX = 2 ** 20

export interface ModelFile {
  /** For messages. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface StaticModelFiles {
  readonly tokenizer: ModelFile
  readonly safetensors: ModelFile
  readonly config: ModelFile
}

/** @param source path of a folder, or `builtin`. Throws `embedder_unavailable`. */
export function readStaticModel(source: string): StaticModelFiles {
  if (source === BUILTIN_MODEL) return readBuiltin()
  requireFolder(source)
  return {
    tokenizer: readPart(join(source, 'tokenizer.json'), TOKENIZER_FILE_BYTES_MAX),
    safetensors: readPart(join(source, 'model.safetensors'), SAFETENSORS_BYTES_MAX),
    config: readPart(join(source, 'config.json'), CONFIG_BYTES_MAX),
  }
}

/** From the program's own file: nothing is unpacked to disk. */
function readBuiltin(): StaticModelFiles {
  if (builtinModelFiles === null)
    throw modelFault(
      BUILTIN_MODEL,
      'is not there: this program was built without a static model (its own word vectors are EMBEDDING_BACKEND=builtin)',
    )
  const { tokenizer, safetensors, config } = builtinModelFiles
  const part = (name: string, path: string): ModelFile => ({
    path: `${BUILTIN_MODEL}/${name}`,
    bytes: readFileSync(path),
  })
  return {
    tokenizer: part('tokenizer.json', tokenizer),
    safetensors: part('model.safetensors', safetensors),
    config: part('config.json', config),
  }
}

function requireFolder(source: string): void {
  const isFolder = looked(source, () => statSync(source, { throwIfNoEntry: false })?.isDirectory())
  if (isFolder === undefined)
    throw modelFault(source, 'does not exist (it must be a path; names of the Hugging Face hub are not looked up)')
  if (!isFolder) throw modelFault(source, 'is no folder')
}

function readPart(path: string, bytesMax: number): ModelFile {
  return { path, bytes: looked(path, () => readWhole(path, true, bytesMax)) }
}

function looked<T>(path: string, look: () => T): T {
  try {
    return look()
  } catch (cause) {
    throw modelFault(path, faultWords(cause), cause)
  }
}

function faultWords(cause: unknown): string {
  if (cause instanceof MemoryError && cause.code === 'file_too_large')
    return `has ${String(cause.details.bytes)} bytes, more than the ${String(cause.details.bytesMax)} allowed`
  if (cause instanceof MemoryError) return 'is no ordinary file'
  const errno = errnoOf(cause)
  return errno === 'ENOENT' || errno === 'ENOTDIR' ? 'is missing' : `cannot be read (${errno})`
}
