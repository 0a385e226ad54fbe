/** Reads the rows that a scan wants from their packs, the levels straight into the memory of a kernel. */
import type { Kernel } from '../ports.ts'
import type { QuantizedRows } from './nearest-rows.ts'
import { RowMatrix } from './row-matrix.ts'
import type { VectorPlace } from './vector-cache.ts'

/**
 * @param places   of the rows, ascending, none twice, all of vectors of `width` numbers
 * @param placeAt  tells which row of which pack a place is
 * Throws `RowDamage`, and `file_too_large` when the machine has no memory for them.
 */
export function readQuantizedRows(
  kernel: Kernel,
  places: Int32Array,
  width: number,
  placeAt: (place: number) => VectorPlace,
): QuantizedRows {
  const matrix = new RowMatrix(kernel, places.length, width)
  const scales = new Float32Array(places.length)
  const residuals = new Float32Array(places.length)
  try {
    for (let at = 0; at < places.length; ) {
      const place = places[at] ?? 0
      const { pack, row } = placeAt(place)
      const block = pack.blockOf(row)
      const end = endOfBlock(places, at, place - row + block.end)
      const bytes = (block.end - block.start) * matrix.stride
      const target = end - at === block.end - block.start ? matrix.stretch(at, end - at) : null
      const levels = target ?? new Uint8Array(bytes)
      pack.readLevels(block, levels)
      for (let to = at; to < end; ) {
        const from = row + (places[to] ?? 0) - place
        const length = runLength(places, to, end)
        scales.set(pack.scales.subarray(from, from + length), to)
        residuals.set(pack.residuals.subarray(from, from + length), to)
        const [start, stop] = [from - block.start, from - block.start + length]
        if (target === null) matrix.set(to, levels.subarray(start * matrix.stride, stop * matrix.stride))
        to += length
      }
      at = end
    }
  } catch (error) {
    matrix[Symbol.dispose]()
    throw error
  }
  return { matrix, scales, residuals }
}

/** Of the places from `start` on the first that is not below `placeEnd`. */
function endOfBlock(places: Int32Array, start: number, placeEnd: number): number {
  // No place comes twice, so all of a block are there when the last of them is where it must be.
  const whole = start + placeEnd - (places[start] ?? 0)
  if (places[whole - 1] === placeEnd - 1) return whole
  let end = start + 1
  while (end < places.length && (places[end] ?? 0) < placeEnd) end += 1
  return end
}

/** How many places from `start` on follow each other without a gap. */
function runLength(places: Int32Array, start: number, end: number): number {
  const first = places[start] ?? 0
  if (places[end - 1] === first + end - 1 - start) return end - start
  let at = start + 1
  while (places[at] === first + at - start) at += 1
  return at - start
}
