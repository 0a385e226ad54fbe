// Dot products of one vector with many rows of small integers. Knows memory addresses and nothing else: who owns the
// memory, what lies where and what the numbers mean is in wasm/README.md.

/** Rows scanned side by side. */
const LANES: usize = 8

/** The 16 products at `row` (int8) with the query parts `low` and `high` (8 int16 each), summed to four int32. */
@inline
function products(row: usize, low: v128, high: v128): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(v128.load8x8_s(row), low),
    i32x4.dot_i16x8_s(v128.load8x8_s(row, 8), high))
}

/** The four int32 sums of a, b, c and d, in this order. */
@inline
function sums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(i32x4.shuffle(a, b, 0, 1, 4, 5), i32x4.shuffle(a, b, 2, 3, 6, 7))
  const cd = i32x4.add(i32x4.shuffle(c, d, 0, 1, 4, 5), i32x4.shuffle(c, d, 2, 3, 6, 7))
  return i32x4.add(i32x4.shuffle(ab, cd, 0, 2, 4, 6), i32x4.shuffle(ab, cd, 1, 3, 5, 7))
}

/**
 * dots[i] = sum over columns of rows[i * stride + column] * query[column], wrapped to 32 bits.
 * All addresses in bytes. `rows`: rowCount * stride int8. `query`: stride int16. `dots`: rowCount int32.
 * `stride`: a multiple of 16, above 0.
 */
export function int8Dots(rows: usize, rowCount: usize, stride: usize, query: usize, dots: usize): void {
  // Eight rows that lie an eighth of the matrix apart: the processor then prefetches eight streams at once, which takes
  // two thirds of the time that eight neighbours take once the rows are larger than its caches.
  const count = rowCount / LANES
  const far = count * stride
  const end = rows + far
  while (rows < end) {
    let a = i32x4.splat(0), b = i32x4.splat(0), c = i32x4.splat(0), d = i32x4.splat(0)
    let e = i32x4.splat(0), f = i32x4.splat(0), g = i32x4.splat(0), h = i32x4.splat(0)
    const rowEnd = rows + stride
    for (let column = query; rows < rowEnd; column += 32) {
      const low = v128.load(column), high = v128.load(column, 16)
      let at = rows
      a = i32x4.add(a, products(at, low, high)); at += far
      b = i32x4.add(b, products(at, low, high)); at += far
      c = i32x4.add(c, products(at, low, high)); at += far
      d = i32x4.add(d, products(at, low, high)); at += far
      e = i32x4.add(e, products(at, low, high)); at += far
      f = i32x4.add(f, products(at, low, high)); at += far
      g = i32x4.add(g, products(at, low, high)); at += far
      h = i32x4.add(h, products(at, low, high))
      rows += 16
    }
    const abcd = sums(a, b, c, d), efgh = sums(e, f, g, h)
    let at = dots
    const apart = count << 2
    v128.store_lane<i32>(at, abcd, 0); at += apart
    v128.store_lane<i32>(at, abcd, 1); at += apart
    v128.store_lane<i32>(at, abcd, 2); at += apart
    v128.store_lane<i32>(at, abcd, 3); at += apart
    v128.store_lane<i32>(at, efgh, 0); at += apart
    v128.store_lane<i32>(at, efgh, 1); at += apart
    v128.store_lane<i32>(at, efgh, 2); at += apart
    v128.store_lane<i32>(at, efgh, 3)
    dots += 4
  }
  // The fewer than eight rows behind the last stream.
  const rest = LANES - 1
  rows += rest * far
  dots += rest * (count << 2)
  for (let row = LANES * count; row < rowCount; row++) {
    let a = i32x4.splat(0)
    const rowEnd = rows + stride
    for (let column = query; rows < rowEnd; column += 32) {
      a = i32x4.add(a, products(rows, v128.load(column), v128.load(column, 16)))
      rows += 16
    }
    const zero = i32x4.splat(0)
    v128.store_lane<i32>(dots, sums(a, zero, zero, zero), 0)
    dots += 4
  }
}
