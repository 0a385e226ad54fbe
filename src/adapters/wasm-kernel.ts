/** Runs the vector kernel of wasm/vector-kernel.ts. Knows its memory layout; knows nothing of what the numbers mean. */
import { Buffer } from 'node:buffer'
import { invariant } from '../model/memory-error.ts'
import type { Int8Matrix, Kernel } from '../ports.ts'
import asset from './assets/vector-kernel.txt' with { type: 'text' }

/** Of one matrix with its query and sums; 100,000 rows of 1,536 columns take 154 MB. */
const MATRIX_BYTES_MAX = 2 ** 30

const PAGE_BYTES = 65_536
/** Of a stride, because the kernel reads 16 bytes at once; of a region, so that none shares a cache line. */
const STRIDE_STEP = 16
const REGION_STEP = 64

type Int8Dots = (rows: number, rowCount: number, stride: number, query: number, dots: number) => void

interface Instance {
  readonly memory: WebAssembly.Memory
  readonly int8Dots: Int8Dots
}

const roundedUp = (bytes: number, step: number): number => Math.ceil(bytes / step) * step

/** Every matrix has an instance and a memory to itself, so that no view of one is detached because another grew. */
export class WasmKernel implements Kernel {
  readonly #fallback: Kernel
  /** Null where the machine has no SIMD for WASM (x64 without AVX under Bun); undefined before the first use. */
  #module: WebAssembly.Module | null | undefined
  // V8 frees a memory long after its last use. A rebuild opens the new matrix before it disposes the old one, so one
  // kept instance lets any number of rebuilds live in the memory of two.
  #retired: Instance | null = null

  readonly #bytesMax: number

  /** @param fallback works where WASM with SIMD does not. @param bytesMax of one matrix */
  constructor(fallback: Kernel, bytesMax = MATRIX_BYTES_MAX) {
    this.#fallback = fallback
    this.#bytesMax = bytesMax
  }

  rowsMax(width: number): number {
    const { bytes, stride } = layoutOf(0, width)
    // The region of the rows is rounded up.
    const room = this.#bytesMax - bytes - REGION_STEP
    return Math.max(1, Math.floor(room / (stride + Int32Array.BYTES_PER_ELEMENT)))
  }

  openInt8Matrix(rowCount: number, width: number): Int8Matrix {
    invariant(Number.isSafeInteger(rowCount) && rowCount >= 0, `a matrix of ${rowCount} rows`)
    invariant(Number.isSafeInteger(width) && width > 0, `a matrix of ${width} columns`)
    invariant(rowCount <= this.rowsMax(width), `a matrix of ${rowCount} rows in one piece`)
    const layout = layoutOf(rowCount, width)
    this.#module ??= compiledModule()
    const instance = this.#module && (this.#takeRetired(layout.bytes) ?? newInstance(this.#module, layout.bytes))
    if (instance === null) return this.#fallback.openInt8Matrix(rowCount, width)
    return new WasmInt8Matrix(instance, layout, () => this.#retire(instance))
  }

  /** The kept instance if its memory is about as large as needed: a small matrix must not sit on a large memory. */
  #takeRetired(bytes: number): Instance | null {
    const retired = this.#retired
    if (retired === null) return null
    const bytesFound = retired.memory.buffer.byteLength
    if (bytesFound > 2 * roundedUp(bytes, PAGE_BYTES) || bytes > 2 * bytesFound) return null
    this.#retired = null
    if (bytes > bytesFound && !hasGrown(retired.memory, bytes - bytesFound)) return null
    new Uint8Array(retired.memory.buffer).fill(0)
    return retired
  }

  #retire(instance: Instance): void {
    // Growing by nothing detaches every view, so that one in use by mistake is empty instead of another matrix.
    instance.memory.grow(0)
    const bytesKept = this.#retired?.memory.buffer.byteLength ?? 0
    if (instance.memory.buffer.byteLength >= bytesKept) this.#retired = instance
  }
}

/** Addresses in bytes: the query as int16, the rows as int8, the sums as int32. */
interface Layout {
  readonly rowCount: number
  readonly width: number
  readonly stride: number
  readonly rowsStart: number
  readonly dotsStart: number
  readonly bytes: number
}

function layoutOf(rowCount: number, width: number): Layout {
  const stride = roundedUp(width, STRIDE_STEP)
  const rowsStart = roundedUp(stride * Int16Array.BYTES_PER_ELEMENT, REGION_STEP)
  const dotsStart = rowsStart + roundedUp(rowCount * stride, REGION_STEP)
  const bytes = dotsStart + rowCount * Int32Array.BYTES_PER_ELEMENT
  return { rowCount, width, stride, rowsStart, dotsStart, bytes }
}

function compiledModule(): WebAssembly.Module | null {
  const bytes = Buffer.from(asset.replace(/^#.*\n/, ''), 'base64')
  return WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null
}

/** Null where the machine has no memory for it: engines reserve more for one of WASM than for an array. */
function newInstance(module: WebAssembly.Module, bytes: number): Instance | null {
  const memory = newMemory(bytes)
  if (memory === null) return null
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  return { memory, int8Dots: exports.int8Dots as Int8Dots }
}

function newMemory(bytes: number): WebAssembly.Memory | null {
  try {
    return new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) })
  } catch (fault) {
    if (fault instanceof RangeError) return null
    throw fault
  }
}

function hasGrown(memory: WebAssembly.Memory, bytes: number): boolean {
  try {
    memory.grow(Math.ceil(bytes / PAGE_BYTES))
    return true
  } catch (fault) {
    // Without room behind it; a new memory may still find some elsewhere.
    if (fault instanceof RangeError) return false
    throw fault
  }
}

class WasmInt8Matrix implements Int8Matrix {
  readonly rowCount: number
  readonly width: number
  readonly stride: number
  readonly rows: Int8Array
  readonly #layout: Layout
  readonly #query: Int16Array
  readonly #dots: Int32Array
  readonly #retire: () => void
  #instance: Instance | null

  constructor(instance: Instance, layout: Layout, retire: () => void) {
    const { buffer } = instance.memory
    this.rowCount = layout.rowCount
    this.width = layout.width
    this.stride = layout.stride
    this.rows = new Int8Array(buffer, layout.rowsStart, layout.rowCount * layout.stride)
    this.#query = new Int16Array(buffer, 0, layout.stride)
    this.#dots = new Int32Array(buffer, layout.dotsStart, layout.rowCount)
    this.#layout = layout
    this.#instance = instance
    this.#retire = retire
  }

  dots(query: Int16Array): Int32Array {
    invariant(this.#instance !== null, 'a disposed matrix was asked')
    invariant(query.length === this.width, `a query of ${query.length} columns to a matrix of ${this.width}`)
    // The columns behind the width stay zero, so that what the rows hold there does not count.
    this.#query.set(query)
    const { rowsStart, rowCount, stride, dotsStart } = this.#layout
    this.#instance.int8Dots(rowsStart, rowCount, stride, 0, dotsStart)
    return this.#dots
  }

  [Symbol.dispose](): void {
    if (this.#instance === null) return
    this.#instance = null
    this.#retire()
  }
}
