import { describe, expect, test } from 'bun:test'
import { bunDigest } from '../../src/adapters/bun-digest.ts'
import { nodeDigest } from '../../src/adapters/node-digest.ts'
import type { Digest } from '../../src/ports.ts'

describe.each<[string, Digest | null]>([
  ['by Bun itself', bunDigest],
  ['by Node’s modules', nodeDigest],
])('digests %s', (_by, digest) => {
  test('are SHA-256 and the CRC-32 of gzip', () => {
    // FIPS 180-2, appendix B.1; the check value that every catalogue of CRCs gives for CRC-32/ISO-HDLC.
    expect(digest?.sha256(new TextEncoder().encode('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(Buffer.from(digest?.sha256Bytes(new TextEncoder().encode('abc')) ?? []).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(digest?.crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  })

  test('see a part of a buffer alone', () => {
    const whole = new TextEncoder().encode('__123456789__')
    expect(digest?.crc32(whole.subarray(2, -2))).toBe(0xcbf43926)
    expect(digest?.sha256(whole.subarray(0, 0))).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    expect(digest?.crc32(new Uint8Array())).toBe(0)
  })
})
