import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES } from '../../src/model/memory-error.ts'

function textOf(folder: string): string {
  return readdirSync(join(import.meta.dir, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('error-codes'))
    .map((name) => readFileSync(join(import.meta.dir, folder, name), 'utf8'))
    .join('\n')
}

test('every error code is thrown somewhere and provoked by some test', () => {
  const thrown = textOf('../../src').replace(/const CODES = \{[\s\S]*?\n\} as const/, '')
  const provoked = textOf('..')
  const named = (text: string) => ERROR_CODES.filter((code) => !new RegExp(`['"]${code}\\b`).test(text))
  expect(named(thrown)).toEqual([])
  expect(named(provoked)).toEqual([])
})
