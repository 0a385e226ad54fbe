/**
 * Vectors of a Model2Vec model, computed in the process: of each token a row of a matrix, of a text their mean. Offline
 * and deterministic. Opening reads the files and tells the key; the model is made ready when the first text comes.
 */
import { MemoryError } from '../model/memory-error.ts'
import { WIDTH_MAX } from '../model/unit-vector.ts'
import type { Clock, Digest, Embedder, Embedding } from '../ports.ts'
import { InProcessEmbedder } from './in-process-embedder.ts'
import { Safetensors } from './safetensors.ts'
import { modelFault } from './static-model-fault.ts'
import { type ModelFile, readStaticModel, type StaticModelFiles } from './static-model-files.ts'
import { openStaticTokens, type StaticTokens } from './static-tokens.ts'
import { directionOf } from './vector-direction.ts'

const BACKEND = 'static'
const EMBEDDINGS = 'embeddings'
const WEIGHTS = 'weights'
const MAPPING = 'mapping'

export interface OpenStaticOptions {
  /** Path of a folder with `tokenizer.json`, `model.safetensors` and `config.json`, or `builtin`. */
  readonly model: string
  /** Refused if the model has others; null: whatever it has. */
  readonly dimensions: number | null
  readonly digest: Digest
  readonly clock: Clock
}

/** Throws `embedder_unavailable` for files that are missing, unreadable or no such model, as far as their heads tell. */
export function openStaticEmbedder({ model, dimensions, digest, clock }: OpenStaticOptions): Embedder {
  const files = readStaticModel(model)
  requireConfig(files.config)
  const tensors = new Safetensors(files.safetensors.bytes, files.safetensors.path)
  const width = widthOf(tensors)
  if (dimensions !== null && dimensions !== width)
    throw new MemoryError(
      'embedder_unavailable',
      `the static embedding model ${model} has vectors of ${width} dimensions, and they are not cut to ${dimensions}; set embedding.dimensions to ${width}, or leave it out`,
    )
  const key = { backend: BACKEND, model: digestOf(files, digest), dimensions: width }
  return new InProcessEmbedder(key, clock, () => {
    const ready = readyModel(files, tensors)
    return { embeddingOf: (text) => embeddingOf(text, ready) }
  })
}

interface StaticModel {
  readonly tokens: StaticTokens
  readonly width: number
  /** Row-major. */
  readonly rows: Float32Array
  /** By token id. */
  readonly weights: Float32Array | null
  /** From token id to row; null where they are the same. */
  readonly mapping: Int32Array | null
}

/**
 * The mean of all tokens' rows, so `parts` is 1 however long the text is: a mean has no limit. Model2Vec itself looks at
 * the first 512 tokens only. Tokens that the model does not know count neither way.
 */
function embeddingOf(text: string, model: StaticModel): Embedding {
  const ids = model.tokens.idsOf(text)
  if (ids.length === 0) return { refused: 'the embedding model knows no word of it' }
  // A sum has the direction of the mean.
  const direction = directionOf(weightedSum(ids, model))
  if (direction === null) return { refused: 'the vectors of its words cancel each other out' }
  return { vector: Float32Array.from(direction), parts: 1 }
}

/** In doubles, and from the first token to the last: every runtime gets the same bits. */
function weightedSum(ids: readonly number[], { rows, width, weights, mapping }: StaticModel): Float64Array {
  const sum = new Float64Array(width)
  for (const id of ids) {
    const start = (mapping === null ? id : (mapping[id] ?? 0)) * width
    const weight = weights === null ? 1 : (weights[id] ?? 0)
    for (let column = 0; column < width; column += 1)
      sum[column] = (sum[column] ?? 0) + weight * (rows[start + column] ?? 0)
  }
  return sum
}

function readyModel({ tokenizer }: StaticModelFiles, tensors: Safetensors): StaticModel {
  const tokens = openStaticTokens(tokenizer.bytes, tokenizer.path)
  const width = widthOf(tensors)
  const rows = tensors.floats(EMBEDDINGS)
  const weights = tensors.shapeOf(WEIGHTS) === null ? null : tensors.floats(WEIGHTS)
  const mapping = tensors.shapeOf(MAPPING) === null ? null : tensors.indices(MAPPING)
  const rowCount = rows.length / width
  if (tokens.idMax >= tokens.count)
    throw modelFault(tokenizer.path, `has ${tokens.count} tokens, and one of them the id ${tokens.idMax}`)
  const byToken = {
    [WEIGHTS]: weights?.length,
    [MAPPING]: mapping?.length,
    [EMBEDDINGS]: mapping === null ? rowCount : undefined,
  }
  for (const [name, count] of Object.entries(byToken))
    if (count !== undefined && count !== tokens.count)
      throw tensors.fault(`has ${count} ${name}, and its tokenizer.json ${tokens.count} tokens`)
  const strayed = mapping?.find((row) => row >= rowCount)
  if (strayed !== undefined) throw tensors.fault(`maps a token to row ${strayed} of ${rowCount}`)
  return { tokens, width, rows, weights, mapping }
}

/** Throws unless the tensors have the shapes of a Model2Vec model. */
function widthOf(tensors: Safetensors): number {
  const shape = tensors.shapeOf(EMBEDDINGS)
  if (shape === null) throw tensors.fault(`is of no Model2Vec model: it holds no tensor ${EMBEDDINGS}`)
  const [rowCount = 0, width = 0] = shape
  if (shape.length !== 2 || rowCount === 0 || width === 0 || width > WIDTH_MAX)
    throw tensors.fault(
      `holds its tensor ${EMBEDDINGS} with the shape [${shape.join(', ')}], expected rows and up to ${WIDTH_MAX} columns`,
    )
  for (const name of [WEIGHTS, MAPPING]) {
    const found = tensors.shapeOf(name)
    if (found !== null && found.length !== 1)
      throw tensors.fault(`holds its tensor ${name} with the shape [${found.join(', ')}], expected one number a token`)
  }
  return width
}

/** Nothing in it changes a direction (`normalize` is about lengths), but what has none is no such model. */
function requireConfig({ bytes, path }: ModelFile): void {
  let config: unknown
  try {
    config = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw modelFault(path, 'is not valid JSON', cause)
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw modelFault(path, 'does not hold one JSON object')
}

/** Of what the files hold, wherever they lie: a changed model is another, a moved one is the same. */
function digestOf({ config, safetensors, tokenizer }: StaticModelFiles, digest: Digest): string {
  const parts = [config, safetensors, tokenizer].map(({ bytes }) => digest.sha256(bytes))
  return `sha256:${digest.sha256(new TextEncoder().encode(parts.join('\n')))}`
}
