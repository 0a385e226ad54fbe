import { describe, expect, spyOn, test } from 'bun:test'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'

/** Calls `onMade` before every memory that is made meanwhile. */
function withMemoryMade(onMade: () => void, work: () => void): void {
  const original = WebAssembly.Memory
  WebAssembly.Memory = class extends original {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      onMade()
      super(descriptor)
    }
  }
  try {
    work()
  } finally {
    WebAssembly.Memory = original
  }
}

describe('the WASM kernel', () => {
  test('holds 100,000 rows of 1,536 columns', () => {
    using matrix = new WasmKernel(plainKernel).openInt8Matrix(100_000, 1536)
    matrix.rows.set([1, 2, 3], 99_999 * matrix.stride + 1533)
    const query = new Int16Array(1536)
    query.set([4, 5, 6], 1533)
    const sums = matrix.dots(query)
    expect(sums).toHaveLength(100_000)
    expect(sums[99_999]).toBe(4 + 10 + 18)
    expect(sums[99_998]).toBe(0)
  })

  test('puts into one matrix what its limit holds, and no more', () => {
    // 64 bytes of query, rows of 32 in whole 64s, sums of 4: 64 + 6400 + 800 for 200 rows.
    const kernel = new WasmKernel(plainKernel, 7_264 + 64)
    expect(kernel.rowsMax(24)).toBe(200)
    kernel.openInt8Matrix(200, 24)[Symbol.dispose]()
    expect(() => kernel.openInt8Matrix(201, 24)).toThrow('201 rows')
    expect(new WasmKernel(plainKernel, 100).rowsMax(1536)).toBe(1)
    // About a million rows of 1,536 columns take two matrices of a gibibyte.
    expect(new WasmKernel(plainKernel).rowsMax(1536)).toBe(Math.floor((2 ** 30 - 3072 - 64) / 1540))
  })

  test('leaves the work to its fallback when the machine has no memory for it', () => {
    withMemoryMade(
      () => {
        throw new RangeError('out of memory')
      },
      () => {
        using matrix = new WasmKernel(plainKernel).openInt8Matrix(1, 2)
        matrix.rows.set([3, 4])
        expect([...matrix.dots(Int16Array.of(5, 6))]).toEqual([39])
      },
    )
  })

  test('leaves the work to its fallback where WASM has no SIMD', () => {
    const validate = spyOn(WebAssembly, 'validate').mockReturnValue(false)
    try {
      const opened = spyOn(plainKernel, 'openInt8Matrix')
      using matrix = new WasmKernel(plainKernel).openInt8Matrix(1, 2)
      expect(opened).toHaveBeenCalledTimes(1)
      matrix.rows.set([3, 4])
      expect([...matrix.dots(Int16Array.of(5, 6))]).toEqual([39])
      opened.mockRestore()
    } finally {
      validate.mockRestore()
    }
  })

  test('uses the memory of a disposed matrix for the next of about its size', () => {
    const kernel = new WasmKernel(plainKernel)
    let madeCount = 0
    withMemoryMade(
      () => {
        madeCount += 1
      },
      () => {
        for (const rowCount of [10_000, 11_000, 9000, 12_000]) kernel.openInt8Matrix(rowCount, 384)[Symbol.dispose]()
        expect(madeCount).toBe(1)
        kernel.openInt8Matrix(10, 384)[Symbol.dispose]()
        expect(madeCount).toBe(2)
      },
    )
  })
})

test('a plain matrix for which there is no memory is refused, with its bytes', () => {
  expect(() => plainKernel.openInt8Matrix(2 ** 48, 16)).toThrow(
    expect.objectContaining({ code: 'file_too_large', details: { bytes: 2 ** 52 } }),
  )
})
