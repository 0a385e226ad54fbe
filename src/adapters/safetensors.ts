/**
 * Tensors of a safetensors file that was read: 8 bytes that tell the length of a header, the header as JSON, then the
 * tensors. Believes nothing the header says before it is checked, decodes only what is asked for, and knows nothing of
 * what the tensors mean.
 */

import { fieldsOf, isRecord } from '../model/json-values.ts'
import { modelFault } from './static-model-fault.ts'
import {
  decodedFloats,
  decodedIndices,
  isFloatType,
  isIndexType,
  NUMBER_BYTES,
  type NumberType,
} from './tensor-numbers.ts'

/** The format's own limit. */
const HEADER_BYTES_MAX = 100_000_000
const LENGTH_BYTES = 8
const METADATA = '__metadata__'

interface Tensor {
  /** Null for a type that nobody here reads. */
  readonly type: NumberType | null
  readonly shape: readonly number[]
  /** In the file; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

export class Safetensors {
  readonly #bytes: Uint8Array
  readonly #path: string
  readonly #tensors: ReadonlyMap<string, Tensor>

  /** @param path for messages. Throws `embedder_unavailable` for a file that is not one, or not whole. */
  constructor(bytes: Uint8Array, path: string) {
    this.#bytes = bytes
    this.#path = path
    const dataStart = LENGTH_BYTES + headerBytes(bytes, path)
    const header = parsedHeader(bytes.subarray(LENGTH_BYTES, dataStart), path)
    this.#tensors = new Map(
      Object.entries(header)
        .filter(([name]) => name !== METADATA)
        .map(([name, value]) => [name, tensorOf(value, dataStart, bytes.length, path)]),
    )
    requireGapless([...this.#tensors.values()], dataStart, bytes.length, path)
  }

  /** Null when there is no such tensor. */
  shapeOf(name: string): readonly number[] | null {
    return this.#tensors.get(name)?.shape ?? null
  }

  /** In row-major order; integers as they are. Throws for other types, NaN and infinities. */
  floats(name: string): Float32Array {
    const { bytes, type } = this.#read(name)
    if (!isFloatType(type)) throw this.fault(`holds its tensor ${name} in a type other than F64, F32, F16, BF16 and I8`)
    const numbers = decodedFloats(bytes, type)
    for (let at = 0; at < numbers.length; at += 1)
      if (!Number.isFinite(numbers[at]))
        throw this.fault(`holds a number that is NaN or infinite: number ${at + 1} of its tensor ${name}`)
    return numbers
  }

  /** In row-major order. Throws for other types than I64 and I32, and for what is below 0 or over 2^31 - 1. */
  indices(name: string): Int32Array {
    const { bytes, type } = this.#read(name)
    if (!isIndexType(type)) throw this.fault(`holds its tensor ${name} in a type other than I64 and I32`)
    const numbers = decodedIndices(bytes, type)
    const at = numbers.findIndex((value) => value < 0)
    if (at >= 0) throw this.fault(`holds a number that is no index: number ${at + 1} of its tensor ${name}`)
    return numbers
  }

  /** For what its tensors mean; see `modelFault`. */
  fault(fault: string): Error {
    return modelFault(this.#path, fault)
  }

  #read(name: string): { readonly bytes: Uint8Array; readonly type: NumberType | null } {
    const tensor = this.#tensors.get(name)
    if (tensor === undefined) throw this.fault(`holds no tensor ${name}`)
    return { bytes: this.#bytes.subarray(tensor.start, tensor.end), type: tensor.type }
  }
}

function headerBytes(bytes: Uint8Array, path: string): number {
  if (bytes.length < LENGTH_BYTES) throw modelFault(path, `has ${bytes.length} bytes, too few for a safetensors file`)
  const length = new DataView(bytes.buffer, bytes.byteOffset, LENGTH_BYTES).getBigUint64(0, true)
  if (length > HEADER_BYTES_MAX)
    throw modelFault(
      path,
      `is no safetensors file: its header would have ${length} bytes, more than ${HEADER_BYTES_MAX}`,
    )
  if (length > bytes.length - LENGTH_BYTES)
    throw modelFault(path, `is cut off: it ends after ${bytes.length} bytes, within its header of ${length}`)
  return Number(length)
}

function parsedHeader(bytes: Uint8Array, path: string): Record<string, unknown> {
  let text: string
  let header: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    header = JSON.parse(text)
  } catch (cause) {
    throw modelFault(path, 'is no safetensors file: its header is not valid JSON', cause)
  }
  if (!isRecord(header)) throw modelFault(path, 'is no safetensors file: its header is not one JSON object')
  if (hasRepeatedKey(text)) throw modelFault(path, 'is damaged: its header names one thing twice')
  return header
}

/** A parser keeps the last of them in silence. @param json valid */
function hasRepeatedKey(json: string): boolean {
  const open: Set<unknown>[] = []
  for (const [part, key] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (part === '{') open.push(new Set())
    else if (part === '}') open.pop()
    else if (key !== undefined) {
      const name: unknown = JSON.parse(key)
      if (open.at(-1)?.has(name) === true) return true
      open.at(-1)?.add(name)
    }
  }
  return false
}

function tensorOf(value: unknown, dataStart: number, fileBytes: number, path: string): Tensor {
  const { dtype, shape, data_offsets: offsets } = fieldsOf(value)
  if (typeof dtype !== 'string' || !isListOfCounts(shape) || !isListOfCounts(offsets) || offsets.length !== 2)
    throw modelFault(path, 'is damaged: its header describes a tensor without type, shape or place')
  const [start = 0, end = 0] = offsets.map((offset) => dataStart + offset)
  if (end < start) throw modelFault(path, 'is damaged: a tensor ends before it starts')
  if (end > fileBytes) throw modelFault(path, `is cut off: it has ${fileBytes} bytes, and a tensor ends at byte ${end}`)
  const type = Object.hasOwn(NUMBER_BYTES, dtype) ? (dtype as NumberType) : null
  // Above 2^53 a product is not exact, but no file is that large either.
  const bytes = shape.reduce((product, count) => product * count, type === null ? 1 : NUMBER_BYTES[type])
  if (type !== null && bytes !== end - start)
    throw modelFault(path, `is damaged: a tensor of ${bytes} bytes by its shape has ${end - start}`)
  return { type, shape, start, end }
}

/** The format allows neither tensors that share bytes nor bytes between, before or behind them. */
function requireGapless(tensors: readonly Tensor[], dataStart: number, fileBytes: number, path: string): void {
  let end = dataStart
  for (const tensor of tensors.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (tensor.start < end) throw modelFault(path, `is damaged: two of its tensors overlap at byte ${tensor.start}`)
    if (tensor.start > end) throw modelFault(path, `is damaged: what lies at byte ${end} belongs to no tensor`)
    end = tensor.end
  }
  if (end < fileBytes) throw modelFault(path, `is damaged: ${fileBytes - end} bytes at its end belong to no tensor`)
}

function isListOfCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
}
