/** Clock and ids of the machine. */
import type { Clock, Ids } from '../ports.ts'

export const systemClock: Clock = { now: () => Date.now() }

// Crockford's base 32: digits and letters in code unit order, none that look alike.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** 9 digits hold milliseconds until the year 3084. */
const TIME_DIGITS = 9
const RANDOM_DIGITS = 11

/** Ids of 20 characters, the time first. Two of the same millisecond differ in time too: the later one borrows. */
export function openIds(clock: Clock): Ids {
  let lastMs = 0
  return {
    next() {
      lastMs = Math.max(clock.now(), lastMs + 1)
      return timeDigits(lastMs) + randomDigits()
    },
  }
}

function timeDigits(ms: number): string {
  let digits = ''
  for (let rest = ms; digits.length < TIME_DIGITS; rest = Math.floor(rest / 32))
    digits = ALPHABET.charAt(rest % 32) + digits
  return digits
}

function randomDigits(): string {
  let digits = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS))) digits += ALPHABET.charAt(byte % 32)
  return digits
}
