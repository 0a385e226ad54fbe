/**
 * The natural logarithm from +, -, *, / and bits alone, so that every runtime gets the same bits: `Math.log` does not
 * promise them, and the order of search results must not depend on it.
 *
 * The method and constants are FreeBSD's `e_log.c` (fdlibm). Its licence asks for this notice:
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc.
 * business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice
 * is preserved.
 */

const LN2_HIGH = 0.6931471803691238
const LN2_LOW = 1.9082149292705877e-10
const L1 = 0.6666666666666735
const L2 = 0.3999999999940942
const L3 = 0.2857142874366239
const L4 = 0.22222198432149784
const L5 = 0.1818357216161805
const L6 = 0.15313837699209373
const L7 = 0.14798198605116586

const bits = new DataView(new ArrayBuffer(8))

/** @param x positive, normal and finite. Error below one unit in the last place. */
export function naturalLogarithm(x: number): number {
  bits.setFloat64(0, x)
  const high = bits.getUint32(0)
  const fraction = high & 0xfffff
  // x = 2^exponent * (1 + f), with 1 + f between about the square roots of 1/2 and 2.
  const carry = (fraction + 0x95f64) & 0x100000
  const exponent = (high >>> 20) - 1023 + (carry >>> 20)
  bits.setUint32(0, fraction | (carry ^ 0x3ff00000))
  const f = bits.getFloat64(0) - 1
  if (((fraction + 2) & 0xfffff) < 3) {
    const rest = f * f * (0.5 - 0.3333333333333333 * f)
    return exponent * LN2_HIGH - (rest - exponent * LN2_LOW - f)
  }
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const r = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6))
  // Where 1 + f is far from 1 the square is split off, which keeps more bits.
  const isFar = ((fraction - 0x6147a) | (0x6b851 - fraction)) > 0
  if (!isFar) return exponent * LN2_HIGH - (s * (f - r) - exponent * LN2_LOW - f)
  const half = 0.5 * f * f
  return exponent * LN2_HIGH - (half - (s * (half + r) + exponent * LN2_LOW) - f)
}
