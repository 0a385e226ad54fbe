import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { withoutCredentials } from '../../src/model/address.ts'

describe('an address is shown', () => {
  test.each([
    'http://127.0.0.1:11434/v1',
    'https://host',
    'HTTPS://Host/V1/',
    'https://host/@scope/v1',
    'not an address',
    'me at host',
    '',
  ])('as it is when it holds no credential: %p', (address) => {
    expect(withoutCredentials(address)).toBe(address)
  })

  test.each([
    ['https://user:secret@host/v1', 'https://host/v1'],
    ['https://secret@host:8443/v1', 'https://host:8443/v1'],
    ['https://:secret@host', 'https://host/'],
    ['https://user:p@secret@host/v1', 'https://host/v1'],
    ['https://host/v1?api-key=secret', 'https://host/v1'],
    ['https://host/v1#secret', 'https://host/v1'],
    ['redis://user:secret@host/0', 'redis://host/0'],
  ])('without user, password, query and fragment: %p', (address, shown) => {
    expect(withoutCredentials(address)).toBe(shown)
  })

  test.each([
    ['https://user:se/cret@host/v1', 'https://[hidden]@host/v1'],
    ['https://user:secret@ho st/v1', 'https://[hidden]@ho st/v1'],
    ['//user:secret@host/v1', '//[hidden]@host/v1'],
    ['http://user:secret\nsecret@ho st', 'http://[hidden]@ho st'],
    ['user:secret@host/v1', '[hidden]@host/v1'],
    ['user:sec//ret@host', '[hidden]@host'],
    ['https://user:12/secret@host/v1', 'https://[hidden]@host/v1'],
    ['user name:secret@host', '[hidden]@host'],
  ])('masked where it is no URL or may be read in two ways: %p', (address, shown) => {
    expect(withoutCredentials(address)).toBe(shown)
  })
})

test('no password is shown, whatever its characters', () => {
  const text = fc.string({
    unit: fc.constantFrom('/', ':', '@', '?', '#', '\\', '%', ' ', '\n', '[', '1', 'a', '\u00e9'),
    maxLength: 6,
  })
  // With two slashes first, `user` would be a scheme and what follows a host.
  const password = fc.tuple(text, text).filter(([before]) => !/^[/\\\n]{2}/.test(before))
  fc.assert(
    fc.property(fc.constantFrom('https://', 'redis://', '//', ''), password, (scheme, [before, after]) => {
      expect(withoutCredentials(`${scheme}user:${before}s3cr3t${after}@host/v1`)).not.toContain('s3cr3t')
    }),
    { numRuns: 1_000 },
  )
})
