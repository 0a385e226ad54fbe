import { describe, expect, test } from 'bun:test'
import {
  EXPERIENCE_FILE_BYTES_MAX,
  type Experience,
  experienceBytes,
  parseExperience,
  readExperience,
} from '../../src/model/experience.ts'

const experience: Experience = { description: 'a', 'when-to-use': 'b', content: 'c', sources: ['s'] }
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'invalid_experience', message: expect.stringMatching(message) })

describe('half of a surrogate pair', () => {
  test.each([
    ['description', { description: '\ud800 lone' }],
    ['content', { content: 'x\udfff' }],
    ['sources', { sources: ['\ud800'] }],
  ])('in %s is refused, to be written and as read', (field, part) => {
    const fault = invalid(new RegExp(`^${field}.*surrogate`))
    const broken = { ...experience, ...part }
    expect(() => parseExperience(broken)).toThrow(fault)
    expect(() => readExperience(new TextEncoder().encode(JSON.stringify(broken)))).toThrow(fault)
  })

  test('is something else than a whole pair', () => {
    expect(parseExperience({ ...experience, content: '😀' }).content).toBe('😀')
  })
})

test('what would be too large to be read is not written', () => {
  const long: Experience = { ...experience, content: 'x'.repeat(EXPERIENCE_FILE_BYTES_MAX) }
  expect(() => experienceBytes(long)).toThrow(invalid(/bytes, more than the 4194304 of an experience file/))
  expect(() => readExperience(new TextEncoder().encode(JSON.stringify(long)))).toThrow(invalid(/more than the 4194304/))
})
