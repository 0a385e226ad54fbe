import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import type { Kernel } from '../../src/ports.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { kernelContract } from './kernel.contract.ts'

const noFallback: Kernel = {
  rowsMax: () => 1,
  openInt8Matrix() {
    throw new Error('WASM with SIMD does not work here')
  },
}

kernelContract('plain', plainKernel)
kernelContract('WASM', new WasmKernel(noFallback))
