/** Documents that are known by numbers, where paths are wanted. */

/** No safe integer has more. */
const DIGITS = 16

/** In the order of the numbers. */
export function pathOfNumber(number: number): string {
  return String(number).padStart(DIGITS, '0')
}
